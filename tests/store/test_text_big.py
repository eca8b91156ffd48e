"""The text as the index sees it, and a query as terms: never syntax, and the two always agree."""

import sqlite3
import unicodedata
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from opencompany_memory.store.schema import create_words_table, words_table
from opencompany_memory.store.text import STOP_WORDS, day_text, index_text, query_terms

texts = st.text(st.characters(codec="utf-8"), max_size=40)
MARKS = r"""" ' * - + ^ : ( ) { } , ; . / \ % _ ` ~ ! @ # $ & = < > ? | [ ] NEAR NEAR( AND OR NOT body day rowid 0 1"""
OTHERS = "\0 \n \t \ufeff \u200b \u200d \u2028 ａ ＂ “ 日 日志 a the \u0301"
syntax = st.lists(st.sampled_from([*MARKS.split(" "), *OTHERS.split(" ")]), max_size=12).flatmap(
    lambda parts: st.sampled_from(["".join(parts), " ".join(parts)])
)


class Index:
    """A real full-text table."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:")
        create_words_table(self.connection, 1)

    def finds(self, text: str, query: str) -> bool:
        """Whether every term of the query matches the text."""
        table = words_table(1)
        self.connection.execute(f"INSERT INTO {table} (rowid, body, day) VALUES (1, ?, '')", (index_text(text),))
        try:
            terms = query_terms(query)
            return bool(terms) and all(
                self.connection.execute(f"SELECT count(*) FROM {table} WHERE {table} MATCH ?", (term,)).fetchone()[0]
                for term in terms
            )
        finally:
            delete = f"INSERT INTO {table} ({table}, rowid, body, day) VALUES ('delete', 1, ?, '')"
            self.connection.execute(delete, (index_text(text),))


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    made = Index()
    with closing(made.connection):
        yield made


@settings(max_examples=8000, suppress_health_check=[HealthCheck.too_slow])
@given(texts | syntax)
@example('"half')
@example("retry OR")
@example("NEAR(a b, 3)")
@example('"' * 50)
def test_no_term_is_ever_rejected_by_the_index(index: Index, query: str) -> None:
    index.finds("", query)


@settings(max_examples=8000, suppress_health_check=[HealthCheck.too_slow])
@given(texts | syntax)
def test_a_text_is_found_by_itself(index: Index, text: str) -> None:
    if query_terms(text):
        assert index.finds(text, text)


@settings(max_examples=8000, suppress_health_check=[HealthCheck.too_slow])
@given(texts, st.sampled_from(["kafka", "日志", "😀", "привет", "étage"]), texts)
def test_a_word_between_any_two_texts_is_found(index: Index, before: str, word: str, after: str) -> None:
    assert index.finds(f"{before} {word} {after}", word)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("host pve-01 isn't C:\\tmp", "pve-01"),
        ("host pve-01 isn't C:\\tmp", "isn't"),
        ("host pve-01 isn't C:\\tmp", "C:\\tmp"),
        ("host pve-01 isn't C:\\tmp", "ISN’T"),
        ("status: done", "status:done"),
        ("Ubuntu 20.04", "20.04"),
        ("rotate the key\0 on Monday", "Monday"),
        ("rotate the key\0on Monday", "on"),
        ("部署svc-kafka后日志清零", "日志"),
        ("部署svc-kafka后日志清零", "kafka"),
        ("部署svc-kafka后日志清零", "svc-kafka"),
        ("部署svc-kafka后日志清零", "后日志清"),
        ("部署svc-kafka后日志清零", "零"),
        ("部署svc-kafka后日志清零", "署"),
        ("来週の打ち合わせで承認をもらう", "打ち合わせ"),
        ("来週の打ち合わせで承認をもらう", "承認"),
        ("다음주회의에서승인", "회의"),
        ("다음주회의에서승인", "승인"),
        ("ﾃﾞｰﾀﾍﾞｰｽ", "データベース"),
        ("データベース", "ﾃﾞｰﾀﾍﾞｰｽ"),
        ("が", "か\u3099"),
        ("การประชุม", "ประชุม"),
        ("𠮷野家", "𠮷野"),
        ("Ｋａｆｋａ", "kafka"),
        ("caf\u00e9", "cafe"),
        ("cafe", "cafe\u0301"),
        ("STRASSE", "straße"),
        ("İstanbul", "istanbul"),
        ("Σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("ﬁne", "fine"),
        ("shipped 🚀!", "🚀"),
        ("shipped🚀today", "today"),
        ("love ❤️", "❤"),
        ("👩\u200d💻 wrote it", "👩"),
        ("the keys were rotating", "rotated key"),
        ("snake_case_name", "case"),
        ("‘quoted’ “text”", "quoted text"),
        ("naïve—coöperation…done", "cooperation done"),
        ("हिन्दी में", "हिन्दी"),
        ("שָׁלוֹם", "שָׁלוֹם"),
        ("a", "a"),
        ("to be or not to be", "to be"),
        ("x" * 40_000, "x" * 40_000),
    ],
)
def test_what_a_person_would_look_for_is_found(index: Index, text: str, query: str) -> None:
    assert index.finds(text, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("日志", "志日"),
        ("日x志", "日志"),
        ("日 志", "日志"),
        ("🚀", "😀"),
        ("kafka", "kafk"),
        ("", "x"),
        ("key", "day"),
    ],
)
def test_what_is_not_there_is_not_found(index: Index, text: str, query: str) -> None:
    assert not index.finds(text, query)


@pytest.mark.parametrize("query", ["", " ", "\0", "\n\t", "...", "-*:\"'", "\u200b\u200d\ufeff", "\u0301", "\ufe0f"])
def test_a_query_without_words_has_no_terms(query: str) -> None:
    assert query_terms(query) == []


def test_stop_words_count_only_when_there_is_nothing_else() -> None:
    assert query_terms("the kafka of the") == ['"kafka"']
    assert query_terms("What is the") == ['"what"', '"is"', '"the"']
    assert all(query_terms(word) for word in STOP_WORDS)


def test_a_term_is_asked_for_once() -> None:
    assert query_terms("Kafka kafka KAFKA ｋａｆｋａ") == ['"kafka"']


@settings(max_examples=8000)
@given(texts)
def test_the_form_in_the_index_does_not_depend_on_composition(text: str) -> None:
    if not text.isascii():
        composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
        assert index_text(composed).split() == index_text(decomposed).split()


def test_a_date_is_words() -> None:
    assert day_text(datetime(2023, 5, 8, 13, 56, tzinfo=UTC)) == "monday 8 may 2023"
