"""Tells of a boot as it goes: to the bind audit log, through structlog, and to whoever looks on."""

import os
import secrets
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from opencompany_memory.binding import events, knobs
from opencompany_memory.binding.admission import Admitted
from opencompany_memory.binding.audit import AuditFailed, Findings
from opencompany_memory.binding.events import BindEvent
from opencompany_memory.binding.filesystem import warn_of_network
from opencompany_memory.binding.loading import Loaded, LoadFailed
from opencompany_memory.binding.probe import ProbeReport
from opencompany_memory.binding.redaction import Redactor
from opencompany_memory.binding.refusal import REFUSALS, STEPS, BootRefused
from opencompany_memory.binding.settings import Settings
from opencompany_memory.binding.trail import BindTrail
from opencompany_memory.contract import CONTRACT_VERSION, FAMILIES

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32
_FOLDERLESS: Final = (events.SETTINGS, events.ADMIT)
"""Steps whose refusals make no data folder: nothing has run yet, and the setting at fault may be the folder's own."""


def new_boot_id() -> str:
    """Sixteen characters that sort by time: ten of milliseconds, six random."""
    number = (time.time_ns() // 1_000_000) << 30 | secrets.randbits(30)
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(75, -1, -5))


class Narrator:
    """The story of one boot."""

    def __init__(
        self,
        environ: Mapping[str, str],
        data_dir: Path | None,
        surface: str,
        level: str,
        observe: Callable[[BindEvent], None] | None,
    ) -> None:
        self.boot_id = new_boot_id()
        self.warnings: list[str] = []
        self._level = level
        self._observe = observe
        self._about: dict[str, Any] = {"host_contract": str(CONTRACT_VERSION)}
        # Before the settings are read, what the environment holds under the names of secrets is taken for one.
        secret = (environ.get(name, "").strip() for name in _secret_names())
        self._redactor = Redactor(filter(None, secret), _public(environ.get(knobs.DRIVER, "").strip().lower()))
        self._trail = None if data_dir is None else BindTrail(data_dir, self.boot_id, surface, self._redactor)
        self._surface = surface

    @property
    def path(self) -> Path:
        """Where the log is."""
        return Path(os.devnull) if self._trail is None else self._trail.path

    @property
    def fault(self) -> str | None:
        """Why the log can't be written; None while it can."""
        return None if self._trail is None else self._trail.fault

    def settings_read(self, settings: Settings) -> None:
        """Step 1 ended well."""
        self._redactor = Redactor(settings.secrets, _public(settings.driver))
        self._trail = BindTrail(settings.data_dir, self.boot_id, self._surface, self._redactor)
        self._about |= {"mode": settings.mode, "layer": settings.layer}
        if settings.driver and settings.mode == "remote":
            self._about["driver"] = settings.driver
        for warning in (*settings.warnings, *warn_of_network(settings.data_dir)):
            self._warn(events.SETTINGS, warning, "setting")
        self._tell(BindEvent(events.SETTINGS, events.OK, fields={"probe": settings.probe, "storage": settings.storage}))

    def admitted(self, admitted: Admitted) -> None:
        """Step 2 ended well."""
        self._about |= {
            "driver": admitted.driver_id,
            "class": admitted.driver_class,
            "distribution": admitted.installed.distribution,
            "version": admitted.installed.version,
        }
        for warning in admitted.warnings:
            self._warn(events.ADMIT, warning, "address")
        self._tell(BindEvent(events.ADMIT, events.OK))

    def loaded(self, loaded: Loaded) -> None:
        """Step 3 ended well."""
        self._about["contract"] = str(loaded.contract)
        self._tell(BindEvent(events.LOAD, events.OK))

    def audited(self, findings: Findings) -> None:
        """Step 4 ended well."""
        if findings.unadvertised:
            what = ", ".join(findings.unadvertised)
            reason = f"the driver has {what} and does not advertise it; what is optional stays unrouted"
            self._warn(events.AUDIT, reason, "unadvertised")
        if findings.unknown:
            self._note(
                f"the driver advertises names that are no family: {', '.join(findings.unknown)}", "unknown-family"
            )
        for family, fault in findings.faults.items():
            self._note(f"{family} does not count: {fault}", "not-a-family")
        if findings.class_claims:
            what = ", ".join(findings.class_claims)
            self._note(f"the driver speaks of its own class ({what}); the host decides it", "class-claim")
        fields = {
            "claimed": findings.claimed,
            "derived": findings.derived,
            "negotiated": tuple(findings.negotiated),
            "unadvertised": findings.unadvertised,
            "unknown": findings.unknown,
        }
        self._tell(BindEvent(events.AUDIT, events.OK, fields=fields))

    def probed(self, report: ProbeReport | None) -> None:
        """Step 5 ended, with what answers and what does not."""
        if report is None:
            self._tell(BindEvent(events.PROBE, events.OK, "skipped"))
            return
        if report.failures:
            reason = "; ".join(f"{family}: {why}" for family, why in report.failures.items())
            self._warn(events.PROBE, reason, "unreachable")
        elif report.health.state != "ready":
            self._warn(
                events.PROBE, f"the engine is {report.health.state}: {report.health.reason}", report.health.state
            )
        fields: dict[str, Any] = {
            "unreachable": report.unreachable,
            "health": report.health.state,
            "timings_ms": report.timings,
        }
        if report.kept is not None:
            fields["kept"] = report.kept
        self._tell(BindEvent(events.PROBE, events.OK, fields=fields))

    def bound(self, *, durable: bool) -> None:
        """The boot ended well."""
        if not durable:
            self._warn(events.BIND, "nothing is kept: this engine discards every write", "not-durable")
        self._tell(BindEvent(events.BIND, events.OK, fields={"durable": durable}), last=True)

    def refused(self, refusal: BootRefused) -> None:
        """The boot ended in a refusal."""
        fields: dict[str, Any] = {"remedy": refusal.remedy}
        if refusal.knob:
            fields["knob"] = refusal.knob
        if isinstance(refusal, LoadFailed) and refusal.traceback:
            fields["traceback"] = refusal.traceback
        if isinstance(refusal, AuditFailed):
            fields |= {"claimed": refusal.claimed, "derived": refusal.derived}
        event = BindEvent(refusal.step, events.REFUSED, refusal.problem, refusal.code, fields)
        self._tell(event, last=True)

    def _warn(self, step: str, reason: str, code: str) -> None:
        self.warnings.append(self._redactor.clean(reason))
        self._tell(BindEvent(step, events.WARNING, reason, code))

    def _note(self, reason: str, code: str) -> None:
        self._tell(BindEvent(events.AUDIT, events.NOTE, reason, code))

    def _tell(self, event: BindEvent, *, last: bool = False) -> None:
        fields = {**self._about, **self._redactor.clean_all(event.fields)}
        full = BindEvent(event.step, event.outcome, self._redactor.clean(event.reason), event.code, fields)
        if self._trail is not None:
            self._trail.record(full, make_folder=event.step not in _FOLDERLESS, last=last)
        if self._is_logged(event):
            self._log(full)
        if self._observe is not None:
            self._observe(full)

    def _is_logged(self, event: BindEvent) -> bool:
        if self._level == "error":
            return False
        if event.outcome == events.REFUSED:  # whoever called boot has it as an exception, and says it once
            return "structlog" in sys.modules and bool(sys.modules["structlog"].is_configured())
        return self._level == "info" or event.outcome == events.WARNING

    def _log(self, event: BindEvent) -> None:
        import structlog

        if structlog.is_configured():
            logger = structlog.get_logger("opencompany_memory.binding")
        else:
            logger = structlog.wrap_logger(
                structlog.WriteLogger(sys.stderr),
                processors=[
                    structlog.processors.add_log_level,
                    structlog.processors.LogfmtRenderer(key_order=["level", "event"], drop_missing=True),
                ],
            )
        shown = {name: event.fields[name] for name in ("driver", "class") if name in event.fields}
        if event.code:
            shown["code"] = event.code
        if event.reason:
            shown["reason"] = event.reason
        level = {events.WARNING: "warning", events.REFUSED: "error"}.get(event.outcome, "info")
        getattr(logger, level)("bind", boot=self.boot_id, step=event.step, outcome=event.outcome, **shown)


def _secret_names() -> tuple[str, ...]:
    return tuple(knob.name for knob in knobs.KNOBS if knob.secret)


def _public(driver: str | None) -> tuple[str, ...]:
    """Words of the host's own that stay in the log, also where the engine's host is called the same."""
    return (*FAMILIES, *REFUSALS, *STEPS, *knobs.MODES, "external", "embedded", *((driver,) if driver else ()))
