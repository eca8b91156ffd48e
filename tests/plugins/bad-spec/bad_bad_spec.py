"""Describes itself with a dict."""

from opencompany_memory.contract import hookimpl


@hookimpl
def memory_driver():
    return {"id": "bad-spec", "open": dict}
