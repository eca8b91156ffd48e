"""Recall: relevance, filters, and queries that are only words."""

from opencompany_memory.conformance.bench import Bench, keys
from opencompany_memory.conformance.registry import behaviour
from opencompany_memory.contract import Category, MemoryEntry, SourceScope

_MATCHING = ("retention", "matching")


async def _recall(bench: Bench, query: str, **filters: object) -> list[MemoryEntry]:
    return list(await bench.provider.recall(bench.namespace(), query, **filters))  # type: ignore[arg-type]


@behaviour("recall", needs=_MATCHING)
async def a_word_finds_the_text_that_holds_it(bench: Bench) -> None:
    """And the text comes back whole."""
    await bench.store(bench.namespace(), "zebra", "A Zebra crossed the street.")
    await bench.store(bench.namespace(), "lion", "A lion slept in the shade.")

    async def check() -> None:
        found = await _recall(bench, "zebra")
        assert keys(found)[:1] == ["zebra"], "the text that holds the word is not found first"
        assert found[0].content == "A Zebra crossed the street.", "the text did not come back whole"

    await bench.eventually(check)


@behaviour("recall", needs=_MATCHING)
async def more_matching_words_rank_higher(bench: Bench) -> None:
    """A text with three of the words comes before one with one of them."""
    namespace = bench.namespace()
    await bench.store(namespace, "one", "An umbrella stood in the hall beside a clock and a chair.")
    await bench.store(namespace, "three", "The yellow umbrella was lost on the ferry to the island.")
    await bench.store(namespace, "none", "Breakfast is at eight in the dining room downstairs.")

    async def check() -> None:
        found = keys(await _recall(bench, "yellow umbrella ferry"))
        assert found[:2] == ["three", "one"], "the text with more of the words is not first"

    await bench.eventually(check)


@behaviour("recall", needs=_MATCHING)
async def recall_gives_at_most_its_limit(bench: Bench) -> None:
    """And as many as there are, up to it."""
    for number in range(12):
        await bench.store(bench.namespace(), f"k{number}", f"zebra number {number}")

    async def check() -> None:
        for limit in (1, 5, 12, 50):
            found = await _recall(bench, "zebra", limit=limit)
            assert len(found) == min(limit, 12), f"a limit of {limit} over 12 matches gave {len(found)}"
            assert len(set(keys(found))) == len(found), "an entry was recalled twice"

    await bench.eventually(check)


@behaviour("recall", needs=_MATCHING)
async def scores_are_between_0_and_1_and_descend(bench: Bench) -> None:
    """Or all None, where the engine has none."""
    for number in range(6):
        await bench.store(bench.namespace(), f"k{number}", "zebra " * (number + 1) + "street " * 3)

    async def check() -> None:
        scores = [entry.score for entry in await _recall(bench, "zebra street")]
        assert len(scores) == 6, "not all matches were recalled"
        known = [score for score in scores if score is not None]
        assert len(known) in (0, 6), "some hits have a score and some have none"
        assert all(0 <= score <= 1 for score in known), "a score is outside 0..1"
        assert known == sorted(known, reverse=True), "the most relevant does not come first"

    await bench.eventually(check)


@behaviour("recall", needs=_MATCHING)
async def a_least_score_keeps_lower_ones_out(bench: Bench) -> None:
    """At the score of the second hit, nothing below it comes back."""
    words = ("zebra", "walrus", "heron", "badger")
    for number in range(4):
        await bench.store(bench.namespace(), f"k{number}", f"about the {' and the '.join(words[: number + 1])}")

    async def check() -> None:
        found = await _recall(bench, " ".join(words))
        assert len(found) == 4, "not all matches were recalled"
        least = found[1].score
        if least is None:
            return
        kept = await _recall(bench, " ".join(words), min_score=least)
        assert all(entry.score is not None and entry.score >= least for entry in kept), "a lower score came back"
        assert {entry.key for entry in kept} >= set(keys(found[:2])), "a score that is high enough was kept out"

    await bench.eventually(check)


async def _store_for_filters(bench: Bench) -> None:
    namespace = bench.namespace()
    await bench.store(namespace, "a", "zebra one", category=Category.CORE, session_id="s1", metadata={"source": "wiki"})
    await bench.store(
        namespace, "b", "zebra two", category=Category.custom("core"), session_id="s2", metadata={"source": "mail"}
    )
    await bench.store(namespace, "c", "zebra three", category=Category.DAILY)


async def _expect(bench: Bench, expected: set[str], **filters: object) -> None:
    await _store_for_filters(bench)

    async def check() -> None:
        assert set(keys(await _recall(bench, "zebra", **filters))) == expected, f"with {sorted(filters)}: other entries"

    await bench.eventually(check)


@behaviour("recall", needs=_MATCHING)
async def recall_filters_by_category(bench: Bench) -> None:
    """`custom:core` is not `core`."""
    await _expect(bench, {"a"}, category=Category.CORE)


@behaviour("recall", needs=_MATCHING)
async def recall_filters_by_session(bench: Bench) -> None:
    """Exactly this session."""
    await _expect(bench, {"b"}, session_id="s2")


