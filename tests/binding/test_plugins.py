"""Real plugins, each misbehaving in one way, in a real environment: each gets its own outcome."""

import json
from typing import Any

import pytest

from tests.support.plugins import KEY, PLUGINS, URL, Environment

_APART = ("evil-mem0", "twin-a", "twin-b")
_SHADOWED = ["toy-engine", *_APART]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    names = sorted(path.name for path in PLUGINS.iterdir() if path.name not in _APART)
    return Environment(tmp_path_factory.mktemp("plugins"), names)


@pytest.fixture(scope="module")
def shadowed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return Environment(tmp_path_factory.mktemp("shadowed"), _SHADOWED)


@pytest.fixture(scope="module")
def outcomes(environment: Environment) -> dict[str, Any]:
    drivers = sorted(
        path.name for path in PLUGINS.iterdir() if path.name not in (*_APART, "toy-engine", "import-writes")
    )
    return environment.boot("toy", *drivers)


REFUSED = {
    "over-claims": ("audit", "over-claim", "graph, episodic"),
    "half-documents": ("audit", "over-claim", "documents"),
    "registers-abc": ("audit", "over-claim", "graph (a NotReally does not inherit Graph)"),
    "answers-anything": ("audit", "over-claim", "tree"),
    "mock-family": ("audit", "over-claim", "goals (a Mock does not inherit Goals)"),
    "no-recall": ("audit", "mandatory-missing", "recall"),
    "capabilities-raise": ("audit", "capabilities-failed", "RuntimeError"),
    "capabilities-text": ("audit", "capabilities-failed", "no names"),
    "capabilities-exit": ("audit", "capabilities-failed", "capabilities() raised SystemExit"),
    "capabilities-hang": ("audit", "capabilities-failed", "capabilities() did not end within 1 s"),
    "capabilities-never-end": ("audit", "capabilities-failed", "no names"),
    "accessor-exits": ("audit", "over-claim", "people (its accessor raised SystemExit)"),
    "close-exits": ("audit", "over-claim", "graph"),
    "two-contracts": ("load", "contract-mismatch", "contract 2.0, and this host speaks 1.0"),
    "contract-left-out": ("load", "contract-unstated", "this host speaks 1.0"),
    "factory-tells": ("load", "factory-failed", "<redacted> was refused by <redacted>"),
    "factory-raises-badly": ("load", "factory-failed", "raised Unreadable"),
    "factory-rants": ("load", "factory-failed", "RuntimeError"),
    "hook-gives-nothing": ("load", "bad-spec", "NoneType"),
    "contract-2-0": ("load", "contract-mismatch", "contract 2.0, and this host speaks 1.0; upgrade opencompany-memory"),
    "contract-0-9": ("load", "contract-mismatch", "contract 0.9, and this host speaks 1.0; upgrade bad-contract-0-9"),
    "contract-none": ("load", "contract-unstated", "does not state"),
    "factory-raises": ("load", "factory-failed", "RuntimeError"),
    "factory-exits": ("load", "factory-failed", "SystemExit"),
    "factory-hangs": ("load", "factory-timed-out", "within 1 s"),
    "import-raises": ("load", "import-failed", "RuntimeError"),
    "import-missing": ("load", "import-failed", "ModuleNotFoundError"),
    "import-old-contract": ("load", "import-failed", "the installed contract is 1.0"),
    "import-exits": ("load", "import-failed", "SystemExit"),
    "import-hangs": ("load", "import-timed-out", "within 1 s"),
    "no-hook": ("load", "no-hook", "memory_driver"),
    "hook-raises": ("load", "bad-spec", "RuntimeError"),
    "bad-spec": ("load", "bad-spec", "dict"),
    "wrong-id": ("load", "wrong-id", "'another'"),
    "opens-nothing": ("load", "not-a-provider", "object"),
    "opens-mock": ("load", "not-a-provider", "Mock"),
    "opens-liar": ("load", "not-a-provider", "Liar"),
    "opens-coroutine": ("load", "not-a-provider", "coroutine"),
    "malformed": ("load", "entry-point", "bad_malformed.memory_driver"),
    "no-module": ("load", "entry-point", "a_package_that_is_not_there"),
}


@pytest.mark.parametrize("driver", REFUSED)
def test_a_plugin_that_misbehaves_is_refused_for_what_it_does(driver: str, outcomes: dict[str, Any]) -> None:
    step, code, said = REFUSED[driver]
    outcome = outcomes[driver]
    assert (outcome.get("step"), outcome.get("code")) == (step, code), outcome
    assert said in outcome["text"]


