"""The `opencompany` command, one module per group of commands."""
