"""Is the data folder on a file system that SQLite's log and our locks can trust?"""

from pathlib import Path, PurePosixPath
from typing import Final

_MOUNTS: Final = Path("/proc/self/mountinfo")
_NETWORK: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre"}
)


def network_mount(path: Path, mountinfo: str) -> str | None:
    """The type of the network or FUSE file system that `path` is on, or None.

    `mountinfo` is the text of `/proc/self/mountinfo` (proc_pid_mountinfo(5)).
    """
    best, kind = -1, ""
    for line in mountinfo.splitlines():
        before, separator, after = line.partition(" - ")
        fields = before.split()
        if not separator or len(fields) < 5:
            continue
        mount = PurePosixPath(_unescape(fields[4]))
        if PurePosixPath(path).is_relative_to(mount) and len(mount.parts) >= best:
            best, kind = len(mount.parts), after.split(maxsplit=1)[0]
    return kind if kind in _NETWORK or kind == "fuse" or kind.startswith("fuse.") else None


def warn_of_network(path: Path) -> tuple[str, ...]:
    """A warning when `path` is on a network file system, as far as this machine can tell."""
    try:
        kind = network_mount(path.resolve(), _MOUNTS.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return ()
    if kind is None:
        return ()
    return (f"the data folder is on {kind}, where locks and SQLite's log can't be relied on; use a local disk",)


def _unescape(text: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text
