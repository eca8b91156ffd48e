"""Leaves the process when imported."""

raise SystemExit("bye")
