"""What the host's audit checks, and what else it believes of a provider."""

from opencompany_memory.conformance.bench import Bench
from opencompany_memory.conformance.registry import behaviour
from opencompany_memory.contract import CONTRACT_VERSION, FAMILIES, MANDATORY, Degraded, Down, Ready
from opencompany_memory.contract.derive import derive, is_provider


@behaviour("audit", needs=())
async def every_claimed_family_is_there(bench: Bench) -> None:
    """What capabilities() advertises can be derived from the object."""
    derivation = derive(bench.provider)
    over = [f for f in bench.provider.capabilities() if f in FAMILIES and f not in derivation.families]
    assert not over, f"advertised and not there: {over}; {dict(derivation.faults)}"


@behaviour("audit", needs=())
async def the_mandatory_families_are_there(bench: Bench) -> None:
    """core, recall and portability are implemented, and the provider is a MemoryProvider."""
    assert is_provider(bench.provider), f"a {type(bench.provider).__name__} is no MemoryProvider"
    derivation = derive(bench.provider)
    missing = [family for family in MANDATORY if family not in derivation.families]
    assert not missing, f"missing: {missing}; {dict(derivation.faults)}"


@behaviour("audit", needs=())
async def every_family_is_claimed(bench: Bench) -> None:
    """A family that is there and not advertised would stay unrouted."""
    silent = set(derive(bench.provider).families) - set(bench.provider.capabilities())
    assert not silent, f"there and not advertised: {sorted(silent)}"


@behaviour("audit", needs=())
async def no_unknown_family_is_claimed(bench: Bench) -> None:
    """capabilities() gives names of families only, and the same ones each time."""
    claims = list(bench.provider.capabilities())
    unknown = [name for name in claims if name not in FAMILIES]
    assert not unknown, f"no such families: {unknown}"
    assert claims == list(bench.provider.capabilities()), "capabilities() answers otherwise the second time"


@behaviour("audit", needs=())
async def the_contract_version_is_this_major(bench: Bench) -> None:
    """The provider was built for the contract that it is tried against."""
    stated = bench.provider.contract_version
    assert stated[0] == CONTRACT_VERSION.major, f"built for contract {stated}, tried against {CONTRACT_VERSION}"
    assert bench.provider.driver_id, "driver_id is empty"


@behaviour("audit", needs=())
async def health_is_a_health(bench: Bench) -> None:
    """health() gives Ready, Degraded or Down, and does not raise."""
    health = await bench.provider.health()
    assert isinstance(health, Ready | Degraded | Down), f"health() gave a {type(health).__name__}"
    assert not isinstance(health, Down), f"the engine is down: {health.reason}"
