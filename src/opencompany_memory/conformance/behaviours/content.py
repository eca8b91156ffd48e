"""Text is verbatim, however awkward."""

import json
from typing import Any, Final

from opencompany_memory.conformance.bench import Bench
from opencompany_memory.conformance.registry import behaviour
from opencompany_memory.contract import InvalidInput

_PLANES: Final = "".join(chr(plane * 0x10000 + offset) for plane in range(17) for offset in (0x20, 0x3042, 0xFFFD))

CONTENT: Final = {
    "empty": "",
    "blanks": "  leading, trailing \t\n\n",
    "line_ends": "one\ntwo\r\nthree\rfour\u2028five\x0bsix",
    "nul": "rotate the key\0 on Monday",
    "control_characters": "".join(map(chr, range(1, 32))) + "\x7f\x80\x9f",
    "every_unicode_plane": _PLANES,
    "lone_combining_marks": "\u0301\u0308 e\u0301 \u0e31 \u20dd",
    "both_normal_forms": "caf\u00e9 cafe\u0301",
    "right_to_left": "\u202eabc\u202c مرحبا שלום",
    "emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪",
    "text_like_json": '{"v":1,"record":{"content":"x"}}',
    "text_like_a_json_string": '"quoted"',
    "text_like_a_number": "0012.50",
    "text_like_null": "null",
    "text_like_sql": "'; DROP TABLE entries; --",
    "text_like_a_url": "https://example.com/page?q=1#top",
    "text_like_a_command": "$(rm -rf /) `id` && reboot",
    "text_like_markup": "<script>alert(1)</script> &amp; {{ x }} %s {0}",
    "byte_order_mark": "\ufefftext",
    "long_line": "x" * 10_000,
}


async def _round_trip(bench: Bench, text: str) -> None:
    """Verbatim, or refused before anything is stored; nothing in between."""
    namespace = bench.namespace()
    try:
        await bench.store(namespace, "k", text)
    except InvalidInput:
        assert await bench.provider.get(namespace, "k") is None, "what was refused was stored all the same"
        return
    found = await bench.provider.get(namespace, "k")
    assert found is not None, "the text was accepted and is absent"
    assert found.content == text, "the text did not come back verbatim"

    async def check() -> None:
        listed = await bench.walk(namespace)
        assert [entry.content for entry in listed] == [text], "the listing has another text"

    await bench.eventually(check)


def _register(name: str, text: str) -> None:
    async def check(bench: Bench) -> None:
        await _round_trip(bench, text)

    summary = f"Content with {name.replace('_', ' ')} comes back verbatim, or is InvalidInput."
    behaviour("content", name=f"content_with_{name}_is_verbatim", summary=summary)(check)


for _name, _text in CONTENT.items():
    _register(_name, _text)


@behaviour("content", needs=("retention", "large-content"))
async def content_of_64_kib_is_verbatim(bench: Bench) -> None:
    """65,536 bytes of UTF-8, to the last."""
    text = ("Ünïcödé " * 8192).encode()[:65536].decode(errors="ignore")
    namespace = bench.namespace()
    await bench.store(namespace, "k", text)
    found = await bench.provider.get(namespace, "k")
    assert found is not None, "the text was accepted and is absent"
    assert found.content == text, "the text did not come back verbatim"


@behaviour("content", needs=())
async def a_lone_surrogate_is_refused(bench: Bench) -> None:
    """It is not text in UTF-8; nothing is stored of it, and nothing crashes."""
    namespace = bench.namespace()
    bad: tuple[dict[str, Any], ...] = (
        {"key": "k\ud800"},
        {"content": "\udfff"},
        {"metadata": {"a": "\ud800"}},
        {"session_id": "\ud800"},
    )
    for fields in bad:
        arguments = {"key": "k", "content": "text", **fields}
        try:
            await bench.store(namespace, **arguments)
        except InvalidInput:
            continue
        raise AssertionError(f"a lone surrogate in {next(iter(fields))} was accepted")
    assert await bench.provider.get(namespace, "k") is None, "what was refused was stored all the same"


@behaviour("content")
async def content_that_holds_an_entry_stays_text(bench: Bench) -> None:
    """A text that looks like a driver's own framing is not taken for it."""
    text = json.dumps({"key": "other", "namespace": "other", "taint": "internal", "content": "x", "oc": 1})
    await _round_trip(bench, text)
