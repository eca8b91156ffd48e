"""Which entries answer a query, and in what order.

BM25F over an entry's words, its date and the conversation around it. Okapi BM25 saturates how often a term occurs:
each term counts `idf * o / (1 + o)`, where `o = tf / (k1 * (1 - b + b * length / average))`. FTS5's `bm25()`
(https://sqlite.org/fts5.html#the_bm25_function) gives that number for one term; it is turned back into `o`, the same
`o` of the entries directly before and after in the session is added with a lower weight, and the sum is saturated
again. So a short answer is found by the words of the question that it answers, and the index needs no second copy of
anybody's text.

The score is the part of the query's information that the entry covers: 0..1, and it depends on nothing outside the
namespace.
"""

import json
import math
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from opencompany_memory.store.schema import words_table
from opencompany_memory.store.text import MAX_TERMS, query_terms

DAY_WEIGHT: Final = 0.33
NEIGHBOUR_WEIGHTS: Final = (0.5, 0.25)
"""Weight of the entry one step away in the session, two steps away."""

_REACH: Final = len(NEIGHBOUR_WEIGHTS)
_LONG: Final = 500
"""A session of more entries is not looked at whole."""
_K1_PLUS_1: Final = 2.2  # of FTS5's bm25(): k1 is 1.2
_IDF_FLOOR: Final = 1e-6  # of FTS5's bm25()
_SEEDS: Final = 200
"""How many entries, best by their own words, are looked at together with their neighbours."""
_ROW_BUDGET: Final = 20_000
"""How many index rows are fetched before the commonest terms are only looked up for the entries already found.

Of a query of nothing but commoner terms, the latest rows of its rarest are fetched.
"""

Odds = dict[int, float]
Admits = Callable[[Sequence[int]], Mapping[int, tuple[int, str]]]


@frozen
class _Term:
    expression: str
    frequency: int
    idf: float


@frozen
class _Sequence:
    """Entries of a session in order; those from `first` to before `last` have all their neighbours in it."""

    entries: Sequence[int]
    first: int
    last: int


class _Index:
    """The full-text table of one namespace."""

    def __init__(self, connection: sqlite3.Connection, table: str) -> None:
        self._execute = connection.execute
        self._table = table
        (self._documents,) = self._execute(f"SELECT count(*) FROM {table}_docsize").fetchone()

    def terms(self, query: str) -> tuple[list[_Term], float]:
        """The terms that occur, rarest first, and the information of all terms, found or not."""
        found: list[_Term] = []
        total_idf = 0.0
        count = f"SELECT count(*) FROM {self._table} WHERE {self._table} MATCH ?"
        for expression in query_terms(query)[: 4 * MAX_TERMS]:
            (frequency,) = self._execute(count, (expression,)).fetchone()
            idf = math.log(1 + (self._documents - frequency + 0.5) / (frequency + 0.5))
            total_idf += idf
            if frequency:
                found.append(_Term(expression, frequency, idf))
        found.sort(key=lambda term: (term.frequency, term.expression))
        return found[:MAX_TERMS], total_idf

    def odds(self, term: _Term, *, among: Sequence[int] | None = None) -> Odds:
        """How often `term` occurs in each entry, in the terms of the module docstring."""
        scores = f"SELECT rowid, bm25({self._table}, 1.0, {DAY_WEIGHT}) FROM {self._table} WHERE {self._table} MATCH ?"
        if among is not None:
            # The plus keeps SQLite from looking the term up anew for each entry: one walk over its rows is far cheaper.
            rows = self._execute(
                f"{scores} AND +rowid IN (SELECT value FROM json_each(?))", (term.expression, json.dumps(among))
            )
        elif term.frequency > _ROW_BUDGET:
            rows = self._execute(f"{scores} ORDER BY rowid DESC LIMIT {_ROW_BUDGET}", (term.expression,))
        else:
            rows = self._execute(scores, (term.expression,))
        frequency = term.frequency
        fts5_idf = max(_IDF_FLOOR, math.log((self._documents - frequency + 0.5) / (frequency + 0.5)))
        return {entry: _odds(-score / (fts5_idf * _K1_PLUS_1)) for entry, score in rows}


def rank(
    connection: sqlite3.Connection, namespace_id: int, query: str, *, limit: int, admits: Admits
) -> list[tuple[int, float]]:
    """At most `limit` (entry id, score), best first; ties by newest, then by key.

    `admits` gives back those of some entry ids that may be answered with, each with what decides a tie.
    """
    index = _Index(connection, words_table(namespace_id))
    terms, total_idf = index.terms(query)
    if not terms:
        return []
    light, heavy = _split(terms)
    odds = {term: index.odds(term) for term in light}
    sequences = list(_sequences(connection, namespace_id, _best(odds, admits, max(_SEEDS, 4 * limit))))
    around = sorted({entry for sequence in sequences for entry in sequence.entries})
    for term in heavy:
        odds[term] = index.odds(term, among=around)
    scores = _score(odds, sequences)
    return [(entry, min(1.0, scores[entry] / total_idf)) for entry in _first(scores, admits, limit)]


