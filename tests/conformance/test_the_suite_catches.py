"""The suite must be able to fail: each way of being broken is caught by a behaviour with a telling name."""

import pytest

from opencompany_memory.conformance.registry import behaviours
from opencompany_memory.conformance.runner import Result, run
from tests.support.memory_engine import HalfDocuments, MemoryEngine

DEFECTS = {
    "over-claims a family": "every_claimed_family_is_there",
    "claims an unknown family": "no_unknown_family_is_claimed",
    "claims less than it has": "every_family_is_claimed",
    "another contract": "the_contract_version_is_this_major",
    "health raises": "health_is_a_health",
    "closes once only": "closing_twice_does_nothing",
    "folds case of keys": "awkward_keys_are_kept_apart",
    "normalises keys": "awkward_keys_are_kept_apart",
    "strips keys": "awkward_keys_are_kept_apart",
    "cuts keys": "a_long_key_is_kept",
    "folds namespaces": "namespaces_that_look_alike_are_apart",
    "folds case of namespaces": "namespaces_that_look_alike_are_apart",
    "accepts an empty namespace": "an_empty_namespace_is_refused",
    "accepts surrogates": "a_lone_surrogate_is_refused",
    "accepts nested metadata": "nested_metadata_is_refused",
    "accepts naive timestamps": "a_timestamp_without_a_zone_is_refused",
    "races writers": "fifty_writers_on_one_key_leave_one_entry",
    "keeps nothing": "what_was_accepted_is_kept",
    "is seen late": "a_write_that_returned_is_seen_by_the_next_get",
    "upsert duplicates": "an_upsert_leaves_one_entry_with_the_new_fields",
    "upsert keeps old fields": "an_upsert_leaves_one_entry_with_the_new_fields",
    "loses duplicates of content": "the_same_text_under_two_keys_is_two_entries",
    "metadata of text": "metadata_values_keep_their_types",
    "metadata int to float": "metadata_values_keep_their_types",
    "metadata bool to int": "metadata_values_keep_their_types",
    "metadata drops none": "metadata_values_keep_their_types",
    "metadata drops dotted keys": "metadata_may_hold_awkward_text",
    "timestamp to the second": "timestamps_are_kept_to_the_microsecond",
    "timestamp is now": "timestamps_are_kept_to_the_microsecond",
    "strips content": "content_with_blanks_is_verbatim",
    "cuts content at nul": "content_with_nul_is_verbatim",
    "cuts content": "content_of_64_kib_is_verbatim",
    "normalises content": "content_with_both_normal_forms_is_verbatim",
    "folds line ends": "content_with_line_ends_is_verbatim",
    "parses json": "content_with_text_like_a_json_string_is_verbatim",
    "drops astral planes": "content_with_every_unicode_plane_is_verbatim",
    "forgets the taint": "taint_is_kept_by_get_and_list",
    "forgets the session": "a_stored_entry_comes_back_in_every_field",
    "folds custom categories": "listing_filters_by_custom_category",
    "absence is an error": "an_absent_key_is_none",
    "forgets nothing": "forgetting_twice_answers_true_then_false",
    "forgets by prefix": "forgetting_one_key_leaves_the_others",
    "forget is always true": "forgetting_what_never_was_is_false",
    "lists by namespace prefix": "listing_shows_one_namespace_only",
    "accepts a limit of zero": "a_limit_below_one_is_refused",
    "ignores category": "listing_filters_by_category",
    "ignores session": "listing_filters_by_session",
    "ties in wrong order": "listing_is_newest_first_with_ties_by_key",
    "oldest first": "listing_is_newest_first_with_ties_by_key",
    "caps at ten": "a_long_listing_is_exact",
    "never ends": "a_long_listing_is_exact",
    "prefix folds case": "listing_filters_by_key_prefix",
    "prefix is a pattern": "a_key_prefix_is_no_pattern",
    "pages by offset": "paging_survives_entries_that_are_added",
    "accepts foreign cursors": "a_foreign_cursor_is_refused",
    "accepts cursors of other filters": "a_cursor_of_another_listing_is_refused",
    "query is syntax": "words_of_a_query_are_never_syntax",
    "empty query finds all": "an_empty_query_finds_nothing",
    "recall ignores the namespace": "recall_shows_one_namespace_only",
    "recalls the forgotten": "a_forgotten_text_is_not_recalled",
    "matching counts case": "a_word_finds_the_text_that_holds_it",
    "finds anything": "an_unmatched_query_finds_nothing",
    "recall ignores category": "recall_filters_by_category",
    "recall ignores session": "recall_filters_by_session",
    "an empty scope is no scope": "an_empty_list_of_sources_matches_nothing",
    "recall ignores the scope": "recall_filters_by_source",
    "scores above one": "scores_are_between_0_and_1_and_descend",
    "ignores the least score": "a_least_score_keeps_lower_ones_out",
    "recall forgets the taint": "taint_is_kept_by_recall",
    "worst first": "more_matching_words_rank_higher",
    "recall ignores the limit": "recall_gives_at_most_its_limit",
    "lists no namespaces": "namespaces_are_enumerated_with_their_counts",
    "accepts foreign export cursors": "a_foreign_export_cursor_is_refused",
    "exports the first page only": "imported_records_are_exported_unchanged",
    "a bad record stops an import": "one_bad_record_keeps_no_other_out",
    "failures repeat content": "one_bad_record_keeps_no_other_out",
    "imports twice": "importing_twice_changes_nothing",
    "import stamps the time": "imported_records_are_exported_unchanged",
    "import stamps the taint": "imported_records_are_exported_unchanged",
    "import takes 1 for true": "importing_a_changed_record_replaces_it",
}