def test_every_plugin_of_the_tests_has_an_outcome(outcomes: dict[str, Any]) -> None:
    bound = {name for name, outcome in outcomes.items() if "bound" in outcome}
    assert bound == {
        "toy",
        "contract-1-9",
        "class-claim",
        "unknown-names",
        "modest",
        "keeps-nothing",
        "leaky",
        "slow-engine",
        "nonsense-answers",
        "cancels",
        "chatty",
        "capabilities-enum",
        "capabilities-tell",
        "dict-lies",
        "probe-exits",
        "probe-clings",
        "health-tells",
        "mixed-case",
    }


def test_a_good_third_party_binds_as_external(outcomes: dict[str, Any]) -> None:
    toy = outcomes["toy"]
    assert (toy["bound"], toy["class"], toy["health"], toy["unreachable"]) == ("toy", "external", "ready", [])
    assert toy["families"] == ["core", "recall", "portability"]
    assert [step for step, outcome, _, _ in toy["events"] if outcome == "ok"] == [
        "settings",
        "admit",
        "load",
        "audit",
        "probe",
        "bind",
    ]


def test_another_minor_contract_binds(outcomes: dict[str, Any]) -> None:
    assert outcomes["contract-1-9"]["contract"] == "1.9"


def test_what_a_driver_says_of_its_class_is_noted_and_ignored(outcomes: dict[str, Any]) -> None:
    outcome = outcomes["class-claim"]
    assert outcome["class"] == "external"
    assert ["audit", "note", "class-claim"] in [event[:3] for event in outcome["events"]]


def test_unknown_families_are_noted(outcomes: dict[str, Any]) -> None:
    (note,) = [event for event in outcomes["unknown-names"]["events"] if event[2] == "unknown-family"]
    assert "GRAPH, telepathy" in note[3]


def test_an_unadvertised_family_is_warned_about_and_stays_unrouted(outcomes: dict[str, Any]) -> None:
    outcome = outcomes["modest"]
    assert outcome["unadvertised"] == ["portability", "episodic"]
    assert outcome["families"] == ["core", "recall", "portability"]
    assert any("episodic" in warning for warning in outcome["warnings"])


@pytest.mark.parametrize(
    ("driver", "unreachable"),
    [
        ("slow-engine", ["core", "recall"]),
        ("leaky", ["core", "recall"]),
        ("nonsense-answers", ["core", "recall"]),
        ("cancels", ["core"]),
        ("probe-exits", ["core"]),
        ("probe-clings", ["core"]),
    ],
)
def test_an_engine_that_does_not_answer_is_bound_with_a_warning(
    driver: str, unreachable: list[str], outcomes: dict[str, Any]
) -> None:
    outcome = outcomes[driver]
    assert outcome["unreachable"] == unreachable
    assert ["probe", "warning", "unreachable"] in [event[:3] for event in outcome["events"]]
    assert outcome["warnings"]


def test_an_engine_that_keeps_nothing_is_refused_by_the_canary_only(
    outcomes: dict[str, Any], environment: Environment
) -> None:
    assert outcomes["keeps-nothing"]["bound"] == "keeps-nothing"
    canary = environment.boot("keeps-nothing", "toy", OPENCOMPANY_MEMORY_PROBE="canary")
    assert (canary["keeps-nothing"]["step"], canary["keeps-nothing"]["code"]) == ("probe", "keeps-nothing")
    assert canary["toy"]["bound"] == "toy"


def test_a_probe_that_is_off_asks_nothing(environment: Environment) -> None:
    outcome = environment.boot("slow-engine", OPENCOMPANY_MEMORY_PROBE="off")["slow-engine"]
    assert outcome["unreachable"] == []
    assert ["probe", "ok", None, "skipped"] in outcome["events"]


def test_no_secret_is_anywhere_in_what_a_boot_leaves(outcomes: dict[str, Any], environment: Environment) -> None:
    log = environment.audit_log()
    for secret in (KEY, "sk-canary", URL, "tenant-canary"):
        assert secret not in log
        assert secret not in outcomes["stderr"]
        assert secret not in str(outcomes)
    assert "<redacted>" in log
    assert "could not log in to <redacted> with <redacted>" in log


@pytest.mark.parametrize(
    ("driver", "arguments", "said"),
    [
        ("leaky", ("put", "l", "t", "-c", "c"), "failed: ValueError"),
        ("leaky", ("recall", "q", "-c", "c"), "failed (unauthorized): <redacted> was refused by <redacted>"),
        ("health-tells", ("status", "--json"), "<redacted> was refused by <redacted>"),
        ("health-tells", ("doctor",), "<redacted> was refused by <redacted>"),
        ("capabilities-tell", ("doctor", "--json"), "core, recall"),
        ("factory-tells", ("status",), "<redacted> was refused by <redacted>"),
        ("factory-raises", ("audit", "--json"), ""),
    ],
)
def test_no_secret_is_in_what_a_command_says(
    driver: str, arguments: tuple[str, ...], said: str, environment: Environment, outcomes: dict[str, Any]
) -> None:
    done = environment.command("memory", *arguments, OPENCOMPANY_MEMORY_DRIVER=driver)
    printed = done.stdout + done.stderr
    assert said in printed
    for secret in ("sk-canary", "tenant-canary", "127.0.0.1"):
        assert secret not in printed


