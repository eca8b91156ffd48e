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
    from opencompany_memory.binding.trail_reader import last_load_failure

    folder = locate_data_dir(os.environ)

    def last_failure(driver: str, distribution: str, version: str) -> str | None:
        return None if folder is None else last_load_failure(folder, driver, distribution, version)

    rows = survey(reserved_drivers(), read_trust(os.environ), last_failure)
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
