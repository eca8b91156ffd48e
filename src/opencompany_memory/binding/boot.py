"""The five steps in order, each written to the bind audit log as it ends."""

from collections.abc import Callable, Mapping

from opencompany_memory.binding.admission import Admitted, admit
from opencompany_memory.binding.audit import Findings, audit
from opencompany_memory.binding.bind import BoundMemory, Descriptor
from opencompany_memory.binding.events import BindEvent
from opencompany_memory.binding.foreign import close_quietly
from opencompany_memory.binding.loading import LOAD_SECONDS, Loaded, load
from opencompany_memory.binding.narrator import Narrator
from opencompany_memory.binding.probe import BOOT_SECONDS, ProbeReport, canary, probe, refuse_forgetful
from opencompany_memory.binding.redaction import Redactor
from opencompany_memory.binding.refusal import BootRefused
from opencompany_memory.binding.registry import reserved_drivers
from opencompany_memory.binding.settings import Settings, locate_data_dir, read_settings
from opencompany_memory.contract import Ready


async def boot(
    environ: Mapping[str, str],
    *,
    canary_namespace: str,
    surface: str = "python",
    log_level: str = "warning",
    probe_mode: str | None = None,
    observe: Callable[[BindEvent], None] | None = None,
    load_seconds: float = LOAD_SECONDS,
    probe_seconds: float = BOOT_SECONDS,
) -> BoundMemory:
    """Bind the memory engine that `environ` selects.

    `surface` names who boots, for the audit log. Events of `log_level` (info or warning) and above go to stderr.
    `probe_mode` overrides OPENCOMPANY_MEMORY_PROBE. `observe` is told of each event.

    Raises:
        BootRefused: a setting is wrong, or the driver is not what it claims to be. Nothing stays open.
    """
    narrator = Narrator(environ, locate_data_dir(environ), surface, log_level, observe)
    try:
        settings = read_settings(environ)
        narrator.settings_read(settings)

        admitted = await admit(settings, reserved_drivers())
        narrator.admitted(admitted)

        loaded = await load(admitted, seconds=load_seconds)
        narrator.loaded(loaded)
    except BootRefused as refusal:
        narrator.refused(refusal)
        raise
    try:
        findings = await audit(loaded.provider, admitted.installed.distribution, seconds=load_seconds)
        narrator.audited(findings)

        report = await _probe(loaded, admitted, probe_mode or settings.probe, canary_namespace, probe_seconds)
        narrator.probed(report)
    except BaseException as error:
        if isinstance(error, BootRefused):
            narrator.refused(error)
        await close_quietly(loaded.provider)
        raise
    return _bind(narrator, settings, admitted, findings, report, loaded, canary_namespace)


async def _probe(loaded: Loaded, admitted: Admitted, mode: str, namespace: str, seconds: float) -> ProbeReport | None:
    if mode == "off":
        return None
    clean = Redactor.of(admitted.config).clean
    if mode == "read":
        return await probe(loaded.provider, namespace, seconds=seconds, clean=clean)
    report = await canary(loaded.provider, namespace, seconds=seconds, clean=clean)
    if admitted.driver_class != "null":  # which keeps nothing by its nature, and says so
        refuse_forgetful(report, admitted.installed.distribution)
    return report


def _bind(
    narrator: Narrator,
    settings: Settings,
    admitted: Admitted,
    findings: Findings,
    report: ProbeReport | None,
    loaded: Loaded,
    canary_namespace: str,
) -> BoundMemory:
    durable = admitted.driver_class != "null"
    narrator.bound(durable=durable)
    descriptor = Descriptor(
        driver_id=admitted.driver_id,
        driver_class=admitted.driver_class,
        distribution=admitted.installed.distribution,
        version=admitted.installed.version,
        contract=str(loaded.contract),
        mode=settings.mode,
        layer=settings.layer,
        families=tuple(findings.negotiated),
        unadvertised=findings.unadvertised,
        unreachable=() if report is None else report.unreachable,
        health=Ready() if report is None else report.health,
        durable=durable,
        boot_id=narrator.boot_id,
        audit_log=str(narrator.path),
        audit_fault=narrator.fault,
        warnings=tuple(narrator.warnings),
    )
    return BoundMemory(
        loaded.provider,
        descriptor,
        findings,
        canary_namespace,
        loaded.spec.limitations,
        Redactor.of(admitted.config).clean,
    )
