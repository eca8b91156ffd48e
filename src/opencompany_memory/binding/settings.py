"""Step 1: settings, from the environment and from the `[memory]` table of config.toml.

Values are trimmed, and blank is missing, for every knob and in both layers. That meaning is ours and is pinned by our
tests: it must not change with the version of a settings library.
"""

import difflib
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from attrs import field, frozen

from opencompany_memory.binding import knobs
from opencompany_memory.binding.refusal import BootRefused

STEP: Final = "settings"
ENV: Final = "env"
FILE: Final = "config.toml"
DEFAULT: Final = "default"

_RETIRED: Final = {
    "embedded": "OPENCOMPANY_MEMORY=store keeps memory on this machine",
    "tinycortex": "OPENCOMPANY_MEMORY=store keeps memory on this machine",
    "cortex": "OPENCOMPANY_MEMORY=remote with OPENCOMPANY_MEMORY_DRIVER=cortex reaches a Cortex server",
}
_NOT_YET: Final = ("postgres", "mongodb", "fs")
_ACTOR: Final = re.compile(rf"({'|'.join(knobs.ACTOR_TYPES)}):[A-Za-z0-9_.@-]{{1,128}}", re.IGNORECASE)
_DRIVER_ID: Final = re.compile(r"[a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?")
_LARGEST_KEY_FILE: Final = 64 * 1024


def _set_or_not(value: object) -> str:
    return "<not set>" if value is None else "<set>"


@frozen(kw_only=True)
class Settings:
    """What was asked for. `layer` says where the mode came from: env, config.toml or default."""

    mode: str
    layer: str
    driver: str | None
    url: str | None = field(repr=_set_or_not)
    api_key: str | None = field(repr=_set_or_not)
    actor: str | None = field(repr=_set_or_not)
    trust: frozenset[str]
    probe: str
    storage: str
    data_dir: Path
    config_path: Path
    warnings: tuple[str, ...]

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be printed anywhere."""
        return tuple(secret for secret in (self.api_key, self.url) if secret)


def read_settings(environ: Mapping[str, str]) -> Settings:
    """Read and check the settings. Makes nothing on disk.

    Raises:
        BootRefused: at step `settings`; the message names the knob, and the value where it is no secret.
    """
    values = {name: value for name, raw in environ.items() if (value := raw.strip())}
    data_dir = _data_dir(values.get(knobs.DATA_DIR))
    warnings = list(_unknown_variables(environ))
    layers = _Layers(values, data_dir / FILE)
    warnings += layers.warnings
    mode, layer = _mode(layers)
    driver = _lowered(layers.get(knobs.DRIVER))
    url, url_layer = layers.find(knobs.URL)
    api_key, key_layer = _api_key(layers)
    settings = Settings(
        mode=mode,
        layer=layer,
        driver=driver,
        url=url,
        api_key=api_key,
        actor=_actor(layers.get(knobs.ACTOR)),
        trust=_trust(values.get(knobs.TRUST)),
        probe=_choice(values.get(knobs.PROBE, "read"), knobs.PROBE, knobs.PROBES, "unknown-probe"),
        storage=_storage(values.get(knobs.STORAGE, "sqlite")),
        data_dir=data_dir,
        config_path=layers.path,
        warnings=tuple(warnings) + _ignored(mode, layers, driver),
    )
    if mode == "remote":
        _refuse_incomplete(settings, layers)
        if url_layer != key_layer:
            raise BootRefused(
                STEP,
                "split-credential",
                f"the URL is from {url_layer} and the key from {key_layer}; a key is never sent to an address that it "
                "was not written beside",
                f"set {knobs.URL} and {knobs.API_KEY} in the environment, or url and api_key in {layers.path}",
                knob=knobs.API_KEY,
            )
    return settings


def locate_data_dir(environ: Mapping[str, str]) -> Path | None:
    """Where the data folder is, whatever else is wrong with the settings; None where it can't be used."""
    try:
        return _data_dir(environ.get(knobs.DATA_DIR, "").strip() or None)
    except BootRefused:
        return None


def read_trust(environ: Mapping[str, str]) -> frozenset[str]:
    """The ids in OPENCOMPANY_MEMORY_TRUST, whatever else is wrong with the settings.

    Raises:
        BootRefused: an id that can't be one.
    """
    return _trust(environ.get(knobs.TRUST))