def _of(results: list[Result], outcome: str) -> dict[str, str]:
    return {result.behaviour.name: result.detail for result in results if result.outcome == outcome}


@pytest.mark.anyio
async def test_a_correct_driver_passes_every_behaviour() -> None:
    results = await run(MemoryEngine())
    assert _of(results, "failed") == {}
    assert {result.detail for result in results if result.outcome == "skipped"} == {
        f"{family} is not offered" for family in ("documents", "graph", "episodic", "maintenance")
    }


@pytest.mark.anyio
@pytest.mark.parametrize("defect", DEFECTS)
async def test_a_driver_that_is_broken_in_one_way_is_caught(defect: str) -> None:
    results = await run(MemoryEngine(defect), only=[DEFECTS[defect]])
    assert [result.outcome for result in results] == ["failed"], results
    assert results[0].detail


@pytest.mark.anyio
async def test_an_over_claimed_family_is_named() -> None:
    results = await run(HalfDocuments(), only=["every_claimed_family_is_there"])
    assert results[0].outcome == "failed"
    assert "documents" in results[0].detail


@pytest.mark.anyio
async def test_a_declared_limitation_skips_with_its_reason_and_nothing_else_does() -> None:
    results = await run(MemoryEngine("keeps nothing"), limitations={"retention": "it is a black hole"})
    skipped = _of(results, "skipped")
    assert "retention: it is a black hole" in skipped.values()
    assert _of(results, "failed") == {}
    assert {one.name for one in behaviours() if "retention" in one.needs} <= set(skipped)


@pytest.mark.anyio
async def test_a_driver_error_becomes_a_failure_without_its_text() -> None:
    class Leaky(MemoryEngine):
        async def get(self, namespace: str, key: str) -> None:
            raise RuntimeError("sk-canary and somebody's memory")

    results = await run(Leaky(), only=["an_absent_key_is_none"])
    assert results[0].outcome == "failed"
    assert "sk-canary" not in results[0].detail
    assert "RuntimeError" in results[0].detail


@pytest.mark.anyio
async def test_a_run_cleans_up_what_it_wrote() -> None:
    engine = MemoryEngine()
    await engine.store("oc/somebody/context", "k", "text", taint=next(iter(_taints())))
    await run(engine)
    assert set(engine.entries) == {("oc/somebody/context", "k")}


def _taints() -> list:  # type: ignore[type-arg]
    from opencompany_memory.contract import Taint

    return list(Taint)


def test_every_behaviour_says_what_it_expects() -> None:
    for one in behaviours():
        assert one.summary.endswith("."), one.name
        assert one.name == one.name.lower(), one.name
    assert len({one.name for one in behaviours()}) == len(behaviours()) > 80
