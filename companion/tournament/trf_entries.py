# SPDX-License-Identifier: Apache-2.0
"""What a federation's report tells of one player in one round: opponent, colour, result.

"  12 w 1"    "0000 - U"    "        " (not paired)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from companion.tournament.values import DRAW, LOSS, WIN, Bye, Number, Points

WIDTH: Final = 10
"""Columns of a round: eight, and two blanks."""
POINTS: Final[dict[str, Points]] = {
    **dict.fromkeys("1W+UF", WIN),
    **dict.fromkeys("=DH", DRAW),
    **dict.fromkeys("0L-Z", LOSS),
}
BYES: Final = {Bye.ALLOCATED: "U", Bye.FULL: "F", Bye.HALF: "H", Bye.ZERO: "Z"}
"""Codes of byes."""
FORFEITS: Final = frozenset("+-")
UNRATED: Final = frozenset("WDL")
REPLIES: Final = {"1": "0", "0": "1", "=": "=", "W": "L", "L": "W", "D": "D", "+": "-", "-": "+"}
"""What the opponent's result is, if it is not told."""
_GAMES: Final = frozenset(REPLIES)
_BEFORE: Final = {"=": "H", "-": "Z", "": "Z"}
"""Codes of byes in reports before 2016, and of programs between rounds."""
_GUESSED: Final = {"1": "F", "W": "F", "D": "H", "0": "Z", "L": "Z"}
"""Results without an opponent, as byes."""
_RESULT: Final = r"[10=½+\-*wdlhfuzWDLHFUZ]"
_FITS: Final = re.compile(rf"[ \d]{{4}} [wbWB -] (?:{_RESULT}| )  ")
_LOOSE: Final = re.compile(rf"\s*(\d{{1,4}})\s*([wbWB-])\s*({_RESULT})\s*")


@dataclass(frozen=True, slots=True)
class Entry:
    """One player's round."""

    opponent: Number = 0
    """The number in the report; 0 without an opponent."""
    colour: str = ""
    """`w` or `b`; empty if it is not told."""
    result: str = ""
    """One of the federation's codes; empty if it is not told."""
    text: str = ""
    is_bad: bool = False
    """True if it cannot be read."""
    read: str = ""
    """As what *text* was read, if that is a guess."""

    @property
    def bye(self) -> Bye:
        """The bye of an entry without an opponent."""
        return next((bye for bye, code in BYES.items() if code == self.result), Bye.ZERO)


BLANK: Final = Entry()


def fits(text: str) -> bool:
    """True if the ten columns of *text* are those of an entry."""
    return not text.strip() or (_FITS.fullmatch(text) is not None and " " not in text[:4].strip())


def entry_of(text: str) -> Entry:
    """The entry in the ten columns *text*."""
    if not text.strip():
        return BLANK
    if fits(text):
        return _entry(text, text[:4].strip(), text[5], text[7])
    loose = _LOOSE.fullmatch(text)
    if loose is None:
        return Entry(text=text.strip(), is_bad=True)
    found = _entry(text, *loose.groups())
    return Entry(
        found.opponent,
        found.colour,
        found.result,
        found.text,
        found.is_bad,
        f"{loose[1]} {loose[2]} {loose[3]}",
    )


def _entry(text: str, opponent: str, colour: str, result: str) -> Entry:
    number, side = int(opponent or 0), colour.lower().strip(" -")
    code = result.upper().replace("½", "=").strip()
    if not number:
        return _without_opponent(text, opponent, code)
    if code in ("*", "Z"):
        code = ""
    is_game = not code or code in _GAMES
    return Entry(number, side, code if is_game else "", text.strip(), is_bad=not is_game)


def _without_opponent(text: str, opponent: str, code: str) -> Entry:
    """A bye. A won game without an opponent is a team's board that stayed empty.

    Without a code, a zero is one.
    """
    if code == "*" or (not code and not opponent):
        return BLANK
    if code in _GUESSED:
        return Entry(result=_GUESSED[code], text=text.strip(), read=f"0000 - {_GUESSED[code]}")
    return Entry(result=_BEFORE.get(code, code), text=text.strip())
