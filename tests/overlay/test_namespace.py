"""Namespaces: one derivation, injective, and nobody else can make one."""

import hashlib
import re
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from opencompany_memory.contract import InvalidInput
from opencompany_memory.overlay import Namespace, Scope
from opencompany_memory.store.files import partition_of

HOSTILE = [
    "",
    "h",
    "acme",
    "Acme",
    "acme ",
    " acme",
    "acme:1",
    "acme/1",
    "acme_1",
    "acme-1",
    "acme/1/facts",
    "../acme",
    "acme/",
    "/",
    "oc/acme",
    "*",
    "%",
    "\0",
    "acme\0",
    "caf\u00e9",
    "cafe\u0301",
    "\u212b",
    "\u00c5",
    "ａcme",
    "\U0001f600",
    "a" * 48,
    "a" * 49,
    "a" * 10_240,
    "a" * 10_240 + "b",
    "None",
    "facts",
    "agent",
    "h-e3b0c44298fc1c149afbf4c8996fb924",
]
ids = st.sampled_from(HOSTILE) | st.text(st.characters(codec="utf-8"))
FORM = re.compile(r"oc/[A-Za-z0-9_-]{1,48}-[0-9a-f]{32}/(?:[a-z-]+|(?:agent|desk)/[A-Za-z0-9_-]{1,48}-[0-9a-f]{32})")


def every_namespace(company: str, other: str) -> list[Namespace]:
    plain = [Namespace.of(company, scope) for scope in Scope]
    return [*plain, Namespace.of_agent(company, other), Namespace.of_desk(company, other)]


@given(ids, ids, ids, ids)
def test_two_ids_never_share_a_namespace(company: str, other: str, inner: str, other_inner: str) -> None:
    ours = {str(namespace) for namespace in every_namespace(company, inner)}
    assert len(ours) == len(Scope) + 2
    theirs = {str(namespace) for namespace in every_namespace(other, other_inner)}
    if company != other:
        assert not ours & theirs
    else:
        assert len(ours & theirs) == len(Scope) + (2 if inner == other_inner else 0)


@given(ids, ids)
def test_one_companys_prefix_begins_no_namespace_of_another(company: str, other: str) -> None:
    if company != other:
        assert not any(str(n).startswith(Namespace.prefix(company)) for n in every_namespace(other, company))


def test_hostile_ids_are_all_different_even_where_case_is_folded() -> None:
    assert len({Namespace.prefix(company).lower() for company in HOSTILE}) == len(HOSTILE)


@given(ids, ids)
def test_every_namespace_has_the_promised_form_and_is_of_the_company(company: str, inner: str) -> None:
    for namespace in every_namespace(company, inner):
        assert FORM.fullmatch(str(namespace))
        assert str(namespace).startswith(Namespace.prefix(company))
        assert f"{partition_of(str(namespace))}/" == Namespace.prefix(company)


@given(ids)
@example("acme:1/é" + "x" * 60)
def test_a_segment_is_readable_and_ends_in_the_hash_of_the_raw_id(company: str) -> None:
    digest = hashlib.sha256(company.encode()).hexdigest()[:32]
    readable = re.sub(r"[^A-Za-z0-9_-]", "_", company)[:48] or "h"
    assert str(Namespace.of(company, Scope.FACTS)) == f"oc/{readable}-{digest}/facts"


def test_the_form_of_stored_namespaces_never_changes() -> None:
    assert str(Namespace.of("acme:1", Scope.TASK_RESULTS)) == "oc/acme_1-a9484f703fa0e60110ae33a5f11c86f8/task-results"


def test_an_empty_id_is_a_company_of_its_own() -> None:
    assert str(Namespace.of("", Scope.CONTEXT)) == "oc/h-e3b0c44298fc1c149afbf4c8996fb924/context"


def test_twins_of_unicode_are_two_companies() -> None:
    composed = "caf\u00e9"
    assert Namespace.prefix(composed) != Namespace.prefix(unicodedata.normalize("NFD", composed))


@pytest.mark.parametrize("raw", [None, 0, b"acme", True, ["acme"], object()])
@pytest.mark.parametrize(
    "derive",
    [
        lambda raw: Namespace.of(raw, Scope.FACTS),
        lambda raw: Namespace.of_agent(raw, "a"),
        lambda raw: Namespace.of_agent("acme", raw),
        lambda raw: Namespace.of_desk(raw, "a"),
        lambda raw: Namespace.of_desk("acme", raw),
        Namespace.prefix,
    ],
)
def test_an_id_that_is_no_text_is_refused_and_never_everything(derive: Callable[[Any], Any], raw: Any) -> None:
    with pytest.raises(InvalidInput, match="must be text"):
        derive(raw)


@pytest.mark.parametrize("raw", ["\ud800", "acme\udcff"])
def test_a_lone_surrogate_is_refused(raw: str) -> None:
    with pytest.raises(InvalidInput, match="surrogate"):
        Namespace.of(raw, Scope.FACTS)
    with pytest.raises(InvalidInput, match="surrogate"):
        Namespace.of_agent("acme", raw)


@pytest.mark.parametrize("scope", ["facts", None, "agent/x", 1])
def test_a_scope_is_one_of_the_closed_set(scope: Any) -> None:
    with pytest.raises(InvalidInput, match="scope"):
        Namespace.of("acme", scope)


def test_the_scopes_are_a_closed_set() -> None:
    assert sorted(scope.value for scope in Scope) == sorted(
        ["facts", "traces", "archive", "task-results", "context", "scratch", "openwop", "canary"]
    )


def test_there_is_no_public_constructor() -> None:
    with pytest.raises(TypeError, match="derived"):
        Namespace()
    with pytest.raises(TypeError):
        Namespace("oc/acme/facts")  # type: ignore[call-arg]


@pytest.mark.parametrize("name", ["_text", "other"])
def test_a_namespace_cannot_be_changed(name: str) -> None:
    namespace = Namespace.of("acme", Scope.FACTS)
    with pytest.raises(AttributeError):
        setattr(namespace, name, "oc/other/facts")
    with pytest.raises(AttributeError):
        delattr(namespace, name)


def test_equal_namespaces_are_one_key() -> None:
    assert len({Namespace.of("acme", Scope.FACTS), Namespace.of("acme", Scope.FACTS)}) == 1
    assert Namespace.of("acme", Scope.FACTS) != Namespace.of("acme", Scope.TRACES)
    assert Namespace.of("acme", Scope.FACTS) != str(Namespace.of("acme", Scope.FACTS))


def test_the_canary_is_no_companys_memory() -> None:
    assert str(Namespace.canary()).endswith("/canary")
