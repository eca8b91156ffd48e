"""The table of refusals is complete, and a refusal reads as promised."""

import re
from pathlib import Path

import opencompany_memory.binding
from opencompany_memory.binding.refusal import REFUSALS, STEPS, BootRefused

_SOURCE = Path(opencompany_memory.binding.__path__[0])


def test_a_refusal_reads_step_code_problem_remedy() -> None:
    refusal = BootRefused("admit", "unknown-driver", "what is wrong", "what to set", knob="OPENCOMPANY_MEMORY_DRIVER")
    assert str(refusal) == "refused (admit/unknown-driver): what is wrong; what to set"
    assert refusal.knob == "OPENCOMPANY_MEMORY_DRIVER"


def test_every_code_that_the_source_raises_is_in_the_table() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in _SOURCE.glob("*.py") if path.name != "refusal.py")
    strings = set(re.findall(r'"([a-z0-9]+(?:-[a-z0-9]+)+)"', source))
    assert set(REFUSALS) <= strings, "a code in the table is raised nowhere"
    raised = re.findall(
        r'(?:BootRefused\(\s*STEP,|LoadFailed\(|AuditFailed\(|_broken\(\s*admitted,)\s*"([a-z0-9-]+)"', source
    )
    assert set(raised) <= set(REFUSALS)
    assert len(raised) > 30


def test_every_kind_of_refusal_has_a_step_a_reason_and_an_example() -> None:
    for code, kind in REFUSALS.items():
        assert kind.step in STEPS, code
        assert kind.when.endswith("."), code
        assert kind.example, code
