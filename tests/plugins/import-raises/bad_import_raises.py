"""Raises when imported, with a secret from the environment in the text."""

import os

raise RuntimeError("importing with " + os.environ.get("OPENCOMPANY_MEMORY_API_KEY", ""))