class _Layers:
    """The environment, and below it config.toml, which is inert when the mode is in the environment."""

    def __init__(self, values: Mapping[str, str], path: Path) -> None:
        self.path = path
        self.warnings: tuple[str, ...] = ()
        self._env = values
        self.inert = knobs.MODE in values
        self._file: Mapping[str, str] = {}
        if self.inert:
            if _mentions_memory(path):
                self.warnings = (f"{path} is not read for memory: {knobs.MODE} is set in the environment",)
        else:
            self._file = _read_file(path)

    def find(self, knob: str) -> tuple[str | None, str]:
        """The value of a knob and the layer that it came from."""
        if knob in self._env:
            return self._env[knob], ENV
        if knob in self._file:
            return self._file[knob], FILE
        return None, DEFAULT

    def get(self, knob: str) -> str | None:
        """The value of a knob."""
        return self.find(knob)[0]

    def where(self) -> str:
        """Which layers were read, for a message about something that is in none of them."""
        if self.inert:
            return f"the environment ({self.path} is not read, since {knobs.MODE} is set)"
        state = "was read" if self.path.exists() else "does not exist"
        return f"the environment and {self.path} (which {state})"


def _data_dir(raw: str | None) -> Path:
    try:
        path = Path(os.path.abspath(Path(raw or "~/.opencompany").expanduser()))
    except RuntimeError:
        raise _bad_data_dir("there is no home folder to keep it in") from None
    existing = path
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    if not existing.is_dir():
        raise _bad_data_dir(f"{existing} is a file, where a folder is needed")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise _bad_data_dir(f"{existing} can't be written to")
    return path


def _bad_data_dir(problem: str) -> BootRefused:
    return BootRefused(
        STEP, "data-dir", problem, f"set {knobs.DATA_DIR} to a folder that this user can write to", knob=knobs.DATA_DIR
    )


def _unknown_variables(environ: Mapping[str, str]) -> list[str]:
    known = [knob.name for knob in knobs.KNOBS]
    unknown = sorted(name for name in environ if name.startswith(knobs.MODE) and name not in known)
    return [f"{name} is no setting{_meant(name, known)}" for name in unknown]


def _meant(word: str, known: list[str]) -> str:
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.0)
    return f"; did you mean {near[0]}?" if near else ""


def _mode(layers: _Layers) -> tuple[str, str]:
    raw, layer = layers.find(knobs.MODE)
    mode = (raw or "store").lower()
    named = f"backend = {raw!r} in {layers.path}" if layer == FILE else f"{knobs.MODE}={raw}"
    if mode in _RETIRED:
        raise BootRefused(STEP, "retired-mode", f"{named} was retired", _RETIRED[mode], knob=knobs.MODE)
    if mode not in knobs.MODES:
        raise BootRefused(
            STEP, "unknown-mode", f"{named} is no mode", f"set it to {_either(knobs.MODES)}", knob=knobs.MODE
        )
    return mode, layer


def _choice(raw: str, knob: str, allowed: tuple[str, ...], code: str) -> str:
    value = raw.lower()
    if value not in allowed:
        raise BootRefused(STEP, code, f"{knob}={raw} is not known", f"set it to {_either(allowed)}", knob=knob)
    return value


def _storage(raw: str) -> str:
    value = raw.lower()
    if value in _NOT_YET:
        raise BootRefused(
            STEP,
            "storage-unavailable",
            f"{knobs.STORAGE}={raw} is not available in this version",
            "set it to sqlite, or unset it",
            knob=knobs.STORAGE,
        )
    return _choice(raw, knobs.STORAGE, ("sqlite",), "unknown-storage")


