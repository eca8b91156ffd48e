"""Settings: what is forgiven, what is refused, and what is said."""

import itertools
import os
from pathlib import Path

import pytest

from opencompany_memory.binding import knobs
from opencompany_memory.binding.refusal import BootRefused
from opencompany_memory.binding.settings import read_settings

REMOTE = {
    "OPENCOMPANY_MEMORY": "remote",
    "OPENCOMPANY_MEMORY_DRIVER": "mem0",
    "OPENCOMPANY_MEMORY_URL": "https://engine.example",
    "OPENCOMPANY_MEMORY_API_KEY": "sk-canary-0123456789",
}


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


def _refused(environ: dict[str, str], data_dir: Path) -> BootRefused:
    with pytest.raises(BootRefused) as caught:
        read_settings({"OPENCOMPANY_DATA_DIR": str(data_dir), **environ})
    assert caught.value.step == "settings"
    assert not data_dir.exists() or list(data_dir.iterdir()) in ([], [data_dir / "config.toml"])
    return caught.value


def _config(data_dir: Path, text: str) -> Path:
    data_dir.mkdir(exist_ok=True)
    path = data_dir / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_with_nothing_set_the_built_in_store_is_used(tmp_path: Path) -> None:
    settings = read_settings({"HOME": str(tmp_path)})
    assert (settings.mode, settings.layer, settings.probe, settings.storage) == ("store", "default", "read", "sqlite")
    assert settings.data_dir == Path("~/.opencompany").expanduser()
    assert settings.warnings == ()


@pytest.mark.parametrize("raw", [" Store ", "STORE", "store\n", "\tstore"])
def test_case_and_blanks_around_a_value_are_forgiven(raw: str, data_dir: Path) -> None:
    settings = read_settings({"OPENCOMPANY_MEMORY": raw, "OPENCOMPANY_DATA_DIR": f" {data_dir} "})
    assert (settings.mode, settings.layer, settings.data_dir) == ("store", "env", data_dir)


def test_every_value_of_a_remote_engine_is_trimmed(data_dir: Path) -> None:
    environ = {name: f"  {value}\n" for name, value in REMOTE.items()}
    environ |= {"OPENCOMPANY_MEMORY_DRIVER": " Mem0 ", "OPENCOMPANY_MEMORY_PROBE": " Canary "}
    settings = read_settings(
        {**environ, "OPENCOMPANY_DATA_DIR": str(data_dir), "OPENCOMPANY_MEMORY_ACTOR": " User:a.B "}
    )
    assert (settings.driver, settings.url, settings.api_key) == (
        "mem0",
        "https://engine.example",
        "sk-canary-0123456789",
    )
    assert (settings.probe, settings.actor) == ("canary", "user:a.B")


@pytest.mark.parametrize(
    ("knob", "blank"), [*itertools.product([knob.name for knob in knobs.KNOBS], ["", "  ", "\n\t"])]
)
def test_blank_is_missing_for_every_knob(knob: str, blank: str, tmp_path: Path) -> None:
    base = {"HOME": str(tmp_path)}
    assert read_settings({**base, knob: blank}) == read_settings(base)


@pytest.mark.parametrize("mode", ["embedded", "tinycortex", "cortex", " Cortex "])
def test_a_retired_mode_is_refused_by_name_with_what_replaces_it(mode: str, data_dir: Path) -> None:
    refusal = _refused({"OPENCOMPANY_MEMORY": mode}, data_dir)
    assert (refusal.code, refusal.knob) == ("retired-mode", "OPENCOMPANY_MEMORY")
    assert f"OPENCOMPANY_MEMORY={mode.strip()}" in str(refusal)
    assert (
        "OPENCOMPANY_MEMORY_DRIVER=cortex" if "ortex" in mode and "tiny" not in mode else "=store"
    ) in refusal.remedy


def test_an_unknown_mode_is_refused_and_the_three_are_listed(data_dir: Path) -> None:
    refusal = _refused({"OPENCOMPANY_MEMORY": "redis"}, data_dir)
    assert refusal.code == "unknown-mode"
    assert "OPENCOMPANY_MEMORY=redis" in refusal.problem
    assert all(mode in refusal.remedy for mode in ("store", "remote", "null"))


