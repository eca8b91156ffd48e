"""`opencompany memory put | get | list | recall | forget`: texts under labels, for one company."""

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from opencompany_memory.cli.output import complain, cut, one_line, say, say_json, say_table, terminal_width, when, write
from opencompany_memory.cli.running import Company, Json, over_memory

if TYPE_CHECKING:
    from opencompany_memory.overlay import ChunkMeta, MemoryOverlay

_PAGE: Final = 500


def put(
    label: Annotated[str, typer.Argument(help="What to find the text by; a path such as notes/deploy works well.")],
    text: Annotated[str, typer.Argument(help="The text; - or nothing reads standard input.")] = "-",
    *,
    company: Company,
    session: Annotated[str | None, typer.Option(help="The conversation that the text belongs to.")] = None,
    timestamp: Annotated[
        str | None, typer.Option(help="When it was said, RFC 3339 with a zone; now by default.")
    ] = None,
    json: Json = False,
) -> None:
    """Store a text under a label and print its address.

    Example: opencompany memory put deploy "The deploy key rotates on Mondays." --company acme
    """
    body = _standard_input() if text == "-" else text
    at = _moment(timestamp)
    address = over_memory("put", lambda memory: memory.context.put(company, label, body, session=session, timestamp=at))
    if json:
        say_json({"address": address, "label": label})
    else:
        say(address)


def get(
    address: Annotated[str, typer.Argument(help="The address that put, list or recall printed.")],
    *,
    company: Company,
    json: Json = False,
) -> None:
    """Print the text at an address, as it was stored.

    Example: opencompany memory get "$ADDRESS" --company acme
    """
    chunk = over_memory("get", lambda memory: memory.context.get(company, address))
    if chunk is None:
        complain("not found: this company has no text at that address")
        raise typer.Exit(1)
    if json:
        say_json({**_meta(chunk), "text": chunk.text})
    else:
        write(chunk.text)
        if sys.stdout.isatty() and not chunk.text.endswith("\n"):
            say()


def list_(
    prefix: Annotated[str, typer.Argument(help="Only labels that begin with this.")] = "",
    *,
    company: Company,
    json: Json = False,
) -> None:
    """List labels and addresses, newest first: all of them.

    Example: opencompany memory list notes/ --company acme --json
    """
    chunks = over_memory("list", lambda memory: _all(memory, company, prefix))
    if json:
        say_json([_meta(chunk) for chunk in chunks])
        return
    lines = [(chunk.label, chunk.address, str(chunk.length), when(chunk.stored_at)) for chunk in chunks]
    say_table(("label", "address", "bytes", "when (UTC)"), lines, empty="nothing is stored here")


def recall(
    query: Annotated[str, typer.Argument(help="A question or some words; nothing in it is syntax.")],
    *,
    company: Company,
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, max=1000, help="At most this many.")] = 10,
    json: Json = False,
) -> None:
    """Find texts by what they say, most relevant first.

    Example: opencompany memory recall "when does the key rotate?" --company acme
    """
    hits = over_memory("recall", lambda memory: memory.context.search(company, query, limit=limit))
    if json:
        say_json([{**_meta(hit), "score": hit.score, "text": hit.text} for hit in hits])
        return
    on_terminal = sys.stdout.isatty()
    for hit in hits:
        score = "   -" if hit.score is None else f"{hit.score:.2f}"
        if on_terminal:
            line = one_line(f"{score}  {when(hit.stored_at)}  {hit.label}  {hit.snippet}")
            say(cut(line, terminal_width()))
        else:
            say("\t".join((score.strip(), when(hit.stored_at), one_line(hit.label), one_line(hit.text))))
    if not hits and on_terminal:
        say("nothing was found")


def forget(
    label: Annotated[str, typer.Argument(help="A label, or an address: whatever list and recall show.")],
    *,
    company: Company,
    json: Json = False,
) -> None:
    """Forget everything under a label, or the text at an address.

    Example: opencompany memory forget deploy --company acme
    """
    count = over_memory("forget", lambda memory: memory.context.forget(company, label))
    if json:
        say_json({"forgotten": count})
    elif count:
        say(f"forgot {count} {'text' if count == 1 else 'texts'}")
    if not count:
        complain("not found: this company has nothing under that label or address")
        raise typer.Exit(1)


async def _all(memory: "MemoryOverlay", company: str, prefix: str) -> "list[ChunkMeta]":
    chunks: list[ChunkMeta] = []
    cursor: str | None = None
    while True:
        page = await memory.context.list(company, prefix, limit=_PAGE, cursor=cursor)
        chunks += page.chunks
        if page.next_cursor is None:
            return chunks
        cursor = page.next_cursor


def _meta(chunk: "ChunkMeta") -> dict[str, Any]:
    from opencompany_memory.contract.codec import format_timestamp

    return {
        "address": chunk.address,
        "label": chunk.label,
        "length": chunk.length,
        "timestamp": format_timestamp(chunk.stored_at),
        "session": chunk.session,
        "taint": chunk.taint.value,
    }


def _standard_input() -> str:
    if sys.stdin.isatty():
        complain("reading the text from the terminal; end with Ctrl-D")
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise typer.BadParameter(f"standard input is not UTF-8 (at byte {error.start}); nothing was stored") from None


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    from opencompany_memory.contract.codec import parse_timestamp

    return parse_timestamp(text)
