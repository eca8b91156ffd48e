"""Writes the parts of the documentation that are facts of the code; `--check` says whether they are up to date.

    python -m docs.generate [--check]

A generated part stands between `<!-- generated: NAME -->` and `<!-- end -->`.
"""

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from opencompany_memory.binding.knobs import KNOBS
from opencompany_memory.binding.refusal import REFUSALS
from opencompany_memory.binding.registry import reserved_drivers
from opencompany_memory.conformance.registry import REQUIREMENTS, behaviours
from opencompany_memory.contract import ERRORS, FAMILIES, INSTANCE_WIDE, MANDATORY

ROOT: Final = Path(__file__).parents[1]
_PART: Final = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def _table(headings: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    lines = [headings, tuple("---" for _ in headings), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def knobs() -> str:
    """The variables."""
    rows = (
        (f"`{knob.name}`", knob.summary, knob.values or "text", f"`{knob.default}`" if knob.default else "")
        for knob in KNOBS
    )
    return _table(("variable", "what it decides", "values", "default"), rows)


def config_keys() -> str:
    """The keys of config.toml."""
    rows = ((f"`{knob.key}`", f"`{knob.name}`", knob.summary) for knob in KNOBS if knob.key)
    return _table(("key of `[memory]`", "variable", "what it decides"), rows)


def refusals() -> str:
    """The refusals."""
    rows = ((f"`{kind.step}/{code}`", kind.when, f"`{kind.example}`") for code, kind in REFUSALS.items())
    return _table(("code", "when", "for example"), rows)


def drivers() -> str:
    """The reserved table."""
    rows = (
        (f"`{row.id}`", row.driver_class, f"`{row.distribution}`", ", ".join(row.knobs) or "none", row.summary)
        for row in reserved_drivers().values()
    )
    return _table(("id", "class", "distribution", "needs", "what it is"), rows)


def errors() -> str:
    """The errors."""
    rows = (
        (f"`{error.__name__}`", f"`{error.wire_name}`", "yes" if error.retryable else "no", _first_line(error))
        for error in ERRORS
    )
    return _table(("error", "wire name", "retryable", "meaning"), rows)


def families() -> str:
    """The families and their methods."""
    rows = ((f"`{name}`", _kind(name), _methods(family), _first_line(family)) for name, family in FAMILIES.items())
    return _table(("family", "", "methods", "what it is for"), rows)


def _kind(name: str) -> str:
    kinds = ["mandatory"] * (name in MANDATORY) + ["instance-wide"] * (name in INSTANCE_WIDE)
    return ", ".join(kinds) or "optional"


def _methods(family: type) -> str:
    names = [name for name, value in vars(family).items() if getattr(value, "__isabstractmethod__", False)]
    return ", ".join(f"`{name}`" for name in names)


def _first_line(thing: object) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def conformance() -> str:
    """The behaviours."""
    rows = (
        (one.area, one.name.replace("_", " "), one.summary, ", ".join(one.needs) or "nothing") for one in behaviours()
    )
    return _table(("area", "behaviour", "", "needs"), rows)


def requirements() -> str:
    """What an engine may declare that it can't do."""
    return _table(("requirement", "meaning"), ((f"`{name}`", meaning) for name, meaning in REQUIREMENTS.items()))


def commands() -> str:
    """Every command: what it does, an example, what it takes."""
    from typer.main import get_command

    from opencompany_memory.cli.main import app

    return "".join(_command(path, command) for path, command in _walk(get_command(app), ("opencompany",)))


def _walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    inner = getattr(command, "commands", {})
    if getattr(command, "callback", None) is not None and (not inner or command.invoke_without_command):
        yield path, command
    for name, each in inner.items():
        yield from _walk(each, (*path, name))


def _command(path: tuple[str, ...], command: Any) -> str:
    # From the parameters, and not from `--help`: how that is laid out changes with the library's version.
    text = inspect.cleandoc(command.help or "")
    told, _, example = text.partition("Example: ")
    lines = [f"## {' '.join(path)}\n", told.strip()]
    if example:
        lines.append(f"\n```sh\n{' '.join(example.split())}\n```")
    parameters = [parameter for parameter in command.params if parameter.name != "help"]
    if parameters:
        lines.append("\n" + _table(("", "", ""), (_parameter(parameter) for parameter in parameters)))
    return "\n".join(lines).rstrip() + "\n\n"


def _parameter(parameter: Any) -> tuple[str, str, str]:
    is_argument = parameter.param_type_name == "argument"
    name = parameter.name.upper() if is_argument else ", ".join(parameter.opts)
    return f"`{name}`", (parameter.help or "").strip(), "required" if parameter.required else ""


PARTS: Final[Mapping[str, Callable[[], str]]] = {
    "knobs": knobs,
    "config-keys": config_keys,
    "refusals": refusals,
    "drivers": drivers,
    "errors": errors,
    "families": families,
    "conformance": conformance,
    "requirements": requirements,
    "commands": commands,
}


def env_example() -> str:
    """`.env.example`: every knob, its default, one line on it."""
    lines = [
        "# Every setting of opencompany-memory. Blank is missing. Copy to .env and load it into the environment.\n"
    ]
    for knob in KNOBS:
        values = f" ({knob.values})" if knob.values else ""
        lines.append(f"\n# {knob.summary}{values}{'; a secret' if knob.secret else ''}\n{knob.name}={knob.default}\n")
    return "".join(lines)


def generated() -> Iterator[tuple[Path, str]]:
    """Every file with a generated part, and what it should hold."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        text = path.read_text(encoding="utf-8")
        if _PART.search(text):
            yield path, _PART.sub(lambda match: f"{match[1]}{PARTS[match[2]]()}{match[3]}", text)
    yield ROOT / ".env.example", env_example()


def main() -> int:
    """Write, or with `--check` compare; 1 when something is out of date."""
    stale = [(path, text) for path, text in generated() if path.read_text(encoding="utf-8") != text]
    for path, text in stale:
        if "--check" in sys.argv[1:]:
            sys.stderr.write(f"{path.relative_to(ROOT)} is out of date; run `make docs`\n")
        else:
            path.write_text(text, encoding="utf-8")
    return 1 if stale and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