@behaviour("recall", needs=_MATCHING)
async def recall_filters_by_source(bench: Bench) -> None:
    """Only sources that are allowed; an entry without a source is in none."""
    await _expect(bench, {"a"}, scope=SourceScope(frozenset({"wiki"})))


@behaviour("recall", needs=("retention",))
async def an_empty_list_of_sources_matches_nothing(bench: Bench) -> None:
    """A caller who computed "no sources" must not get all of them."""
    await _store_for_filters(bench)
    assert await _recall(bench, "zebra", scope=SourceScope(frozenset())) == [], (
        "an empty allow list let something through"
    )


@behaviour("recall", needs=("retention",))
async def an_empty_query_finds_nothing(bench: Bench) -> None:
    """Nothing asked, nothing found; blanks and punctuation are nothing too."""
    await bench.store(bench.namespace(), "k", "some text")
    for query in ("", " ", "\n\t"):
        assert await _recall(bench, query) == [], "an empty query found something"


@behaviour("recall", needs=_MATCHING)
async def an_unmatched_query_finds_nothing(bench: Bench) -> None:
    """A word that stands nowhere finds no text."""
    await bench.store(bench.namespace(), "k", "some text about gardening")
    assert await _recall(bench, "xylophonist") == [], "a word that stands nowhere found something"


@behaviour("recall", needs=("retention",))
async def words_of_a_query_are_never_syntax(bench: Bench) -> None:
    """Quotes, operators, wildcards, column names, emoji and control characters are words or nothing, never an error."""
    await bench.store(bench.namespace(), "k", "host pve-01 isn't C:\\tmp, status: done; retry OR fail, version 20.04")
    for query in _QUERIES:
        found = await _recall(bench, query)
        assert isinstance(found, list), "recall gives a list"
        assert all(entry.key == "k" for entry in found)


_QUERIES = (
    '"', '"half', "'", "don't", "status: done", "pve-01", "retry OR", "OR", "AND", "NOT", "NEAR", "NEAR(a b, 5)",
    "a NEAR b", "*", "do*", "^done", "-done", "+done", "k:done", "content:done", "{done}", "(done", "done)", "[done]",
    "C:\\tmp", "20.04", "%", "_", "$", ";", "; DROP TABLE entries", "--", "/*", "\\", "\x00", "done\x00done", "🙂",
    "👩‍👩‍👧‍👦",
    "日志", "مرحبا", "\u0301", "\u202e", "\ufeff", "a" * 10_000, "done " * 2_000, "the of and", "?", "!", "§",
)  # fmt: skip


@behaviour("recall", needs=_MATCHING)
async def words_beside_punctuation_are_found(bench: Bench) -> None:
    """What a person would type finds the text that it was typed about."""
    await bench.store(bench.namespace(), "k", "host pve-01 isn't C:\\tmp, status: done; retry OR fail, version 20.04")

    async def check() -> None:
        for query in ("status: done", "pve-01", "isn't", "retry OR", '"half done', "20.04", "C:\\tmp", "DONE"):
            assert keys(await _recall(bench, query)) == ["k"], f"{query!r} does not find the text that holds it"

    await bench.eventually(check)


@behaviour("recall", needs=("retention", "matching", "dense-scripts"))
async def substrings_of_dense_scripts_are_found(bench: Bench) -> None:
    """Chinese, Japanese and Korean without spaces, and latin words glued to them."""
    namespace = bench.namespace()
    await bench.store(namespace, "zh", "部署svc-kafka后日志清零")
    await bench.store(namespace, "ja", "来週の打ち合わせで承認をもらう")
    await bench.store(namespace, "ko", "다음주회의에서승인")

    async def check() -> None:
        expected = {"日志": "zh", "kafka": "zh", "打ち合わせ": "ja", "承認": "ja", "회의": "ko"}
        for query, key in expected.items():
            assert keys(await _recall(bench, query)) == [key], f"{query!r} does not find the text that holds it"

    await bench.eventually(check)


@behaviour("recall", needs=_MATCHING)
async def a_forgotten_text_is_not_recalled(bench: Bench) -> None:
    """Deleted in the table and still in the index is not deleted."""
    namespace = bench.namespace()
    await bench.store(namespace, "gone", "the zebra password", session_id="s")
    await bench.store(namespace, "stays", "a reply to it about a zebra", session_id="s")

    async def there() -> None:
        assert len(await _recall(bench, "zebra")) == 2, "not all matches were recalled"

    await bench.eventually(there)
    await bench.provider.forget(namespace, "gone")
    assert keys(await _recall(bench, "zebra")) == ["stays"], "a forgotten text is still recalled"
    assert all(entry.key != "gone" for entry in await _recall(bench, "password")), "a forgotten text is still recalled"


@behaviour("recall", needs=_MATCHING)
async def a_replaced_text_is_not_recalled_by_its_old_words(bench: Bench) -> None:
    """After an upsert the new words find it, and the old ones don't."""
    namespace = bench.namespace()
    await bench.store(namespace, "k", "the walrus")
    await bench.store(namespace, "k", "the zebra")

    async def check() -> None:
        assert keys(await _recall(bench, "zebra")) == ["k"], "the new words do not find it"
        assert await _recall(bench, "walrus") == [], "the old words still find it"

    await bench.eventually(check)