_NEEDED = ("OPENCOMPANY_MEMORY_DRIVER", "OPENCOMPANY_MEMORY_URL", "OPENCOMPANY_MEMORY_API_KEY")


@pytest.mark.parametrize("blank", [None, "", "  "])
@pytest.mark.parametrize("missing", [m for n in (1, 2, 3) for m in itertools.combinations(_NEEDED, n)])
def test_remote_names_everything_that_is_missing_at_once(
    missing: tuple[str, ...], blank: str | None, data_dir: Path
) -> None:
    environ = {name: value for name, value in REMOTE.items() if name not in missing}
    if blank is not None:
        environ |= dict.fromkeys(missing, blank)
    refusal = _refused(environ, data_dir)
    assert refusal.code == "remote-incomplete"
    assert refusal.knob == missing[0]
    for name in _NEEDED:
        assert (f"{name}" in refusal.problem.split(";")[0]) == (name in missing)


def test_a_refusal_for_missing_settings_says_which_layers_were_read(data_dir: Path) -> None:
    assert "is not read, since OPENCOMPANY_MEMORY is set" in str(_refused({"OPENCOMPANY_MEMORY": "remote"}, data_dir))
    path = _config(data_dir, '[memory]\nbackend = "remote"\n')
    refusal = _refused({}, data_dir)
    assert f"{path} (which was read)" in str(refusal)
    assert "from config.toml" in str(refusal)


@pytest.mark.parametrize(
    "actor", ["alice", "human:alice", "user:", ":alice", "user:a b", "user:a:b", "user:" + "x" * 129, "user:é"]
)
def test_an_actor_that_is_not_type_and_id_is_refused(actor: str, data_dir: Path) -> None:
    refusal = _refused({"OPENCOMPANY_MEMORY_ACTOR": actor}, data_dir)
    assert (refusal.code, refusal.knob) == ("bad-actor", "OPENCOMPANY_MEMORY_ACTOR")
    assert f"OPENCOMPANY_MEMORY_ACTOR={actor}" in refusal.problem
    assert all(kind in refusal.remedy for kind in ("type:id", "user", "agent", "service", "system"))


