"""Recall: what is found, in what order, and that nobody else's memory has a part in it."""

import time
from pathlib import Path

import attrs
import pytest

from opencompany_memory.contract import Category, ExportRecord, MemoryEntry, SourceScope, Taint
from opencompany_memory.store.provider import SqliteProvider
from tests.support.stores import ACME, ACME_TRACES, GLOBEX, fill, moment, put, recalled

pytestmark = pytest.mark.anyio

TALK = [
    "Which database did we pick for the invoices?",
    "PostgreSQL, with nightly dumps.",
    "Who waters the plants?",
    "Nadia does, on Fridays.",
    "The build is green again.",
    "Lunch was late today.",
]


@pytest.mark.parametrize(
    "query",
    [
        "pve-01",
        "isn't",
        "don't isn't",
        "status: done pve-01",
        "retry OR pve",
        '"host',
        '"half host',
        "20.04 host",
        "C:\\tmp",
        "host*",
        "-host",
        "^host",
        "body:host",
        "day : host",
        "{body day} : host",
        "NEAR(host pve, 2)",
        "(host",
        "host)",
        "host AND",
        "NOT host",
        "host; DROP TABLE entries; --",
        "host\0host",
        "🚀 host",
        "日志 host",
        "%host%",
        "host\u0301",
        " ".join(["host"] * 2000),
        "host " + "x" * 10_000,
        "host " + " ".join(f"w{n}" for n in range(1700)),
        "日志" * 5000 + " host",
    ],
)
async def test_a_query_is_words_and_never_syntax(store: SqliteProvider, query: str) -> None:
    await put(store, ACME, "k", "host pve-01 isn't C:\\tmp")
    assert await recalled(store, ACME, query) == ["k"]


@pytest.mark.parametrize("query", ["", " ", "\0", "...", '"', "zzz", "AND", "*", "\u200b", "x" * 10_000, "'" * 10_000])
async def test_a_query_that_matches_nothing_gives_nothing(store: SqliteProvider, query: str) -> None:
    await put(store, ACME, "k", "host pve-01 isn't C:\\tmp")
    assert await recalled(store, ACME, query) == []


async def test_stop_words_alone_still_find_what_holds_them(store: SqliteProvider) -> None:
    await put(store, ACME, "k", "to be or not to be")
    await put(store, ACME, "other", "kafka topics")
    assert await recalled(store, ACME, "to be") == ["k"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("部署svc-kafka后日志清零", "日志"),
        ("部署svc-kafka后日志清零", "kafka"),
        ("来週の打ち合わせで承認をもらう", "打ち合わせ"),
        ("来週の打ち合わせで承認をもらう", "承認"),
        ("다음주회의에서승인", "회의"),
        ("rotate the key\0 on Monday", "Monday"),
    ],
)
async def test_substrings_of_scripts_without_spaces_are_found(store: SqliteProvider, text: str, query: str) -> None:
    await fill(store, ACME, ["kubernetes", text, "完全不同的内容"])
    assert await recalled(store, ACME, query) == ["k1"]


async def test_the_entry_with_more_of_the_query_comes_first(store: SqliteProvider) -> None:
    await fill(store, ACME, ["the deploy key", "the deploy key rotates on mondays", "mondays are long", "lunch"])
    assert (await recalled(store, ACME, "when does the deploy key rotate, mondays?"))[0] == "k1"


async def test_a_reply_is_found_by_the_words_of_the_question_before_it(store: SqliteProvider) -> None:
    await fill(store, ACME, TALK, session_id="s")
    assert (await recalled(store, ACME, "which database for the invoices"))[:2] == ["k0", "k1"]


async def test_words_of_another_session_do_not_find_an_entry(store: SqliteProvider) -> None:
    for number, text in enumerate(TALK):
        await put(store, ACME, f"k{number}", text, session_id=f"s{number}", timestamp=moment(number))
    assert await recalled(store, ACME, "which database for the invoices") == ["k0"]


async def test_entries_without_a_session_have_no_neighbours(store: SqliteProvider) -> None:
    await fill(store, ACME, TALK)
    assert await recalled(store, ACME, "which database for the invoices") == ["k0"]


async def test_a_session_of_the_same_name_in_another_namespace_has_no_part(store: SqliteProvider) -> None:
    await put(store, ACME, "k", "PostgreSQL, with nightly dumps.", session_id="s", timestamp=moment(1))
    await put(store, ACME_TRACES, "q", TALK[0], session_id="s", timestamp=moment(0))
    assert await recalled(store, ACME, "which database for the invoices") == []


