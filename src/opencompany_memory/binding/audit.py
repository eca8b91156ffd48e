"""Step 4: audit. What the driver claims is held against what its objects are."""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Final, TypeVar

from attrs import frozen

from opencompany_memory.binding.foreign import Raised, run_within
from opencompany_memory.binding.refusal import BootRefused
from opencompany_memory.contract import FAMILIES, MANDATORY, MemoryProvider
from opencompany_memory.contract.derive import derive

STEP: Final = "audit"
_CLASS_CLAIMS: Final = ("class", "class_", "driver_class", "memory_class")
_MOST_CLAIMS: Final = 1000

Result = TypeVar("Result")


@frozen
class Findings:
    """What the audit found.

    Attributes:
        claimed: known families that the driver advertises, in stable order.
        derived: families that it has, in stable order.
        negotiated: families that are routed, with the object of each.
        unadvertised: families that it has and does not advertise; they stay unrouted.
        unknown: advertised names that are no family.
        faults: families that are there but don't count, with the reason.
        class_claims: attributes by which the provider speaks of its own class; ignored.
    """

    claimed: tuple[str, ...]
    derived: tuple[str, ...]
    negotiated: Mapping[str, object]
    unadvertised: tuple[str, ...]
    unknown: tuple[str, ...]
    faults: Mapping[str, str]
    class_claims: tuple[str, ...]


class AuditFailed(BootRefused):
    """A refusal with what was claimed and what was derived."""

    def __init__(self, code: str, problem: str, remedy: str, claimed: Iterable[str], derived: Iterable[str]) -> None:
        super().__init__(STEP, code, problem, remedy)
        self.claimed = tuple(claimed)
        self.derived = tuple(derived)


async def audit(provider: MemoryProvider, distribution: str, *, seconds: float) -> Findings:
    """Compare claims with facts. Claims and accessors are the driver's code: each look has `seconds`.

    Raises:
        AuditFailed: a claim without a fact, a mandatory family that is missing, or a look that failed.
    """
    claims = await _look(lambda: _claims(provider), "capabilities()", distribution, seconds)
    if claims is None:
        raise _speechless(distribution, "capabilities() gave no names of families")
    derivation = await _look(lambda: derive(provider), "an accessor of a family", distribution, seconds)
    class_claims = await _look(lambda: _class_claims(provider), "looking at its class", distribution, seconds)
    derived = tuple(family for family in FAMILIES if family in derivation.families)
    claimed = tuple(family for family in FAMILIES if family in claims)
    upgrade = f"install a version of {distribution} that is honest, or another driver; no setting lifts this"
    missing = [family for family in MANDATORY if family not in derived]
    if missing:
        problem = f"{distribution} lacks {_listed(missing, derivation.faults)}, without which nothing binds"
        raise AuditFailed("mandatory-missing", problem, upgrade, claimed, derived)
    over = [family for family in claimed if family not in derived]
    if over:
        problem = f"{distribution} advertises {_listed(over, derivation.faults)}, and does not have it"
        raise AuditFailed("over-claim", problem, upgrade, claimed, derived)
    routed = [family for family in derived if family in claimed or family in MANDATORY]
    return Findings(
        claimed=claimed,
        derived=derived,
        negotiated={family: derivation.families[family] for family in routed},
        unadvertised=tuple(family for family in derived if family not in claimed),
        unknown=tuple(sorted(claims - set(FAMILIES))),
        faults=derivation.faults,
        class_claims=class_claims,
    )


async def _look(work: Callable[[], Result], what: str, distribution: str, seconds: float) -> Result:
    try:
        return await run_within(seconds, work)
    except TimeoutError:
        raise _speechless(distribution, f"{what} did not end within {seconds:g} s") from None
    except Raised as raised:
        raise _speechless(distribution, f"{what} raised {raised.kind.__name__}") from None


def _speechless(distribution: str, problem: str) -> AuditFailed:
    return AuditFailed(
        "capabilities-failed",
        f"{distribution} can't say what it can do: {problem}",
        f"install another version of {distribution}",
        (),
        (),
    )


def _claims(provider: MemoryProvider) -> set[str] | None:
    """The advertised names as plain strings; None where there are no names, or no end of them."""
    raw = provider.capabilities()
    if isinstance(raw, str | bytes):
        return None
    names = list(islice(raw, _MOST_CLAIMS + 1))
    if len(names) > _MOST_CLAIMS or not all(issubclass(type(name), str) for name in names):
        return None
    return {str.__str__(name) for name in names}


def _listed(families: Iterable[str], faults: Mapping[str, str]) -> str:
    return ", ".join(f"{family} ({faults[family]})" if family in faults else family for family in families)


def _class_claims(provider: MemoryProvider) -> tuple[str, ...]:
    try:
        own = object.__getattribute__(provider, "__dict__")  # past what a driver makes of attribute access
    except AttributeError:
        own = {}
    return tuple(
        name
        for name in _CLASS_CLAIMS
        if name in own or any(name in vars(ancestor) for ancestor in type.mro(type(provider)))
    )