def test_a_plugin_that_rants_makes_no_long_line(outcomes: dict[str, Any], environment: Environment) -> None:
    lines = environment.audit_log().splitlines()
    assert any("characters left out" in line for line in lines)
    assert max(map(len, lines)) < 50_000


def test_an_id_is_compared_as_settings_are(outcomes: dict[str, Any]) -> None:
    assert outcomes["mixed-case"]["bound"] == "mixed-case"


def test_names_of_families_may_be_members_of_an_enumeration(outcomes: dict[str, Any]) -> None:
    assert outcomes["capabilities-enum"]["unadvertised"] == []


def test_a_traceback_of_a_plugin_is_in_the_audit_log(outcomes: dict[str, Any], environment: Environment) -> None:
    assert "bad_import_missing.py" in environment.audit_log()
    assert environment.command("memory", "audit", "verify").returncode == 0


def test_a_broken_plugin_that_is_not_selected_is_never_imported(environment: Environment) -> None:
    trace = environment.folder / "trace"
    store = {"OPENCOMPANY_MEMORY": "store"}
    for arguments in (
        ("memory", "status", "--json"),
        ("memory", "drivers", "--json"),
        ("memory", "put", "t", "text", "--company", "c"),
        ("memory", "doctor"),
    ):
        done = environment.command(*arguments, **store)
        assert done.returncode == 0, done.stderr
        assert not trace.exists()
    selected = environment.boot("import-writes")["import-writes"]
    assert (selected["code"], trace.read_text()) == ("import-failed", "imported")
    trace.unlink()


def test_drivers_says_of_each_why_it_can_not_be_picked(outcomes: dict[str, Any], environment: Environment) -> None:
    done = environment.command(
        "memory", "drivers", "--json", OPENCOMPANY_MEMORY_TRUST="toy,malformed,no-module,import-raises"
    )
    rows = {row["id"]: row for row in json.loads(done.stdout)}
    assert (rows["store"]["state"], rows["toy"]["state"], rows["null"]["state"]) == ("ready to pick",) * 3
    assert (rows["mem0"]["state"], rows["mem0"]["reason"]) == ("not installed", "pip install opencompany-memory-mem0")
    assert rows["modest"]["state"] == "untrusted"
    assert (rows["malformed"]["state"], rows["no-module"]["state"]) == ("broken", "broken")
    assert "bad_malformed.memory_driver" in rows["malformed"]["reason"]
    assert rows["import-raises"]["state"] == "broken"
    assert "RuntimeError" in rows["import-raises"]["reason"]


def test_a_reserved_id_registered_by_another_is_refused_and_harms_nothing_else(shadowed: Environment) -> None:
    outcomes = shadowed.boot("mem0", "twin", "toy")
    assert outcomes["mem0"]["code"] == "driver-shadowed"
    assert "evil-mem0" in outcomes["mem0"]["text"]
    assert "opencompany-memory-mem0" in outcomes["mem0"]["text"]
    assert outcomes["twin"]["code"] == "driver-ambiguous"
    assert "twin-a and twin-b" in outcomes["twin"]["text"]
    assert outcomes["toy"]["bound"] == "toy"
    listed = shadowed.command("memory", "drivers").stdout
    assert "shadows a reserved id" in listed
    assert "registers this id too" in listed


def test_what_a_driver_prints_does_not_mix_with_the_answer(environment: Environment) -> None:
    for arguments in (("status", "--json"), ("recall", "q", "-c", "c", "--json"), ("doctor", "--json")):
        done = environment.command("memory", *arguments, OPENCOMPANY_MEMORY_DRIVER="chatty")
        assert done.returncode == 0, done.stderr
        json.loads(done.stdout)
        assert "hello from the import" in done.stderr


def test_a_refusal_of_the_command_exits_78_with_one_sentence_and_listens_on_nothing(environment: Environment) -> None:
    for arguments in (("serve", "--port", "0"), ("memory", "status"), ("memory", "put", "a", "b", "-c", "c")):
        done = environment.command(*arguments, OPENCOMPANY_MEMORY_DRIVER="over-claims")
        assert done.returncode == 78
        assert done.stdout == ""
        assert "refused (audit/over-claim): bad-over-claims advertises graph, episodic" in done.stderr
        assert "Traceback" not in done.stderr
