"""Every variable that the host reads. The tables in README and docs and `.env.example` are generated from this."""

from typing import Final

from attrs import frozen


@frozen
class Knob:
    """One variable. `key` is its name in the `[memory]` table of config.toml, None where it is not allowed there."""

    name: str
    summary: str
    default: str = ""
    values: str = ""
    key: str | None = None
    secret: bool = False


MODE: Final = "OPENCOMPANY_MEMORY"
DRIVER: Final = "OPENCOMPANY_MEMORY_DRIVER"
URL: Final = "OPENCOMPANY_MEMORY_URL"
API_KEY: Final = "OPENCOMPANY_MEMORY_API_KEY"
API_KEY_FILE: Final = "OPENCOMPANY_MEMORY_API_KEY_FILE"
ACTOR: Final = "OPENCOMPANY_MEMORY_ACTOR"
TRUST: Final = "OPENCOMPANY_MEMORY_TRUST"
PROBE: Final = "OPENCOMPANY_MEMORY_PROBE"
ALLOW_EPHEMERAL: Final = "OPENCOMPANY_MEMORY_ALLOW_EPHEMERAL"
STORAGE: Final = "OPENCOMPANY_STORAGE"
DATA_DIR: Final = "OPENCOMPANY_DATA_DIR"

MODES: Final = ("store", "remote", "null")
PROBES: Final = ("read", "canary", "off")
ACTOR_TYPES: Final = ("user", "agent", "service", "system")

KNOBS: Final = (
    Knob(MODE, "where memory is kept", "store", "store, remote, null", key="backend"),
    Knob(DRIVER, "which engine, in mode remote", values="a driver id, see `opencompany memory drivers`", key="driver"),
    Knob(URL, "the engine's base address, in mode remote", values="an http or https URL", key="url", secret=True),
    Knob(API_KEY, "the engine's credential, in mode remote", key="api_key", secret=True),
    Knob(API_KEY_FILE, "a file that holds the credential, for mounted secrets", values="a path"),
    Knob(ACTOR, "on whose behalf the engine is called, where it wants to know", values="type:id", key="actor"),
    Knob(TRUST, "ids of third-party drivers that may be bound", values="ids separated by commas"),
    Knob(PROBE, "how a bound engine is tried at boot", "read", "read, canary, off"),
    Knob(ALLOW_EPHEMERAL, "accepted for older deployments, does nothing"),
    Knob(STORAGE, "the base store: home of host state, and of memory in mode store", "sqlite", "sqlite"),
    Knob(DATA_DIR, "where the host keeps its files", "~/.opencompany", "a path"),
)