async def test_words_of_its_date_find_an_entry_with_less_weight_than_its_own(store: SqliteProvider) -> None:
    await put(store, ACME, "by date", "the release went out", timestamp=moment(0))
    await put(store, ACME, "by words", "the release of friday was cancelled", timestamp=moment(86400))
    await put(store, ACME, "neither", "lunch", timestamp=moment(2 * 86400))
    assert await recalled(store, ACME, "friday") == ["by words", "by date"]
    assert (await recalled(store, ACME, "what happened on 9 May 2026?"))[0] == "by words"


async def test_ties_are_broken_by_newest_and_then_by_key(store: SqliteProvider) -> None:
    for key, seconds in [("b", 1), ("c", 0), ("a", 1), ("d", 2)]:
        await put(store, ACME, key, "kafka topics", timestamp=moment(seconds))
    entries = await store.recall(ACME, "kafka")
    assert [e.key for e in entries] == ["d", "a", "b", "c"]
    assert len({e.score for e in entries}) == 1


async def test_the_answer_does_not_depend_on_the_order_of_writing(tmp_path: Path) -> None:
    texts = [f"kafka topic {n % 3} of {n % 2}" for n in range(30)]
    answers = []
    for name, order in (("one", range(30)), ("other", reversed(range(30)))):
        async with SqliteProvider(tmp_path / name) as store:
            for n in order:
                await put(store, ACME, f"k{n}", texts[n], timestamp=moment(n))
            answers.append([(e.key, e.score) for e in await store.recall(ACME, "kafka topic 1 of 1", limit=30)])
    assert answers[0] == answers[1]


async def test_scores_lie_between_nought_and_one_and_fall(store: SqliteProvider) -> None:
    await fill(store, ACME, TALK * 5, session_id="s")
    for query in ("database", "which database for the invoices", "nadia plants friday zzz", "the", "8 may 2026"):
        scores = [entry.score for entry in await store.recall(ACME, query, limit=100)]
        assert scores
        assert all(score is not None and 0 <= score <= 1 for score in scores)
        assert scores == sorted(scores, key=lambda score: -(score or 0))


async def test_a_least_score_cuts_the_tail(store: SqliteProvider) -> None:
    await fill(store, ACME, TALK, session_id="s")
    everything = await store.recall(ACME, "which database for the invoices")
    least = everything[0].score
    assert least is not None
    assert await store.recall(ACME, "which database for the invoices", min_score=least) == everything[:1]
    assert await store.recall(ACME, "which database for the invoices", min_score=1.01) == []


async def test_a_limit_is_kept(store: SqliteProvider) -> None:
    await fill(store, ACME, ["kafka"] * 30)
    assert [len(await store.recall(ACME, "kafka", limit=n)) for n in (1, 7, 30, 1000)] == [1, 7, 30, 30]
    assert len(await store.recall(ACME, "kafka")) == 10


async def test_a_limit_beyond_what_is_weighed_first_is_kept_too(store: SqliteProvider) -> None:
    await fill(store, ACME, ["kafka topics"] * 1100)
    assert len({e.key for e in await store.recall(ACME, "kafka", limit=1000)}) == 1000


async def test_filters_narrow_to_what_passes_all_of_them(store: SqliteProvider) -> None:
    for n in range(24):
        await put(
            store,
            ACME,
            f"k{n:02}",
            "kafka",
            category=[Category.CORE, Category.custom("core")][n % 2],
            session_id=[None, "a", "b"][n % 3],
            metadata={"source": ["mail", "chat", "web", 1][n % 4]},
            timestamp=moment(n),
        )
    category, scope = Category.custom("core"), SourceScope(["chat", "web"])

    for filters, passes in (
        ({"category": category}, lambda n: n % 2 == 1),
        ({"session_id": "b"}, lambda n: n % 3 == 2),
        ({"scope": scope}, lambda n: n % 4 in (1, 2)),
        ({"category": category, "session_id": "a", "scope": scope}, lambda n: n % 12 == 1),
        ({"scope": SourceScope([])}, lambda n: False),
        ({"scope": SourceScope(["1"])}, lambda n: False),
        ({"session_id": ""}, lambda n: False),
    ):
        found = await recalled(store, ACME, "kafka", limit=100, **filters)
        assert sorted(found) == [f"k{n:02}" for n in range(24) if passes(n)], filters


async def test_a_filter_finds_what_many_better_matches_would_hide(store: SqliteProvider) -> None:
    await fill(store, ACME, ["kafka kafka"] * 900, category=Category.DAILY)
    await put(store, ACME, "wanted", "we talked about many things and kafka", timestamp=moment(-1))
    assert await recalled(store, ACME, "kafka", category=Category.CORE) == ["wanted"]


