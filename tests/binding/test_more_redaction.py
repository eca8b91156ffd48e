"""Secrets go, the host's own words stay."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from opencompany_memory.binding.redaction import Redactor

KEY = "sk-canary/0123+456=="


@pytest.mark.parametrize(
    "text",
    [
        "https://Engine.Acme.example:8443/tenant-1/v2?x=1",
        "could not connect to engine.acme.example",
        "ENGINE.ACME.EXAMPLE refused",
        "POST engine.acme.example/tenant-1/v2/add",
        "engine.acme.example:8443/tenant-1/v2/add",
        "//Engine.Acme.example:8443",
        "path /tenant-1/v2/add",
    ],
)
def test_no_part_of_the_url_survives(text: str) -> None:
    cleaned = Redactor(["https://Engine.Acme.example:8443/tenant-1/v2"]).clean(text).lower()
    assert "acme" not in cleaned
    assert "tenant" not in cleaned


@pytest.mark.parametrize(
    "form",
    [
        KEY,
        "sk-canary%2F0123%2B456%3D%3D",
        "c2stY2FuYXJ5LzAxMjMrNDU2PT0",
        "c2stY2FuYXJ5LzAxMjMrNDU2PT0=",
        KEY.encode().hex(),
    ],
)
def test_no_form_of_the_key_survives(form: str) -> None:
    assert Redactor([KEY]).clean(f"a {form} b") in ("a <redacted> b", "a <redacted>= b")


def test_an_engine_whose_host_is_called_like_its_driver_takes_no_name_out_of_the_log() -> None:
    redactor = Redactor(["http://mem0:8000", KEY], public=("mem0",))
    assert redactor.clean("opencompany-memory-mem0 as mem0") == "opencompany-memory-mem0 as mem0"
    assert redactor.clean("no answer from mem0:8000") == "no answer from <redacted>"


def test_a_host_of_one_word_is_taken_out_as_a_word_only() -> None:
    redactor = Redactor(["http://memory:8000/"])
    assert redactor.clean("opencompany-memory-mem0") == "opencompany-memory-mem0"
    assert redactor.clean("can't find host Memory.") == "can't find host <redacted>."


def test_everything_in_a_value_is_cleaned() -> None:
    value = {KEY: [KEY, (KEY, 3)], "n": {"deep": KEY}, "none": None}
    cleaned = Redactor([KEY]).clean_all(value)
    assert cleaned == {"<redacted>": ["<redacted>", ["<redacted>", 3]], "n": {"deep": "<redacted>"}, "none": None}


@example("https://[::1", "x")
@example("https://\ud800/path", "x")
@given(st.text(), st.text())
def test_no_secret_however_odd_stops_the_log(secret: str, text: str) -> None:
    assert isinstance(Redactor([secret, f"https://{secret}"]).clean(text), str)
