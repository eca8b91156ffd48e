"""Text as the index sees it, and a query as a list of terms.

SQLite's `ascii` tokenizer splits on everything that is not a letter or digit in ASCII and takes every other character
for a letter. What that gets wrong is put right here, so that the index does not depend on the Unicode tables of one
build of SQLite: case and compatibility forms are folded, accents go, punctuation of all scripts separates, symbols such
as emoji become words, and scripts written without spaces are cut into overlapping pairs, so that any two characters of
a Chinese, Japanese, Korean or Thai text are found.
"""

import re
import unicodedata
from datetime import datetime
from typing import Final

# Scripts whose words are not separated by spaces, or are glued to particles (Hangul).
_DENSE: Final = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Myanmar, Khmer
    "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303b"  # radicals, ideographic marks
    "\u3040-\u312f\u31a0-\u31bf\u31f0-\u31ff"  # kana, bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # ideographs
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_DENSE_RUN: Final = re.compile(f"[{_DENSE}]+")
_PARTS: Final = re.compile(f"[{_DENSE}]+|[^{_DENSE}]+")
_ACCENTS: Final = re.compile("[\u0300-\u036f]+")

STOP_WORDS: Final = frozenset(
    """
    a about am an and any are as at be been being but by can could d did do does doing don for from had has have
    having he her hers him his how i if in into is it its just ll m me might mine must my of on or our ours
    re s shall she should so some t than that the their theirs them then there these they this those to us ve
    was we were what when where which who whom whose why will with would you your yours
    """.split()
)
MAX_TERMS: Final = 64
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS: Final = tuple(
    """january february march april may june july august september october november december""".split()
)


class _Table(dict[int, str]):
    """What each character becomes; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        self[code] = replacement = _replacement(chr(code))
        return replacement


def _replacement(character: str) -> str:
    if character.isascii():
        return character if character.isalnum() else " "
    category = unicodedata.category(character)
    if 0xFE00 <= ord(character) <= 0xFE0F:
        return " "  # variation selectors: the same symbol, drawn in another way
    if category[0] in "LNM":
        return character
    if category in ("So", "Cn", "Co"):
        return f" sym{ord(character):x} "
    return " "


_TABLE: Final = _Table()


def _clean(text: str) -> str:
    """Words and symbols separated by blanks, dense runs still whole."""
    folded = unicodedata.normalize("NFKD", text.casefold()).casefold()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", folded)).translate(_TABLE)


def _pairs(run: str) -> list[str]:
    """Overlapping pairs, and the last character alone, so that each character begins a piece."""
    return [run[i : i + 2] for i in range(len(run))]


def index_text(text: str) -> str:
    """`text` as it is given to the full-text index."""
    if text.isascii():
        return text
    return _DENSE_RUN.sub(lambda match: f" {' '.join(_pairs(match.group()))} ", _clean(text))


def day_text(moment: datetime) -> str:
    """The date of `moment` in words that a question would use."""
    return f"{_DAYS[moment.weekday()]} {moment.day} {_MONTHS[moment.month - 1]} {moment.year}"


def query_terms(query: str) -> list[str]:
    """The distinct terms of `query` as full-text expressions, each a quoted string: nothing in it can be syntax.

    Stop words go, unless there is nothing else.
    """
    words: dict[str, str] = {}
    for piece in _clean(query).split():
        for part in _PARTS.findall(piece):
            words.setdefault(part, _expression(part))
    telling = {word: term for word, term in words.items() if word not in STOP_WORDS}
    return list((telling or words).values())


def _expression(part: str) -> str:
    if not _DENSE_RUN.match(part):
        return f'"{part}"'
    if len(part) == 1:
        return f'"{part}" *'
    return '"' + " ".join(_pairs(part)[:-1]) + '"'
