"""Refusing to boot: one exception, and the table of everything that it can say."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from attrs import frozen

STEPS: Final = ("settings", "admit", "load", "audit", "probe", "bind")


class BootRefused(Exception):
    """The host does not start with these settings. Nothing was bound, and nothing is listened on.

    Attributes:
        step: one of `STEPS`.
        code: stable, a key of `REFUSALS`.
        problem: what is wrong; free of secrets.
        remedy: what to set or to do.
        knob: the variable to change, or None where it is not one.
    """

    def __init__(self, step: str, code: str, problem: str, remedy: str, *, knob: str | None = None) -> None:
        super().__init__(f"refused ({step}/{code}): {problem}; {remedy}")
        self.step = step
        self.code = code
        self.problem = problem
        self.remedy = remedy
        self.knob = knob


@frozen
class Kind:
    """One code: the step that refuses, when it does, and a setting that makes it happen."""

    step: str
    when: str
    example: str


REFUSALS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "retired-mode": Kind("settings", "The mode is one that an older host had.", "OPENCOMPANY_MEMORY=embedded"),
        "unknown-mode": Kind("settings", "There is no such mode.", "OPENCOMPANY_MEMORY=redis"),
        "unknown-probe": Kind("settings", "There is no such probe.", "OPENCOMPANY_MEMORY_PROBE=sometimes"),
        "bad-trust": Kind("settings", "An id in the list can't be a driver id.", "OPENCOMPANY_MEMORY_TRUST=my driver"),
        "bad-actor": Kind(
            "settings", "The actor is not `type:id` with a known type.", "OPENCOMPANY_MEMORY_ACTOR=alice"
        ),
        "bad-key": Kind("settings", "The key holds what no HTTP header can carry.", "a line break inside the key"),
        "two-keys": Kind("settings", "The key is set and its file is too.", "_API_KEY and _API_KEY_FILE both set"),
        "key-file": Kind(
            "settings", "The key's file is missing, unreadable, empty or a folder.", "_API_KEY_FILE=/no/such/file"
        ),
        "split-credential": Kind(
            "settings", "URL and key come from different layers.", "URL in the environment, api_key in config.toml"
        ),
        "config-unreadable": Kind("settings", "config.toml can't be read.", "chmod 000 config.toml"),
        "config-syntax": Kind("settings", "config.toml is not TOML.", "backend = store"),
        "config-unknown-key": Kind("settings", "`[memory]` has a key that is not known.", 'ulr = "https://…"'),
        "config-wrong-type": Kind("settings", "A value of `[memory]` has the wrong type.", "driver = 3"),
        "remote-incomplete": Kind(
            "settings",
            "Mode `remote` misses driver, URL or key; all that is missing is named.",
            "OPENCOMPANY_MEMORY=remote",
        ),
        "storage-unavailable": Kind(
            "settings", "The base store is not built yet in this version.", "OPENCOMPANY_STORAGE=mongodb"
        ),
        "unknown-storage": Kind("settings", "There is no such base store.", "OPENCOMPANY_STORAGE=paper"),
        "data-dir": Kind(
            "settings",
            "The data folder is a file, can't be made or can't be written.",
            "OPENCOMPANY_DATA_DIR=/etc/passwd",
        ),
        "reserved-class": Kind(
            "admit", "The id is reserved as embedded or null; `remote` pins external.", "remote with driver store"
        ),
        "unknown-driver": Kind(
            "admit", "No such id is reserved, installed or trusted.", "OPENCOMPANY_MEMORY_DRIVER=mem1"
        ),
        "untrusted-driver": Kind(
            "admit", "A third party's driver is installed and not listed as trusted.", "driver acme without _TRUST=acme"
        ),
        "driver-not-installed": Kind(
            "admit", "No installed distribution provides the driver.", "driver mem0 without opencompany-memory-mem0"
        ),
        "driver-shadowed": Kind(
            "admit", "Another distribution registers a reserved id.", "a third party's package registers mem0"
        ),
        "driver-ambiguous": Kind("admit", "Two distributions register one id.", "acme-memory and acme-memory-fork"),
        "url-scheme": Kind("admit", "The URL is neither http nor https.", "OPENCOMPANY_MEMORY_URL=ftp://…"),
        "url-malformed": Kind("admit", "The URL has no host, a bad port, a query or blanks.", "https://"),
        "url-credentials": Kind("admit", "There are credentials inside the URL.", "https://user:pw@…"),
        "url-forbidden-address": Kind(
            "admit", "The address is link-local, a metadata service or none at all.", "http://169.254.169.254"
        ),
        "url-plain-http": Kind("admit", "Plain http to a public address.", "http:// to a public name"),
        "url-unresolved": Kind(
            "admit",
            "Plain http to a name that does not resolve, so nobody can say where it leads.",
            "http://no-such-host",
        ),
        "entry-point": Kind("load", "The plugin's entry point is malformed or names no module.", "memory = a.b.c"),
        "import-failed": Kind("load", "Importing the plugin raised.", "a plugin with a missing dependency"),
        "import-timed-out": Kind("load", "Importing the plugin did not end.", "a plugin that waits at import"),
        "no-hook": Kind("load", "The plugin does not implement `memory_driver`.", "a package without @hookimpl"),
        "bad-spec": Kind("load", "`memory_driver` raised, or gave no DriverSpec.", "return a dict"),
        "wrong-id": Kind(
            "load", "The plugin describes another driver than it is registered as.", 'DriverSpec(id="other")'
        ),
        "contract-unstated": Kind(
            "load", "The plugin does not say which contract it was built for.", "contract_version=None"
        ),
        "contract-mismatch": Kind(
            "load", "The plugin was built for another major contract.", "contract_version=(2, 0)"
        ),
        "factory-failed": Kind("load", "Opening the driver raised.", "a damaged database, a bad knob"),
        "factory-timed-out": Kind("load", "Opening the driver did not end.", "a driver that waits for its engine"),
        "not-a-provider": Kind("load", "What was opened is no MemoryProvider.", "return a mock"),
        "capabilities-failed": Kind(
            "audit", "What the driver offers can't be seen: its code raised, did not end, or gave no names.", "return 3"
        ),
        "over-claim": Kind(
            "audit", "Families are advertised that are not there. No variable lifts it.", "claims graph"
        ),
        "mandatory-missing": Kind("audit", "core, recall or portability is missing.", "a provider without recall"),
        "keeps-nothing": Kind(
            "probe", "The canary was accepted and is not there.", "OPENCOMPANY_MEMORY_PROBE=canary on a dropping engine"
        ),
    }
)
