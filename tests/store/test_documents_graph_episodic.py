"""The three optional families that the store offers."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from opencompany_memory.contract import InvalidInput, Taint
from opencompany_memory.contract.families.documents import Document
from opencompany_memory.contract.families.graph import Edge
from opencompany_memory.store.provider import SqliteProvider
from tests.support.stores import ACME, ACME_TRACES, GLOBEX, moment

pytestmark = pytest.mark.anyio

META = {"i": 1, "f": 1.0, "b": True, "s": "1", "n": None}
OUTSIDE = {"taint": Taint.EXTERNAL_SYNC}
INSIDE = {"taint": Taint.INTERNAL}


async def test_every_field_of_a_document_comes_back(store: SqliteProvider) -> None:
    written = await store.documents.put_document(
        ACME, "d", "body\0", title="t", media_type="text/markdown", metadata=META, timestamp=moment(0), **OUTSIDE
    )
    assert written == Document("d", ACME, "t", "body\0", "text/markdown", moment(0), Taint.EXTERNAL_SYNC, META)
    found = await store.documents.get_document(ACME, "d")
    assert found == written
    assert repr(found.metadata) == repr(META)


async def test_a_document_is_replaced_whole_under_its_id(store: SqliteProvider) -> None:
    await store.documents.put_document(ACME, "d", "old", title="t", metadata=META, **OUTSIDE)
    await store.documents.put_document(ACME, "d", "new", timestamp=moment(5), **INSIDE)
    page = await store.documents.list_documents(ACME)
    assert list(page.documents) == [Document("d", ACME, "", "new", "text/plain", moment(5), Taint.INTERNAL, {})]


async def test_documents_are_listed_newest_first_ties_by_id_page_by_page(store: SqliteProvider) -> None:
    for number, document_id in enumerate(["c", "a", "b", "e", "d"]):
        await store.documents.put_document(ACME, document_id, "", timestamp=moment(number // 3), **INSIDE)
    found, cursor = [], None
    while True:
        page = await store.documents.list_documents(ACME, limit=2, cursor=cursor)
        found += [document.document_id for document in page.documents]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert found == ["d", "e", "a", "b", "c"]


async def test_a_cursor_of_other_documents_is_refused(store: SqliteProvider) -> None:
    for namespace in (ACME, GLOBEX):
        for n in range(3):
            await store.documents.put_document(namespace, f"d{n}", "", **INSIDE)
    cursor = (await store.documents.list_documents(ACME, limit=1)).next_cursor
    with pytest.raises(InvalidInput):
        await store.documents.list_documents(GLOBEX, cursor=cursor)


async def test_deleting_a_document_says_whether_there_was_one(store: SqliteProvider) -> None:
    assert await store.documents.delete_document(ACME, "d") is False
    await store.documents.put_document(ACME, "d", "", **INSIDE)
    assert [await store.documents.delete_document(ACME, "d") for _ in range(2)] == [True, False]
    assert await store.documents.get_document(ACME, "d") is None


async def test_an_edge_is_written_once_and_replaced(store: SqliteProvider) -> None:
    await store.graph.link(ACME, "ann", "knows", "bob", metadata=META, timestamp=moment(0), **OUTSIDE)
    await store.graph.link(ACME, "ann", "knows", "bob", timestamp=moment(1), **INSIDE)
    assert await store.graph.edges(ACME, "ann") == [
        Edge(ACME, "ann", "knows", "bob", moment(1), Taint.INTERNAL, {}),
    ]


@pytest.fixture
async def small_graph(store: SqliteProvider) -> SqliteProvider:
    """a -> b -> c -> d -> a, b -> b, a -likes-> c."""
    for number, (subject, predicate, target) in enumerate(
        [("a", "to", "b"), ("b", "to", "c"), ("c", "to", "d"), ("d", "to", "a"), ("b", "to", "b"), ("a", "likes", "c")]
    ):
        await store.graph.link(ACME, subject, predicate, target, timestamp=moment(number), **INSIDE)
    return store


@pytest.mark.parametrize(
    ("node", "options", "expected"),
    [
        ("a", {}, ["a likes c", "d to a", "a to b"]),
        ("a", {"direction": "out"}, ["a likes c", "a to b"]),
        ("a", {"direction": "in"}, ["d to a"]),
        ("a", {"predicate": "to"}, ["d to a", "a to b"]),
        ("b", {}, ["b to b", "b to c", "a to b"]),
        ("a", {"limit": 1}, ["a likes c"]),
        ("z", {}, []),
    ],
)
async def test_edges_at_a_node_are_newest_first(
    small_graph: SqliteProvider, node: str, options: dict[str, Any], expected: list[str]
) -> None:
    found = await small_graph.graph.edges(ACME, node, **options)
    assert [f"{e.subject} {e.predicate} {e.object}" for e in found] == expected


@pytest.mark.parametrize(
    ("depth", "expected"),
    [(1, ["b", "c", "d"]), (2, ["b", "c", "d"]), (100, ["b", "c", "d"]), (10**30, ["b", "c", "d"])],
)
async def test_neighbours_of_a_circle_come_once_and_without_the_node(
    small_graph: SqliteProvider, depth: int, expected: list[str]
) -> None:
    assert await small_graph.graph.neighbours(ACME, "a", depth=depth) == expected


async def test_neighbours_come_nearest_first(store: SqliteProvider) -> None:
    for one, other in ["yx", "xm", "ya", "nm"]:
        await store.graph.link(ACME, one, "to", other, **INSIDE)
    assert [await store.graph.neighbours(ACME, "y", depth=d) for d in (1, 2, 3)] == [
        ["a", "x"],
        ["a", "x", "m"],
        ["a", "x", "m", "n"],
    ]
    assert await store.graph.neighbours(ACME, "y", depth=3, limit=1) == ["a"]


async def test_unlinking_removes_one_edge_and_says_whether_there_was_one(small_graph: SqliteProvider) -> None:
    graph = small_graph.graph
    assert [await graph.unlink(ACME, "a", "likes", "c") for _ in range(2)] == [True, False]
    assert len(await graph.edges(ACME, "a")) == 2


async def test_a_dense_graph_is_walked_in_time(store: SqliteProvider) -> None:
    import asyncio

    names = [f"n{n:02}" for n in range(30)]
    await asyncio.gather(*(store.graph.link(ACME, a, "to", b, **INSIDE) for a in names for b in names if a < b))
    async with asyncio.timeout(5):
        assert await store.graph.neighbours(ACME, "n00", depth=8) == names[1:]


async def test_episodes_are_told_oldest_first_within_their_bounds(store: SqliteProvider) -> None:
    for n in (3, 1, 2, 1):
        await store.episodic.record(ACME, f"s{n % 2}", f"at {n}", at=moment(n), actor="ann", metadata=META, **OUTSIDE)
    told = await store.episodic.episodes(ACME)
    assert [episode.text for episode in told] == ["at 1", "at 1", "at 2", "at 3"]
    first = told[0]
    assert (first.namespace, first.session_id, first.actor, first.at, first.taint) == (
        ACME,
        "s1",
        "ann",
        moment(1),
        Taint.EXTERNAL_SYNC,
    )
    assert repr(first.metadata) == repr(META)
    bounded = await store.episodic.episodes(ACME, since=moment(1), until=moment(3), session_id="s1")
    assert [episode.text for episode in bounded] == ["at 1", "at 1"]
    assert [e.text for e in await store.episodic.episodes(ACME, since=moment(2), limit=1)] == ["at 2"]


async def test_a_recorded_episode_is_returned_as_it_will_be_read(store: SqliteProvider) -> None:
    recorded = await store.episodic.record(ACME, "s", "text", at=moment(0), metadata=META, **INSIDE)
    assert await store.episodic.episodes(ACME) == [recorded]


async def test_a_session_is_forgotten_whole(store: SqliteProvider) -> None:
    for session in ("s", "s", "t"):
        await store.episodic.record(ACME, session, "text", **INSIDE)
    assert [await store.episodic.forget_session(ACME, "s") for _ in range(2)] == [2, 0]
    assert [e.session_id for e in await store.episodic.episodes(ACME)] == ["t"]


async def test_two_namespaces_with_the_same_ids_share_nothing_in_any_family(store: SqliteProvider) -> None:
    for namespace in (ACME, ACME_TRACES, GLOBEX):
        await store.documents.put_document(namespace, "d", namespace, **INSIDE)
        await store.graph.link(namespace, "a", "to", namespace, **INSIDE)
        await store.episodic.record(namespace, "s", namespace, **INSIDE)
    for namespace in (ACME, ACME_TRACES, GLOBEX):
        assert [d.body for d in (await store.documents.list_documents(namespace)).documents] == [namespace]
        assert await store.graph.neighbours(namespace, "a", depth=8) == [namespace]
        assert [e.text for e in await store.episodic.episodes(namespace, session_id="s")] == [namespace]
    await store.documents.delete_document(ACME, "d")
    await store.graph.unlink(ACME, "a", "to", ACME)
    await store.episodic.forget_session(ACME, "s")
    for namespace in (ACME_TRACES, GLOBEX):
        assert await store.documents.get_document(namespace, "d") is not None
        assert await store.graph.edges(namespace, "a")
        assert await store.episodic.episodes(namespace)


@pytest.mark.parametrize(
    "call",
    [
        lambda s: s.documents.put_document("", "d", "", **INSIDE),
        lambda s: s.documents.put_document(ACME, "", "", **INSIDE),
        lambda s: s.documents.put_document(ACME, "d", None, **INSIDE),
        lambda s: s.documents.put_document(ACME, "d", "", taint="internal"),
        lambda s: s.documents.list_documents(ACME, limit=0),
        lambda s: s.documents.list_documents(ACME, cursor="x"),
        lambda s: s.graph.link(ACME, "", "p", "o", **INSIDE),
        lambda s: s.graph.link(ACME, "s", "p", "\ud800", **INSIDE),
        lambda s: s.graph.edges(ACME, "n", direction="sideways"),
        lambda s: s.graph.edges(ACME, "n", direction=["out"]),
        lambda s: s.graph.neighbours(ACME, "n", depth=0),
        lambda s: s.graph.neighbours(ACME, "n", depth=True),
        lambda s: s.graph.neighbours("", "n"),
        lambda s: s.episodic.record(ACME, "", "t", **INSIDE),
        lambda s: s.episodic.record(ACME, "s", "t", at=datetime(2026, 5, 8), **INSIDE),
        lambda s: s.episodic.episodes(ACME, since="yesterday"),
        lambda s: s.episodic.episodes(""),
    ],
)
async def test_a_bad_argument_is_refused_before_anything_is_stored(
    store: SqliteProvider, folder: Path, call: Any
) -> None:
    with pytest.raises(InvalidInput):
        await call(store)
    assert not list(folder.glob("*.sqlite3"))
