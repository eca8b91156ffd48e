"""The command's frame: its groups, and how an error becomes a sentence and an exit code.

Exit codes: 0 done, 1 not found or failed, 2 usage, 78 refused (sysexits.h: EX_CONFIG).
"""

import os
import sys
from typing import Annotated, Final

import typer

from opencompany_memory.cli import audit, conformance, context, doctor, drivers, purge, serve, status, upkeep
from opencompany_memory.cli.output import complain, make_output_safe

EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_REFUSED: Final = 78

_SETTINGS: Final = {"help_option_names": ["-h", "--help"]}

# Tracebacks with local variables would print keys and memories; errors become sentences in `main`.
app = typer.Typer(
    name="opencompany",
    help="One audited seam between an agent host and the engine that keeps its memory.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
    context_settings=_SETTINGS,
)
memory = typer.Typer(
    help="Look at the bound memory engine, and use it.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings=_SETTINGS,
)
app.add_typer(memory, name="memory")

app.command("serve")(serve.serve)
memory.command("status")(status.status)
memory.command("doctor")(doctor.doctor)
memory.command("drivers")(drivers.drivers)
memory.command("put")(context.put)
memory.command("get")(context.get)
memory.command("list")(context.list_)
memory.command("recall")(context.recall)
memory.command("forget")(context.forget)
memory.command("purge")(purge.purge)
memory.command("conformance")(conformance.conformance)
memory.command("check")(upkeep.check)
memory.command("backup")(upkeep.backup)
memory.command("compact")(upkeep.compact)
memory.add_typer(audit.app, name="audit")


def _version(asked: bool) -> None:
    if asked:
        from opencompany_memory import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line of this process, and leave it."""
    make_output_safe()
    # Whatever the locale says, arguments are UTF-8, as files and standard input are.
    sys.argv = [os.fsencode(argument).decode("utf-8", "surrogateescape") for argument in sys.argv]
    try:
        app()
    except Exception as error:  # noqa: BLE001 - the last place where an error can still become a sentence
        sys.exit(_explain(error))


def _explain(error: Exception) -> int:
    from opencompany_memory.binding.refusal import BootRefused
    from opencompany_memory.contract import InvalidInput, MemoryEngineError

    if isinstance(error, BootRefused):
        complain(str(error))
        return EXIT_REFUSED
    if isinstance(error, MemoryEngineError):
        complain(_without_secrets(f"failed ({error.wire_name}): {error}"))
        return EXIT_USAGE if isinstance(error, InvalidInput) else EXIT_FAILED
    if isinstance(error, BrokenPipeError):
        return EXIT_FAILED
    # What an unknown error says may hold a credential or a memory; where it came from may not.
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" in {trace.tb_frame.f_code.co_qualname}, line {trace.tb_lineno}" if trace is not None else ""
    complain(f"failed: {type(error).__name__}{where}")
    return EXIT_FAILED


def _without_secrets(sentence: str) -> str:
    """A driver's error should hold no key and no URL. One that does must not print them all the same."""
    from opencompany_memory.binding.redaction import Redactor
    from opencompany_memory.binding.refusal import BootRefused
    from opencompany_memory.binding.settings import read_settings

    try:
        settings = read_settings(os.environ)
    except BootRefused:  # changed since the boot
        return sentence
    return Redactor(settings.secrets).clean(sentence) if settings.mode == "remote" else sentence
