"""A real environment with real plugin distributions in it, built and installed without a network."""

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any

PLUGINS = Path(__file__).parents[1] / "plugins"
KEY = "sk-canary-0123456789abcdef"
URL = "http://127.0.0.1:9/tenant-canary"

_BUILD = """
import os, sys
from hatchling.build import build_wheel
for folder in sys.argv[2:]:
    os.chdir(folder)
    build_wheel(sys.argv[1])
"""

_BOOT = """
import asyncio, json, os, sys, warnings
from opencompany_memory.binding.boot import boot
from opencompany_memory.binding.refusal import BootRefused

async def one(driver):
    events = []
    environ = dict(os.environ, OPENCOMPANY_MEMORY_DRIVER=driver)
    try:
        bound = await boot(environ, canary_namespace="oc/canary", observe=events.append, load_seconds=1.0, probe_seconds=0.3)
    except BootRefused as refusal:
        answer = {"step": refusal.step, "code": refusal.code, "text": str(refusal), "knob": refusal.knob}
    else:
        described = bound.descriptor
        answer = {"bound": described.driver_id, "class": described.driver_class, "families": described.families,
                  "unadvertised": described.unadvertised, "unreachable": described.unreachable,
                  "health": described.health.state, "reason": described.health.reason,
                  "warnings": described.warnings, "contract": described.contract, "repr": repr(bound) + repr(described)}
        await bound.aclose()
    answer["events"] = [[e.step, e.outcome, e.code, e.reason] for e in events]
    return answer

print(json.dumps({driver: asyncio.run(one(driver)) for driver in sys.argv[1:]}, default=str))
"""


class Environment:
    """A virtual environment that has the host and the named plugins."""

    def __init__(self, folder: Path, plugins: list[str]) -> None:
        self.folder = folder
        self.data_dir = folder / "data"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "env")], check=True, timeout=60)
        self.python = folder / "env" / "bin" / "python"
        (site,) = (folder / "env").glob("lib/python*/site-packages")
        (site / "host.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
        wheels = folder / "wheels"
        wheels.mkdir()
        sources = [str(PLUGINS / name) for name in plugins]
        subprocess.run(
            [sys.executable, "-c", _BUILD, str(wheels), *sources], check=True, timeout=120, capture_output=True
        )
        for wheel in wheels.glob("*.whl"):
            zipfile.ZipFile(wheel).extractall(site)

    def environ(self, **extra: str) -> dict[str, str]:
        """Settings of a remote engine that trust every plugin, as text only a remote engine would get."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        return {
            **kept,
            "OPENCOMPANY_MEMORY": "remote",
            "OPENCOMPANY_MEMORY_URL": URL,
            "OPENCOMPANY_MEMORY_API_KEY": KEY,
            "OPENCOMPANY_MEMORY_TRUST": ",".join([path.name for path in PLUGINS.iterdir()] + ["toy", "twin"]),
            "OPENCOMPANY_DATA_DIR": str(self.data_dir),
            "TRACE_FILE": str(self.folder / "trace"),
            **extra,
        }

    def boot(self, *drivers: str, **extra: str) -> dict[str, Any]:
        """Boot each driver in one process of the environment; what came of each, and what the process printed."""
        done = subprocess.run(
            [self.python, "-c", _BOOT, *drivers],
            env=self.environ(**extra),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        answers: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        answers["stderr"] = done.stderr
        return answers

    def command(self, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        """Run the `opencompany` command in the environment."""
        return subprocess.run(
            [self.python, "-c", "from opencompany_memory.cli.main import main; main()", *arguments],
            env=self.environ(**extra),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def audit_log(self) -> str:
        """Everything in the bind audit log."""
        return "".join(
            path.read_text(encoding="utf-8") for path in sorted((self.data_dir / "audit").glob("bind*.jsonl"))
        )
