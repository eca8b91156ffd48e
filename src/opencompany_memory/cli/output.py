"""What the command prints: tables on a terminal, plain lines into a pipe, JSON on request; never a crash, never an
escape sequence out of somebody's memory."""

import contextlib
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

# C0, DEL and C1 controls but for newline and tab: on a terminal they are commands.
_VISIBLE = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if code not in (9, 10)}
_ONE_LINE = {**_VISIBLE, 9: " ", 10: " "}


def make_output_safe() -> None:
    """Print what the terminal's encoding can't hold as escapes instead of crashing on it."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


@contextmanager
def stdout_kept_clean() -> Iterator[None]:
    """What a driver prints goes to stderr: stdout is for answers, which programs read."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def complain(sentence: str) -> None:
    """One sentence on stderr."""
    sys.stderr.write(sentence.translate(_ONE_LINE) + "\n")


def say(text: str = "") -> None:
    """Text for a person, on stdout; harmless on a terminal, verbatim into a pipe."""
    write(text + "\n")


def write(text: str) -> None:
    """Like `say`, without a line end."""
    sys.stdout.write(text.translate(_VISIBLE) if sys.stdout.isatty() else text)


def say_json(value: Any) -> None:
    """A JSON document on stdout. ASCII where the stream can't hold more."""
    unicode = (sys.stdout.encoding or "ascii").lower().replace("-", "") == "utf8"
    sys.stdout.write(json.dumps(value, ensure_ascii=not unicode, indent=2 if sys.stdout.isatty() else None) + "\n")


def say_table(headings: Sequence[str], lines: Sequence[Sequence[str]], *, empty: str) -> None:
    """A table on a terminal; into a pipe one line each, cells separated by tabs, without headings."""
    if not sys.stdout.isatty():
        for line in lines:
            sys.stdout.write("\t".join(one_line(cell) for cell in line) + "\n")
        return
    if not lines:
        say(empty)
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for line in lines:
        table.add_row(*(Text(one_line(cell)) for cell in line))
    Console().print(table)


def one_line(text: str) -> str:
    """`text` on one line, nothing in it a command to a terminal."""
    return text.translate(_ONE_LINE)


def cut(text: str, width: int) -> str:
    """The beginning of `text` that fits into `width` characters."""
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"


def terminal_width() -> int:
    """Columns of the terminal; 80 where there is none."""
    return shutil.get_terminal_size().columns


def mark(good: bool) -> str:
    """A tick or a cross, in what the stream can hold."""
    try:
        "✓✗".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return "ok  " if good else "FAIL"
    return "✓" if good else "✗"


def when(moment: datetime) -> str:
    """A moment for a person, in UTC."""
    return moment.strftime("%Y-%m-%d %H:%M:%S")
