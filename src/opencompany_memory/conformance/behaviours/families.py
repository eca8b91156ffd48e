"""Optional families, where they are offered: round trip, isolation, removal."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from opencompany_memory.conformance.bench import Bench, same_metadata
from opencompany_memory.conformance.registry import behaviour
from opencompany_memory.contract import InvalidInput, Taint
from opencompany_memory.contract.families import Documents, Episodic, Graph

_THEN: Final = datetime(2020, 2, 29, 23, 59, 59, 123456, tzinfo=UTC)


def _documents(bench: Bench) -> Documents:
    assert bench.provider.documents is not None
    return bench.provider.documents


def _graph(bench: Bench) -> Graph:
    assert bench.provider.graph is not None
    return bench.provider.graph


def _episodic(bench: Bench) -> Episodic:
    assert bench.provider.episodic is not None
    return bench.provider.episodic


@behaviour("documents", family="documents")
async def a_document_comes_back_in_every_field(bench: Bench) -> None:
    """Title, body, media type, time, taint, metadata; and an upsert replaces them."""
    namespace, documents = bench.namespace(), _documents(bench)
    for title, taint in (("First", Taint.EXTERNAL_SYNC), ("Second", Taint.INTERNAL)):
        await documents.put_document(
            namespace,
            "plan/1",
            f"body of {title}\n\0",
            title=title,
            media_type="text/markdown",
            taint=taint,
            metadata={"n": 1, "b": True},
            timestamp=_THEN,
        )
        found = await documents.get_document(namespace, "plan/1")
        assert found is not None, "a document is absent"
        got = (
            found.document_id,
            found.namespace,
            found.title,
            found.body,
            found.media_type,
            found.timestamp,
            found.taint,
        )
        wanted = ("plan/1", namespace, title, f"body of {title}\n\0", "text/markdown", _THEN, taint)
        assert got == wanted, "a document did not come back as it was put"
        same_metadata(dict(found.metadata), {"n": 1, "b": True})


@behaviour("documents", family="documents")
async def documents_are_listed_newest_first_in_pages(bench: Bench) -> None:
    """Each once; a foreign cursor is refused."""
    namespace, documents = bench.namespace(), _documents(bench)
    for number in range(7):
        at = _THEN + timedelta(seconds=number // 2)
        await documents.put_document(namespace, f"d{number}", "body", taint=Taint.INTERNAL, timestamp=at)
    listed: list[str] = []
    cursor: str | None = None
    for _ in range(10):
        page = await documents.list_documents(namespace, limit=2, cursor=cursor)
        listed += [document.document_id for document in page.documents]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert listed == ["d6", "d4", "d5", "d2", "d3", "d0", "d1"], "documents are not newest first, ties by id, each once"
    try:
        await documents.list_documents(namespace, cursor="not-a-cursor")
    except InvalidInput:
        return
    raise AssertionError("a cursor that was not issued was accepted")


@behaviour("documents", family="documents")
async def documents_are_apart_and_can_be_deleted(bench: Bench) -> None:
    """Same id in two namespaces; deleting one leaves the other, twice is True then False."""
    one, other, documents = bench.namespace("acme"), bench.namespace("acme/1"), _documents(bench)
    for namespace in (one, other):
        await documents.put_document(namespace, "d", f"body of {namespace}", taint=Taint.INTERNAL)
    assert await documents.delete_document(one, "d") is True, "deleting a document that is there is True"
    assert await documents.delete_document(one, "d") is False, "deleting it again is False"
    assert await documents.get_document(one, "d") is None, "a deleted document is there"
    found = await documents.get_document(other, "d")
    assert found is not None, "deleting a document took another namespace's with it"
    assert found.body == f"body of {other}", "a document belongs to another namespace"


@behaviour("graph", family="graph")
async def an_edge_comes_back_from_both_ends(bench: Bench) -> None:
    """With its time, taint and metadata, once, also when it is linked twice."""
    namespace, graph = bench.namespace(), _graph(bench)
    for n in (1, 2):
        await graph.link(
            namespace, "ada", "works at", "acme", taint=Taint.EXTERNAL_SYNC, metadata={"n": n}, timestamp=_THEN
        )
    for node, direction in (("ada", "out"), ("acme", "in"), ("ada", "both"), ("acme", "both")):
        edges = await graph.edges(namespace, node, direction=direction)
        assert len(edges) == 1, f"one edge was linked twice, and {len(edges)} come back at {direction}"
        edge = edges[0]
        got = (edge.subject, edge.predicate, edge.object, edge.timestamp, edge.taint, dict(edge.metadata))
        assert got == ("ada", "works at", "acme", _THEN, Taint.EXTERNAL_SYNC, {"n": 2}), "an edge changed"
    assert await graph.edges(namespace, "acme", direction="out") == [], "an edge goes the wrong way"
    assert await graph.edges(namespace, "ada", predicate="knows") == [], "the filter by predicate lets others through"


@behaviour("graph", family="graph")
async def neighbours_are_found_by_distance(bench: Bench) -> None:
    """Nearest first, ties by name, never the node itself, and a circle ends."""
    namespace, graph = bench.namespace(), _graph(bench)
    for subject, target in (("a", "c"), ("a", "b"), ("b", "d"), ("d", "a"), ("d", "e"), ("e", "f")):
        await graph.link(namespace, subject, "to", target, taint=Taint.INTERNAL)
    assert await graph.neighbours(namespace, "a") == ["b", "c", "d"], "not the direct neighbours by name"
    assert await graph.neighbours(namespace, "a", depth=2) == ["b", "c", "d", "e"], (
        "not the neighbours within two steps"
    )
    assert await graph.neighbours(namespace, "a", depth=5, limit=3) == ["b", "c", "d"], (
        "not the nearest within the limit"
    )


@behaviour("graph", family="graph")
async def edges_are_apart_and_can_be_removed(bench: Bench) -> None:
    """Same edge in two namespaces; removing one leaves the other."""
    one, other, graph = bench.namespace("acme"), bench.namespace("acme/1"), _graph(bench)
    for namespace in (one, other):
        await graph.link(namespace, "a", "to", "b", taint=Taint.INTERNAL)
    assert await graph.unlink(one, "a", "to", "b") is True, "removing an edge that is there is True"
    assert await graph.unlink(one, "a", "to", "b") is False, "removing it again is False"
    assert await graph.edges(one, "a") == [], "a removed edge is there"
    assert len(await graph.edges(other, "a")) == 1, "removing an edge took another namespace's with it"


@behaviour("episodic", family="episodic")
async def episodes_come_back_in_order(bench: Bench) -> None:
    """Oldest first, by session and by time, in every field."""
    namespace, episodic = bench.namespace(), _episodic(bench)
    for number, session in ((2, "s1"), (0, "s1"), (1, "s2")):
        await episodic.record(
            namespace,
            session,
            f"text {number}",
            actor="ada",
            taint=Taint.EXTERNAL_SYNC,
            metadata={"n": number},
            at=_THEN + timedelta(seconds=number),
        )
    found = await episodic.episodes(namespace)
    assert [episode.text for episode in found] == ["text 0", "text 1", "text 2"], "episodes are not oldest first"
    first = found[0]
    got = (first.session_id, first.actor, first.at, first.taint, dict(first.metadata))
    assert got == ("s1", "ada", _THEN, Taint.EXTERNAL_SYNC, {"n": 0}), "an episode did not come back as it was recorded"
    by_session = await episodic.episodes(namespace, session_id="s1")
    assert [episode.text for episode in by_session] == ["text 0", "text 2"], "the filter by session is wrong"
    until = await episodic.episodes(namespace, since=_THEN + timedelta(seconds=1), until=_THEN + timedelta(seconds=2))
    assert [episode.text for episode in until] == ["text 1"], "since is included and until is not"


@behaviour("episodic", family="episodic")
async def a_session_can_be_forgotten_whole(bench: Bench) -> None:
    """And only in its namespace."""
    one, other, episodic = bench.namespace("acme"), bench.namespace("acme/1"), _episodic(bench)
    for namespace in (one, other):
        for session in ("s1", "s1", "s2"):
            await episodic.record(namespace, session, "text", taint=Taint.INTERNAL)
    assert await episodic.forget_session(one, "s1") == 2, "forget_session says how many went"
    assert await episodic.forget_session(one, "s1") == 0, "forgetting it again is 0"
    assert [episode.session_id for episode in await episodic.episodes(one)] == ["s2"], "a forgotten session is there"
    assert len(await episodic.episodes(other)) == 3, "forgetting a session took another namespace's with it"


@behaviour("maintenance", family="maintenance")
async def a_sound_engine_has_no_problems(bench: Bench) -> None:
    """check() looks at something and finds nothing wrong."""
    assert bench.provider.maintenance is not None
    await bench.store(bench.namespace(), "k", "text")
    report = await bench.provider.maintenance.check()
    assert report.checked > 0, "check() looked at nothing"
    assert list(report.problems) == [], f"check() found {len(report.problems)} problems in an engine that works"


@behaviour("maintenance", family="maintenance")
async def a_backup_never_overwrites(bench: Bench) -> None:
    """It writes a file that was not there, and refuses one that was."""
    assert bench.provider.maintenance is not None
    await bench.store(bench.namespace(), "k", "text")
    with TemporaryDirectory() as folder:
        target = Path(folder) / "backup"
        report = await bench.provider.maintenance.backup(target)
        before = target.read_bytes()
        assert report.size == len(before) > 0, "the report's size is not the file's"
        try:
            await bench.provider.maintenance.backup(target)
        except InvalidInput:
            assert target.read_bytes() == before, "a backup changed a file that was there"
            return
    raise AssertionError("a backup overwrote a file that was there")


@behaviour("maintenance", family="maintenance")
async def erasing_a_prefix_removes_exactly_it(bench: Bench) -> None:
    """Every namespace that begins with it, and no other."""
    assert bench.provider.maintenance is not None
    for name in ("gone/a", "gone/b", "gone-not"):
        await bench.store(bench.namespace(name), "k", "text")
    report = await bench.provider.maintenance.erase(bench.namespace("gone/"))
    assert sorted(report.namespaces) == [(bench.namespace("gone/a"), 1), (bench.namespace("gone/b"), 1)], (
        "not what went"
    )
    for name in ("gone/a", "gone/b"):
        assert await bench.provider.get(bench.namespace(name), "k") is None, "an erased entry is there"
    assert await bench.provider.get(bench.namespace("gone-not"), "k") is not None, "erasing took more than its prefix"
