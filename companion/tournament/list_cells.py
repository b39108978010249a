# SPDX-License-Identifier: Apache-2.0
"""Cells of lists of players: ratings, dates of birth, as people write them.

Each function returns the value, or None if the text is not one. Its rule: a text that says
"unknown" is the empty value, and nothing else is.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import category, normalize

LONGEST_RATING: Final = 4
"""Digits of a rating in the federations' reports."""
TITLES: Final = frozenset(
    [
        "GM",
        "IM",
        "FM",
        "CM",
        "WGM",
        "WIM",
        "WFM",
        "WCM",
        "NM",
        "WNM",
        "HM",
        "WHM",
        "AGM",
        "AIM",
        "AFM",
        "ACM",
        "MK",
        "FIDEM",
    ]
)
"""Titles of players that federations give."""

_UNRATED: Final = re.compile(r"|[-–—.]+|0+([.,]0+)?|n/?a|unr(ated|\.)?|\*", re.IGNORECASE)
_GROUPED: Final = re.compile(r"(\d)[ .,'’](\d{3})")
"""A number with a mark between the thousands; normalised blanks are all the same."""
_WHOLE: Final = re.compile(r"(\d{1,4})[.,]0+")
_MARKED: Final = re.compile(
    r"(\d{3,4})(?:\s*[*+?!pP]|\s*[-/]\s*\d{1,4}|\s*[(\[][^()\[\]]*[)\]]|\s+[A-Za-z]+)"
)
"""A rating with a mark: provisional, its index or games, its kind."""
_YEARS: Final = range(1880, 2100)
_YEAR_FIRST: Final = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?:[ T][0-9:.]+)?")
_YEAR_LAST: Final = re.compile(r"(\d{1,2})([-/.])\s?(\d{1,2})[-/.]\s?(\d{4})(?:[ T][0-9:.]+)?")
_SEXES: Final = {
    each: sex
    for sex, words in {
        "m": "m male man männlich herr h hombre masculino homme masculin muško muški muškarac l 男 男性",
        "w": "w f female woman weiblich frau femenino mujer femme féminin ž žensko ženski žena p 女 女性",
    }.items()
    for each in words.split()
}


def plain(cell: str) -> str:
    """*cell* in one line, without control characters for printers and terminals.

    Reports have one line per player.
    """
    return " ".join("".join(each for each in cell if each.isspace() or category(each) != "Cc").split())


def rating(text: str) -> tuple[int, bool] | None:
    """The rating in *text*, 0 for none, and whether it is plainly written.

    >>> rating("1 850"), rating("1850*"), rating("unr."), rating("18500")
    ((1850, True), (1850, False), (0, True), None)
    """
    text = normalize("NFKC", text).strip()
    if text.isdecimal() and len(text) <= LONGEST_RATING:
        return int(text), True
    if _UNRATED.fullmatch(text):
        return 0, True
    if found := _GROUPED.fullmatch(text):
        return int(found[1] + found[2]), True
    if found := _WHOLE.fullmatch(text):
        return int(found[1]), True
    found = _MARKED.fullmatch(text)
    return (int(found[1]), False) if found else None


def born(text: str) -> tuple[str, bool] | None:
    """The year or date in *text*, and whether all of it was understood.

    >>> born("01.05.1990"), born("0000/00/00"), born("1990/00/00"), born("3/4/1990"), born("90")
    (('1990/05/01', True), ('', True), ('1990', True), ('1990', False), None)
    """
    text = normalize("NFKC", text).strip()
    if not text.strip("0-–/. "):
        return "", True
    if found := _YEAR_FIRST.fullmatch(text):
        return _date(found[1], int(found[2] or 0), int(found[3] or 0))
    if found := _YEAR_LAST.fullmatch(text):
        day, mark, month, year = int(found[1]), found[2], int(found[3]), found[4]
        if mark == "/" and 0 < day <= 12 < month:
            day, month = month, day
        elif mark == "/" and 0 < day <= 12 and day != month:
            return (year, False) if int(year) in _YEARS else None
        return _date(year, month, day)
    return None


def _date(year: str, month: int, day: int) -> tuple[str, bool] | None:
    if int(year) not in _YEARS or month > 12 or day > 31:
        return None
    if month and day:
        return f"{year}/{month:02}/{day:02}", True
    return year, not (month or day)


def sex(text: str) -> str | None:
    """`m`, `w` or nothing."""
    text = text.strip().casefold()
    return _SEXES.get(text.rstrip("."), None if text.strip("-–") else "")


def federation(text: str) -> str | None:
    """The three letters of a federation, as capitals."""
    text = text.strip()
    if not text.strip("-–"):
        return ""
    return text.upper() if len(text) == 3 and text.isascii() and text.isalpha() else None


def title(text: str) -> str | None:
    """A title, as it is written: any short word."""
    text = text.strip()
    if not text.strip("-–"):
        return ""
    return text if len(text) <= 5 and text.replace(".", "").isalpha() else None


def team(text: str) -> str | None:
    """The name of a team or club, which is no number."""
    return None if text.isdecimal() and len(text) >= 3 else text


def licence(text: str) -> str | None:
    """An id: one word with a digit, as federations write them."""
    text = text.strip().removesuffix(".0")
    if not text.strip("0-–"):
        return ""
    has_digit = any(map(str.isdecimal, text))
    return text if has_digit and len(text) <= 12 and re.fullmatch(r"[A-Za-z0-9._/-]+", text) else None
