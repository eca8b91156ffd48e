"""`opencompany memory status`."""

from typing import TYPE_CHECKING, Any

from opencompany_memory.cli.output import complain, say, say_json
from opencompany_memory.cli.running import Json, over_memory

if TYPE_CHECKING:
    from opencompany_memory.overlay import MemoryOverlay


def status(json: Json = False) -> None:
    """Bind what the environment selects, and say what it is.

    Speaks of what was bound in this very process just now, not of a server that may be running elsewhere.

    Example: opencompany memory status --json
    """
    described = over_memory("status", _describe)
    if json:
        say_json(described)
    else:
        _print(described)


async def _describe(memory: "MemoryOverlay") -> dict[str, Any]:
    return describe(memory.descriptor)


def describe(bound: Any) -> dict[str, Any]:
    """A descriptor as JSON."""
    return {
        "mode": bound.mode,
        "driver": bound.driver_id,
        "class": bound.driver_class,
        "distribution": bound.distribution,
        "version": bound.version,
        "contract": bound.contract,
        "families": list(bound.families),
        "unadvertised": list(bound.unadvertised),
        "unreachable": list(bound.unreachable),
        "health": bound.health.state,
        "healthReason": bound.health.reason,
        "layer": bound.layer,
        "durable": bound.durable,
        "bootId": bound.boot_id,
        "auditLog": bound.audit_log,
        "auditFault": bound.audit_fault,
        "warnings": list(bound.warnings),
    }


def headline(described: dict[str, Any]) -> str:
    """What is bound, in one line."""
    return (
        f"{described['driver']} ({described['class']}, {described['distribution']} {described['version']}, "
        f"contract {described['contract']})"
    )


def loud_lines(described: dict[str, Any]) -> list[str]:
    """What an operator must not overlook."""
    lines = []
    if not described["durable"]:
        lines.append("NOTHING IS KEPT: this engine discards every write. Set OPENCOMPANY_MEMORY=store to keep memory.")
    if described["unreachable"]:
        lines.append(f"UNREACHABLE: {', '.join(described['unreachable'])}. {described['healthReason']}".rstrip())
    if described["auditFault"]:
        lines.append(f"THE BIND AUDIT LOG IS NOT WRITTEN: {described['auditFault']}")
    return lines


def _print(described: dict[str, Any]) -> None:
    health = described["health"] + (f": {described['healthReason']}" if described["healthReason"] else "")
    say(f"bound         {headline(described)}")
    say(f"mode          {described['mode']} (from {described['layer']})")
    say(f"families      {', '.join(described['families'])}")
    if described["unadvertised"]:
        say(f"unadvertised  {', '.join(described['unadvertised'])} (not routed)")
    say(f"health        {health}")
    say(f"durable       {'yes' if described['durable'] else 'NO'}")
    say(f"boot          {described['bootId']}")
    say(f"audit log     {described['auditLog']}")
    for line in loud_lines(described):
        complain(line)