async def test_only_the_asked_namespace_is_recalled(store: SqliteProvider) -> None:
    for namespace in (ACME, ACME_TRACES, GLOBEX, "oc/acme-1/facts2", "oc/acme-1"):
        await put(store, namespace, f"key of {namespace}", "kafka", session_id="s", timestamp=moment(0))
    assert await recalled(store, ACME, "kafka") == [f"key of {ACME}"]


async def test_another_companys_20000_entries_change_no_result_and_no_score(store: SqliteProvider) -> None:
    await fill(store, ACME, TALK * 20, session_id="s")
    queries = ["which database for the invoices", "nadia", "the", "plants friday", "8 may", "build green lunch"]

    async def answers() -> list[list[MemoryEntry]]:
        return [await store.recall(ACME, query, limit=50) for query in queries]

    before = await answers()
    for _ in range(4):
        await fill_many(store, GLOBEX, 5000)
    assert await answers() == before


async def fill_many(store: SqliteProvider, namespace: str, count: int) -> None:
    known = {s.namespace: s.count for s in await store.namespaces()}.get(namespace, 0)
    outcome = await store.import_records(
        [
            ExportRecord(
                namespace,
                f"x{known + n}",
                TALK[n % len(TALK)] + f" nadia {n}",
                Category.CORE,
                "s",
                moment(n),
                Taint.INTERNAL,
                {},
            )
            for n in range(count)
        ]
    )
    assert outcome.imported == count


async def test_another_scope_of_the_same_company_changes_no_score(store: SqliteProvider) -> None:
    await fill(store, ACME, TALK, session_id="s")
    before = await store.recall(ACME, "nadia plants")
    await fill(store, ACME_TRACES, TALK * 20, session_id="s")
    assert await store.recall(ACME, "nadia plants") == before


async def test_words_that_nearly_every_entry_has_do_not_make_recall_slow(store: SqliteProvider) -> None:
    await fill_many(store, ACME, 15_000)

    async def took(query: str) -> float:
        started = time.perf_counter()
        assert len(await recalled(store, ACME, query)) == 10
        return time.perf_counter() - started

    one = min([await took("nadia") for _ in range(3)])
    three = min([await took("nadia friday may") for _ in range(3)])
    assert three < 10 * one


async def test_a_forgotten_key_is_absent_from_recall(store: SqliteProvider, folder: Path) -> None:
    await fill(store, ACME, ["the zanzibar key", "another zanzibar key"])
    await store.forget(ACME, "k0")
    assert await recalled(store, ACME, "zanzibar") == ["k1"]
    await store.forget(ACME, "k1")
    assert await recalled(store, ACME, "zanzibar") == []
    async with SqliteProvider(folder) as other:
        assert await recalled(other, ACME, "zanzibar") == []
    await store.maintenance.compact()
    assert await recalled(store, ACME, "zanzibar") == []


async def test_a_forgotten_question_no_longer_finds_its_reply(store: SqliteProvider) -> None:
    await fill(store, ACME, TALK, session_id="s")
    await store.forget(ACME, "k0")
    assert await recalled(store, ACME, "database invoices") == []


async def test_replaced_words_no_longer_find_an_entry_and_the_new_ones_do(store: SqliteProvider) -> None:
    await put(store, ACME, "k", "the zanzibar key", timestamp=moment(0), session_id="s")
    await put(store, ACME, "k", "the tombuktu key", timestamp=moment(86400), session_id="s")
    assert await recalled(store, ACME, "zanzibar") == []
    assert await recalled(store, ACME, "friday") == []
    assert await recalled(store, ACME, "tombuktu saturday") == ["k"]


async def test_a_key_that_was_forgotten_and_stored_again_is_found_again(store: SqliteProvider) -> None:
    for _ in range(3):
        await put(store, ACME, "k", "the zanzibar key")
        assert await recalled(store, ACME, "zanzibar") == ["k"]
        await store.forget(ACME, "k")
    assert await recalled(store, ACME, "zanzibar") == []
    assert (await store.maintenance.check()).problems == ()


async def test_an_entry_has_the_fields_in_a_recall_that_get_gives(store: SqliteProvider) -> None:
    await put(store, ACME, "k", "kafka", metadata={"n": 1.0}, session_id="s", category=Category.DAILY)
    (found,) = await store.recall(ACME, "kafka")
    assert attrs.evolve(found, score=None) == await store.get(ACME, "k")
