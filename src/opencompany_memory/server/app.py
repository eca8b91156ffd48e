"""The application. One router per surface; this one is what an operator's monitoring asks."""

from typing import TYPE_CHECKING

from fastapi import FastAPI
from pydantic import BaseModel, Field

if TYPE_CHECKING:
    from opencompany_memory.overlay import MemoryOverlay

# How old an answer may be before the engine is asked again: often enough to notice, seldom enough to be no load.
_HEALTHY_SECONDS = 30.0
_DEGRADED_SECONDS = 5.0


class Liveness(BaseModel):
    """Whether the process lives, and whether its memory does what it should. Names no engine: anybody may ask."""

    status: str = Field(examples=["ok", "degraded"])


class Index(BaseModel):
    """Where to go from the root."""

    service: str
    health: str
    reference: str


def make_app(memory: "MemoryOverlay") -> FastAPI:
    """The application over `memory`, which the caller closes."""
    app = FastAPI(title="opencompany memory", summary="One audited seam to the engine that keeps an agent's memory.")

    @app.get("/", summary="Where to go from here")
    async def index() -> Index:
        return Index(service="opencompany memory", health="/healthz", reference="/docs")

    @app.get("/healthz", summary="Liveness")
    async def healthz() -> Liveness:
        known = _HEALTHY_SECONDS if not _is_degraded(memory.descriptor) else _DEGRADED_SECONDS
        await memory.bound.refresh(max_age=known)
        return Liveness(status="degraded" if _is_degraded(memory.descriptor) else "ok")

    return app


def _is_degraded(descriptor: object) -> bool:
    health, unreachable, fault = (getattr(descriptor, name) for name in ("health", "unreachable", "audit_fault"))
    return health.state != "ready" or bool(unreachable) or fault is not None
