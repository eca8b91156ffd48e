"""What the null driver is for: nothing is kept, and nothing pretends that it is."""

from datetime import UTC, datetime

import pytest

from opencompany_memory.contract import Category, ExportRecord, InvalidInput, Ready, Taint
from opencompany_memory_null.provider import NullProvider

pytestmark = pytest.mark.anyio


async def test_a_write_is_accepted_and_discarded() -> None:
    async with NullProvider() as provider:
        stored = await provider.store("n", "k", "text", taint=Taint.INTERNAL)
        assert stored.content == "text"
        assert await provider.get("n", "k") is None
        assert list((await provider.list("n")).entries) == []
        assert await provider.recall("n", "text") == []
        assert await provider.health() == Ready()


async def test_bad_input_is_refused_as_by_any_driver() -> None:
    with pytest.raises(InvalidInput):
        await NullProvider().store("", "k", "text", taint=Taint.INTERNAL)


async def test_an_import_fails_every_record_instead_of_losing_it() -> None:
    record = ExportRecord("n", "k", "text", Category.CORE, None, datetime.now(UTC), Taint.INTERNAL, {})
    outcome = await NullProvider().import_records([record])
    assert (outcome.imported, len(outcome.failed)) == (0, 1)
