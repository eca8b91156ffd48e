"""`opencompany memory drivers`."""

import os

from opencompany_memory.cli.output import say_json, say_table
from opencompany_memory.cli.running import Json


def drivers(json: Json = False) -> None:
    """List every reserved and every installed driver, and whether it can be picked. None of them is imported.

    Example: opencompany memory drivers
    """
    from opencompany_memory.binding.registry import reserved_drivers
    from opencompany_memory.binding.settings import locate_data_dir, read_trust
    from opencompany_memory.binding.survey import survey
    from opencompany_memory.binding.trail_reader import load_failures

    folder = locate_data_dir(os.environ)

    failures = {} if folder is None else load_failures(folder)
    rows = survey(reserved_drivers(), read_trust(os.environ), lambda *driver: failures.get(driver))
    if json:
        say_json(
            [
                {
                    "id": row.id,
                    "class": row.driver_class,
                    "distribution": row.distribution,
                    "version": row.version,
                    "state": row.state,
                    "reason": row.reason,
                }
                for row in rows
            ]
        )
        return
    lines = [
        (
            row.id,
            row.driver_class,
            row.distribution,
            row.version or "-",
            f"{row.state}: {row.reason}" if row.reason else row.state,
        )
        for row in rows
    ]
    say_table(("id", "class", "distribution", "version", "state"), lines, empty="no drivers")