def _either(words: tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _lowered(raw: str | None) -> str | None:
    return None if raw is None else raw.lower()


def _trust(raw: str | None) -> frozenset[str]:
    ids = [part.strip().lower() for part in (raw or "").split(",") if part.strip()]
    for each in ids:
        if not _DRIVER_ID.fullmatch(each):
            raise BootRefused(
                STEP,
                "bad-trust",
                f"{knobs.TRUST} lists {each!r}, which can't be a driver id",
                "list driver ids, separated by commas",
                knob=knobs.TRUST,
            )
    return frozenset(ids)


def _actor(raw: str | None) -> str | None:
    if raw is None:
        return None
    if not _ACTOR.fullmatch(raw):
        raise BootRefused(
            STEP,
            "bad-actor",
            f"{knobs.ACTOR}={raw} is no actor",
            f"write it as type:id, with a type of {_either(knobs.ACTOR_TYPES)} and an id of letters, digits and _.@-",
            knob=knobs.ACTOR,
        )
    kind, _, name = raw.partition(":")
    return f"{kind.lower()}:{name}"


def _api_key(layers: _Layers) -> tuple[str | None, str]:
    key, layer = layers.find(knobs.API_KEY)
    file = layers.get(knobs.API_KEY_FILE)
    if file is not None:
        if layer == ENV:
            raise BootRefused(
                STEP,
                "two-keys",
                f"{knobs.API_KEY} and {knobs.API_KEY_FILE} are both set",
                "unset one of them",
                knob=knobs.API_KEY_FILE,
            )
        key, layer = _read_key_file(Path(file).expanduser()), ENV
    if key is not None and not (key.isascii() and key.isprintable()):
        raise BootRefused(
            STEP,
            "bad-key",
            "the key holds a line break or another character that can't be sent",
            f"set {knobs.API_KEY} to the key alone, on one line",
            knob=knobs.API_KEY,
        )
    return key, layer


def _read_key_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(_LARGEST_KEY_FILE)
    except OSError as error:
        raise _bad_key_file(path, f"can't be read ({error.strerror})") from None
    try:
        key = raw.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise _bad_key_file(path, "is not text") from None
    if not key:
        raise _bad_key_file(path, "is empty")
    return key


def _bad_key_file(path: Path, problem: str) -> BootRefused:
    return BootRefused(
        STEP,
        "key-file",
        f"{knobs.API_KEY_FILE}={path} {problem}",
        "name a readable file that holds the key and nothing else",
        knob=knobs.API_KEY_FILE,
    )


def _ignored(mode: str, layers: _Layers, driver: str | None) -> tuple[str, ...]:
    """Settings of an engine that this mode does not use. Memory would go elsewhere than its operator believes."""
    if mode == "remote":
        return ()
    names = [knob for knob in (knobs.DRIVER, knobs.URL, knobs.API_KEY, knobs.API_KEY_FILE) if layers.get(knob)]
    if driver == mode:
        names = [name for name in names if name != knobs.DRIVER]
    if not names:
        return ()
    return (f"{', '.join(names)} set and not used in mode {mode}; set {knobs.MODE}=remote to use that engine",)


def _refuse_incomplete(settings: Settings, layers: _Layers) -> None:
    wanted = {
        knobs.DRIVER: settings.driver,
        knobs.URL: settings.url,
        f"{knobs.API_KEY} (or {knobs.API_KEY_FILE})": settings.api_key,
    }
    missing = [name for name, value in wanted.items() if value is None]
    if missing:
        raise BootRefused(
            STEP,
            "remote-incomplete",
            f"mode remote (from {settings.layer}) misses {', '.join(missing)}; looked in {layers.where()}",
            f"set {'them' if len(missing) > 1 else 'it'}; there is no default driver",
            knob=missing[0].partition(" ")[0],
        )


def _mentions_memory(path: Path) -> bool:
    try:
        return re.search(rb"(?m)^\s*\[\s*memory\s*\]", path.read_bytes()) is not None
    except OSError:
        return False


def _read_file(path: Path) -> Mapping[str, str]:
    """The `[memory]` table, by knob."""
    try:
        text = path.read_bytes().decode("utf-8")
        table = tomllib.loads(text).get("memory", {})
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise BootRefused(
            STEP, "config-unreadable", f"{path} can't be read ({error.strerror})", "mend its mode, or remove it"
        ) from None
    except UnicodeDecodeError:
        raise BootRefused(STEP, "config-syntax", f"{path} is not UTF-8", "save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise BootRefused(STEP, "config-syntax", f"{path} is not TOML: {_reason(error)}", "mend that line") from None
    if not isinstance(table, dict):
        raise _wrong_type(path, text, "memory", "a table")
    return _checked_table(path, text, table)


def _reason(error: tomllib.TOMLDecodeError) -> str:
    """What the parser said, without what it quotes: the line may hold a key."""
    where = re.search(r"\(at (line \d+, column \d+|end of document)\)", str(error))
    return f"at {where.group(1)}" if where else "it does not parse"


def _checked_table(path: Path, text: str, table: Mapping[str, Any]) -> Mapping[str, str]:
    by_key = {knob.key: knob for knob in knobs.KNOBS if knob.key}
    found: dict[str, str] = {}
    for key, value in table.items():
        if key not in by_key:
            raise BootRefused(
                STEP,
                "config-unknown-key",
                f"{path}{_line(text, key)}: [memory] has no key {key!r}{_meant(key, list(by_key))}",
                f"use {', '.join(by_key)}",
            )
        if not isinstance(value, str):
            raise _wrong_type(path, text, key, "text in quotes")
        if value.strip():
            found[by_key[key].name] = value.strip()
    return found


def _wrong_type(path: Path, text: str, key: str, wanted: str) -> BootRefused:
    return BootRefused(
        STEP, "config-wrong-type", f"{path}{_line(text, key)}: {key!r} is not {wanted}", f"make it {wanted}"
    )


def _line(text: str, key: str) -> str:
    """Where a key of `[memory]` stands; the parser does not say."""
    inside = False
    pattern = re.compile(rf"""\s*(memory\s*\.\s*)?["']?{re.escape(key)}["']?\s*[=.]""")
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[\s*([^\]]*?)\s*\]", line)
        if header:
            inside = header.group(1) == "memory"
        match = pattern.match(line)
        if match and (inside or match.group(1) or key == "memory"):
            return f" line {number}"
    return ""
