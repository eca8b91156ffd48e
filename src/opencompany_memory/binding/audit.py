"""Step 4: audit. What the driver claims is held against what its objects are."""

from collections.abc import Iterable, Mapping
from typing import Final

from attrs import frozen

from opencompany_memory.binding.refusal import BootRefused
from opencompany_memory.contract import FAMILIES, MANDATORY, MemoryProvider
from opencompany_memory.contract.derive import derive

STEP: Final = "audit"
_CLASS_CLAIMS: Final = ("class", "class_", "driver_class", "memory_class")


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


def audit(provider: MemoryProvider, distribution: str) -> Findings:
    """Compare claims with facts.

    Raises:
        AuditFailed: a claim without a fact, or a mandatory family that is missing.
    """
    claims = _claims(provider, distribution)
    derivation = derive(provider)
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
        class_claims=_class_claims(provider),
    )


def _claims(provider: MemoryProvider, distribution: str) -> set[str]:
    try:
        raw = provider.capabilities()
        claims = set(raw) if not isinstance(raw, str | bytes) else None
    except Exception as error:  # noqa: BLE001 - whatever a driver raises here, it can't say what it can do
        problem = f"{distribution} can't say what it can do: capabilities() raised {type(error).__name__}"
        raise AuditFailed(
            "capabilities-failed", problem, f"install another version of {distribution}", (), ()
        ) from None
    if claims is None or not all(type(name) is str for name in claims):
        problem = f"{distribution} can't say what it can do: capabilities() gave no names of families"
        raise AuditFailed("capabilities-failed", problem, f"install another version of {distribution}", (), ())
    return claims


def _listed(families: Iterable[str], faults: Mapping[str, str]) -> str:
    return ", ".join(f"{family} ({faults[family]})" if family in faults else family for family in families)


def _class_claims(provider: MemoryProvider) -> tuple[str, ...]:
    own = getattr(provider, "__dict__", {})
    return tuple(
        name
        for name in _CLASS_CLAIMS
        if name in own or any(name in vars(ancestor) for ancestor in type.mro(type(provider)))
    )