def test_a_key_file_gives_the_key(data_dir: Path, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("  sk-from-file\n")
    environ = {**REMOTE, "OPENCOMPANY_MEMORY_API_KEY": "", "OPENCOMPANY_MEMORY_API_KEY_FILE": str(file)}
    assert read_settings({**environ, "OPENCOMPANY_DATA_DIR": str(data_dir)}).api_key == "sk-from-file"


def _missing(path: Path) -> None:
    pass


def _empty(path: Path) -> None:
    path.write_text(" \n")


def _folder(path: Path) -> None:
    path.mkdir()


def _binary(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00")


@pytest.mark.parametrize("make", [_missing, _empty, _folder, _binary])
@pytest.mark.parametrize("base", [REMOTE, {}])
def test_a_key_file_that_gives_no_key_is_refused_by_name(
    make, base: dict[str, str], data_dir: Path, tmp_path: Path
) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "key"
    make(file)
    refusal = _refused(
        {**base, "OPENCOMPANY_MEMORY_API_KEY": "", "OPENCOMPANY_MEMORY_API_KEY_FILE": str(file)}, data_dir
    )
    assert (refusal.code, refusal.knob) == ("key-file", "OPENCOMPANY_MEMORY_API_KEY_FILE")
    assert f"OPENCOMPANY_MEMORY_API_KEY_FILE={file}" in refusal.problem


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read any file")
def test_a_key_file_that_may_not_be_read_is_refused(data_dir: Path, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("sk")
    file.chmod(0)
    assert _refused({"OPENCOMPANY_MEMORY_API_KEY_FILE": str(file)}, data_dir).code == "key-file"


def test_key_and_key_file_together_are_refused(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("sk")
    refusal = _refused({**REMOTE, "OPENCOMPANY_MEMORY_API_KEY_FILE": str(tmp_path / "key")}, data_dir)
    assert refusal.code == "two-keys"
    assert "OPENCOMPANY_MEMORY_API_KEY_FILE" in str(refusal)


@pytest.mark.parametrize("key", ["two\nlines", "tab\there", "schlüssel", "nul\0"])
def test_a_key_that_no_header_can_carry_is_refused_without_printing_it(key: str, data_dir: Path) -> None:
    refusal = _refused({**REMOTE, "OPENCOMPANY_MEMORY_API_KEY": key}, data_dir)
    assert refusal.code == "bad-key"
    assert key not in str(refusal)


@pytest.mark.parametrize(
    ("storage", "code"),
    [
        ("mongodb", "storage-unavailable"),
        ("FS", "storage-unavailable"),
        ("postgres", "storage-unavailable"),
        ("x", "unknown-storage"),
    ],
)
def test_a_base_store_that_is_not_built_is_refused_and_never_sqlite(storage: str, code: str, data_dir: Path) -> None:
    refusal = _refused({"OPENCOMPANY_STORAGE": storage}, data_dir)
    assert (refusal.code, refusal.knob) == (code, "OPENCOMPANY_STORAGE")
    assert f"OPENCOMPANY_STORAGE={storage}" in refusal.problem


def test_an_unknown_probe_is_refused(data_dir: Path) -> None:
    refusal = _refused({"OPENCOMPANY_MEMORY_PROBE": "sometimes"}, data_dir)
    assert refusal.code == "unknown-probe"
    assert "read, canary or off" in refusal.remedy


def test_an_id_that_can_not_be_one_in_the_trust_list_is_refused(data_dir: Path) -> None:
    assert _refused({"OPENCOMPANY_MEMORY_TRUST": "good, bad id"}, data_dir).code == "bad-trust"
    settings = read_settings({"OPENCOMPANY_MEMORY_TRUST": " Acme ,, other ", "OPENCOMPANY_DATA_DIR": str(data_dir)})
    assert settings.trust == {"acme", "other"}


@pytest.mark.parametrize("below", ["", "deeper/still"])
def test_a_file_in_place_of_the_data_folder_is_refused(below: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("precious")
    with pytest.raises(BootRefused) as caught:
        read_settings({"OPENCOMPANY_DATA_DIR": str(file / below)})
    assert (caught.value.code, caught.value.knob) == ("data-dir", "OPENCOMPANY_DATA_DIR")
    assert str(file) in str(caught.value)
    assert file.read_text() == "precious"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_data_folder_that_can_not_be_written_is_refused(data_dir: Path) -> None:
    data_dir.mkdir(mode=0o500)
    with pytest.raises(BootRefused) as caught:
        read_settings({"OPENCOMPANY_DATA_DIR": str(data_dir)})
    assert caught.value.code == "data-dir"


# -- config.toml


def test_the_file_is_below_the_environment(data_dir: Path) -> None:
    _config(
        data_dir,
        '[memory]\nbackend = " Remote "\ndriver = "mem0"\nurl = "https://a.example"\napi_key = "sk-1"\nactor = "user:a"\n'
        "[other]\nbackend = 3\n",
    )
    base = {"OPENCOMPANY_DATA_DIR": str(data_dir)}
    settings = read_settings(base)
    assert (settings.mode, settings.layer, settings.driver, settings.url) == (
        "remote",
        "config.toml",
        "mem0",
        "https://a.example",
    )
    assert (settings.api_key, settings.actor) == ("sk-1", "user:a")
    assert read_settings({**base, "OPENCOMPANY_MEMORY_DRIVER": "cognee"}).driver == "cognee"


def test_the_mode_in_the_environment_makes_the_file_inert(data_dir: Path) -> None:
    _config(data_dir, '[memory]\nbackend = "remote"\nnonsense =')
    settings = read_settings({"OPENCOMPANY_DATA_DIR": str(data_dir), "OPENCOMPANY_MEMORY": "store"})
    assert (settings.mode, settings.layer) == ("store", "env")
    assert any("is not read for memory" in warning for warning in settings.warnings)


def test_blank_values_of_the_file_are_missing(data_dir: Path) -> None:
    _config(data_dir, '[memory]\nbackend = "  "\ndriver = ""\n')
    assert read_settings({"OPENCOMPANY_DATA_DIR": str(data_dir)}).layer == "default"


def test_a_key_is_never_sent_to_an_address_of_another_layer(data_dir: Path) -> None:
    _config(data_dir, '[memory]\nbackend = "remote"\ndriver = "mem0"\nurl = "https://a.example"\napi_key = "sk-file"\n')
    refusal = _refused({"OPENCOMPANY_MEMORY_URL": "https://b.example"}, data_dir)
    assert refusal.code == "split-credential"
    assert "sk-file" not in str(refusal)
    assert "b.example" not in str(refusal)


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ('# —\n[memory]\nbackend = "store\n', "config-syntax", "line 3"),
        ("[memory\n", "config-syntax", "line 1"),
        (
            '[memory]\nbackend = "store"\nulr = "x"\n',
            "config-unknown-key",
            " line 3: [memory] has no key 'ulr'; did you mean url?",
        ),
        ("[memory]\n\ndriver = 3\n", "config-wrong-type", " line 3: 'driver'"),
        ('[memory]\nurl = ["a"]\n', "config-wrong-type", " line 2: 'url'"),
        ("memory = 1\n", "config-wrong-type", " line 1: 'memory'"),
        ('[other]\nurl = "x"\n[memory]\nbackend = true\n', "config-wrong-type", " line 4: 'backend'"),
    ],
)
def test_a_broken_file_is_refused_with_file_line_and_key(text: str, code: str, said: str, data_dir: Path) -> None:
    path = _config(data_dir, text)
    refusal = _refused({}, data_dir)
    assert refusal.code == code
    assert str(path) in str(refusal)
    assert said in str(refusal)


def test_a_parse_error_does_not_quote_the_line_that_may_hold_a_key(data_dir: Path) -> None:
    _config(data_dir, '[memory]\napi_key = "sk-canary" sk-canary\n')
    assert "sk-canary" not in str(_refused({}, data_dir))


def test_a_file_that_is_not_utf8_or_a_folder_is_refused(data_dir: Path) -> None:
    _config(data_dir, "").write_bytes(b"\xff\xfe")
    assert _refused({}, data_dir).code == "config-syntax"
    (data_dir / "config.toml").unlink()
    (data_dir / "config.toml").mkdir()
    assert _refused({}, data_dir).code == "config-unreadable"


# -- warnings


def test_an_unknown_variable_is_a_warning_with_the_nearest_known_name(data_dir: Path) -> None:
    settings = read_settings({"OPENCOMPANY_DATA_DIR": str(data_dir), "OPENCOMPANY_MEMORY_DRVIER": "mem0"})
    assert settings.warnings == ("OPENCOMPANY_MEMORY_DRVIER is no setting; did you mean OPENCOMPANY_MEMORY_DRIVER?",)


def test_settings_of_an_engine_that_the_mode_does_not_use_are_a_warning(data_dir: Path) -> None:
    environ = {**REMOTE, "OPENCOMPANY_MEMORY": "store", "OPENCOMPANY_DATA_DIR": str(data_dir)}
    (warning,) = read_settings(environ).warnings
    assert "set OPENCOMPANY_MEMORY=remote to use that engine" in warning
    assert "engine.example" not in warning
    environ = {
        "OPENCOMPANY_MEMORY": "store",
        "OPENCOMPANY_MEMORY_DRIVER": "store",
        "OPENCOMPANY_DATA_DIR": str(data_dir),
    }
    assert read_settings(environ).warnings == ()


def test_allow_ephemeral_is_accepted_and_does_nothing(tmp_path: Path) -> None:
    base = {"HOME": str(tmp_path)}
    assert read_settings({**base, "OPENCOMPANY_MEMORY_ALLOW_EPHEMERAL": "1"}) == read_settings(base)


def test_no_secret_is_in_a_repr(data_dir: Path) -> None:
    shown = repr(read_settings({**REMOTE, "OPENCOMPANY_DATA_DIR": str(data_dir)}))
    assert "sk-canary" not in shown
    assert "engine.example" not in shown
