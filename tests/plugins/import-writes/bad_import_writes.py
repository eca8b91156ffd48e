"""Leaves a trace when imported: proof that nobody does who does not select it."""

import os
from pathlib import Path

Path(os.environ["TRACE_FILE"]).write_text("imported")
raise RuntimeError("and it is broken")
