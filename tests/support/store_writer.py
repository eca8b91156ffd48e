"""A process of its own that writes to a store: `python -m tests.support.store_writer FOLDER JOB NAME [COUNT]`.

It says `ready` when it is up and waits for a line before it begins. Each acknowledged key is a line on stdout.
"""

import asyncio
import resource
import sys
from pathlib import Path

from opencompany_memory.contract import MemoryEngineError, Taint
from opencompany_memory.store.provider import SqliteProvider
from tests.support.stores import ACME, GLOBEX


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def write(store: SqliteProvider, namespace: str, key: str) -> None:
    await store.store(namespace, key, f"text of {key} " + "filling " * 30, taint=Taint.INTERNAL)
    say(f"{namespace} {key}")


async def without_end(store: SqliteProvider, name: str) -> None:
    async def caller(number: int) -> None:
        turn = 0
        while True:
            await write(store, GLOBEX if number % 4 == 0 else ACME, f"{name}-{number}-{turn}")
            turn += 1

    await asyncio.gather(*(caller(number) for number in range(8)))


async def counted(store: SqliteProvider, name: str, count: int) -> None:
    for start in range(0, count, 4):
        await asyncio.gather(*(write(store, ACME, f"{name}-{n}") for n in range(start, min(count, start + 4))))


async def until_full(store: SqliteProvider, name: str) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, hard))
    turn = 0
    try:
        while turn < 10_000:
            await asyncio.gather(*(write(store, ACME, f"{name}-{turn}-{n}") for n in range(8)))
            turn += 1
    except MemoryEngineError as error:
        say(f"error {type(error).__name__} {error}")
    await store.get(ACME, f"{name}-0-0")
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    await write(store, ACME, f"{name}-afterwards")


async def main(folder: str, job: str, name: str, count: str = "0") -> None:
    say("ready")
    sys.stdin.readline()
    async with SqliteProvider(Path(folder)) as store:
        if job == "without-end":
            await without_end(store, name)
        elif job == "until-full":
            await until_full(store, name)
        else:
            await counted(store, name, int(count))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