def _split(terms: Sequence[_Term]) -> tuple[list[_Term], list[_Term]]:
    """The terms whose rows are all fetched, the rarest always, and those looked up only where others were found."""
    spent = 0
    for count, term in enumerate(terms):
        spent += term.frequency
        if spent > _ROW_BUDGET and count:
            return list(terms[:count]), list(terms[count:])
    return list(terms), []


def _odds(saturated: float) -> float:
    saturated = min(max(saturated, 0.0), 0.999)
    return saturated / (1 - saturated)


def _best(odds: Mapping[_Term, Odds], admits: Admits, count: int) -> list[int]:
    """The `count` admitted entries that are best by their own words alone."""
    own: dict[int, float] = {}
    for term, rows in odds.items():
        for entry, odd in rows.items():
            own[entry] = own.get(entry, 0.0) + term.idf * odd / (1 + odd)
    ordered = sorted(own, key=lambda entry: (-round(own[entry], 9), -entry))
    best: list[int] = []
    for start in range(0, len(ordered), 500):
        batch = ordered[start : start + 500]
        allowed = admits(batch)
        best.extend(entry for entry in batch if entry in allowed)
        if len(best) >= count:
            break
    return best[:count]


def _sequences(connection: sqlite3.Connection, namespace_id: int, seeds: Sequence[int]) -> Iterator[_Sequence]:
    """The sessions of the seeds; of a long one, what is around each seed."""
    sql = "SELECT id, session, at FROM entries WHERE id IN (SELECT value FROM json_each(?))"
    by_session: dict[str | None, list[tuple[int, int]]] = {}
    for seed, session, at in connection.execute(sql, (json.dumps(seeds),)):
        by_session.setdefault(session, []).append((seed, at))
    for seed, _ in by_session.pop(None, ()):
        yield _Sequence([seed], 0, 1)
    for session, those in by_session.items():
        whole = [row[0] for row in connection.execute(_WHOLE, (namespace_id, session, _LONG + 1))]
        if len(whole) <= _LONG:
            yield _Sequence(whole, 0, len(whole))
            continue
        for seed, at in those:
            yield _window(connection, (namespace_id, session, at, seed, 2 * _REACH))


def _window(connection: sqlite3.Connection, here: tuple[int, str | None, int, int, int]) -> _Sequence:
    """A seed, its neighbours, and their neighbours."""
    before = [row[0] for row in connection.execute(_BEFORE, here)]
    after = [row[0] for row in connection.execute(_AFTER, here)]
    middle = len(before)
    entries = [*reversed(before), here[3], *after]
    return _Sequence(entries, max(0, middle - _REACH), min(len(entries), middle + _REACH + 1))


_WHOLE: Final = "SELECT id FROM entries WHERE ns = ? AND session = ? ORDER BY at, id LIMIT ?"
_BEFORE: Final = (
    "SELECT id FROM entries WHERE ns = ? AND session = ? AND (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?"
)
_AFTER: Final = "SELECT id FROM entries WHERE ns = ? AND session = ? AND (at, id) > (?, ?) ORDER BY at, id LIMIT ?"


def _score(odds: Mapping[_Term, Odds], sequences: Iterable[_Sequence]) -> dict[int, float]:
    """The score of every entry that has one, seeds and their neighbours alike."""
    scores: dict[int, float] = {}
    for sequence in sequences:
        entries, first, last = sequence.entries, sequence.first, sequence.last
        found = [0.0] * len(entries)
        for term, rows in odds.items():
            for position, odd in enumerate(_combined(rows, entries)):
                if odd:
                    found[position] += term.idf * odd / (1 + odd)
        scores.update((entries[position], found[position]) for position in range(first, last) if found[position])
    # Rounded, so that sums of the same parts in another order are equal, and what is first has no lower score.
    return {entry: round(score, 9) for entry, score in scores.items()}


def _combined(rows: Odds, entries: Sequence[int]) -> list[float]:
    """The odds of each entry of a sequence, with those of its neighbours added."""
    combined = [0.0] * len(entries)
    for position, entry in enumerate(entries):
        odd = rows.get(entry)
        if odd is None:
            continue
        combined[position] += odd
        for distance, weight in enumerate(NEIGHBOUR_WEIGHTS, start=1):
            if position >= distance:
                combined[position - distance] += weight * odd
            if position + distance < len(entries):
                combined[position + distance] += weight * odd
    return combined


def _first(scores: Mapping[int, float], admits: Admits, limit: int) -> list[int]:
    """The `limit` best entries that are admitted; ties by what `admits` says."""
    ordered = sorted(scores, key=lambda entry: (-scores[entry], entry))
    step = max(64, 2 * limit)
    best: list[tuple[float, tuple[int, str], int]] = []
    for start in range(0, len(ordered), step):
        # A tie with the last of them may still come, so all of one score are looked at.
        if len(best) >= limit and scores[ordered[start]] < -best[limit - 1][0]:
            break
        admitted = admits(ordered[start : start + step])
        best = sorted([*best, *((-scores[entry], tie, entry) for entry, tie in admitted.items())])
    return [entry for _, _, entry in best[:limit]]
