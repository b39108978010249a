# SPDX-License-Identifier: Apache-2.0
"""One tournament in the forms in which programs write their reports; all names are invented.

The forms were taken from files of these programs: how byes, forfeits, dates, titles, sexes and
missing ratings are written, which lines there are besides, and how lines end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from companion.tournament.values import DRAW, LOSS, WIN, Bye, Pairing, Player, Round

PLAYERS: Final = (
    Player(1, "Alba, Ana", 2400, "GM", "CRO", "14500001", "1990", "w"),
    Player(2, "Berg, Ben", 2300, "IM", "GER", "4600002", "1985", "m"),
    Player(3, "Cole, Cid", 2200, "FM", "ENG", "400003", "1978", "m"),
    Player(4, "Dorn, Dan", 2100, "", "AUT", "1600004", "", "m"),
    Player(5, "Ekholm, Eva", 0, "", "SWE", "", "2001", "w"),
)
ROUNDS: Final = (
    Round(
        1,
        (Pairing(1, (1, 3), (WIN, LOSS)), Pairing(2, (4, 2), (DRAW, DRAW))),
        ((5, Bye.ALLOCATED),),
    ),
    Round(
        2,
        (Pairing(1, (2, 1), (LOSS, WIN)), Pairing(2, (5, 4), (LOSS, WIN), is_forfeit=True)),
        ((3, Bye.HALF),),
    ),
    Round(3, (Pairing(1, (1, 4), (DRAW, DRAW)), Pairing(2, (3, 2), (LOSS, WIN))), ((5, Bye.ZERO),)),
)
_POINTS: Final = {1: 2.5, 2: 1.5, 3: 0.5, 4: 2.0, 5: 1.0}
_RANKS: Final = {1: 1, 4: 2, 2: 3, 5: 4, 3: 5}
_OLD: Final = {"GM": "g", "IM": "m", "FM": "f"}


@dataclass(frozen=True)
class Dialect:
    """How a program writes."""

    head: tuple[str, ...] = ()
    foot: tuple[str, ...] = ()
    end: str = "\n"
    titles: dict[str, str] | None = None
    """Codes of titles, or None where none are written."""
    sexes: str = "mw"
    """Signs of men and women; none if empty."""
    born: str = "{}"
    unrated: str = ""
    no_id: str = ""
    is_bare: bool = False
    """True if only names, ratings and points are written."""
    has_ranks: bool = True
    byes: dict[Bye, str] | None = None
    """Entries of byes; the codes of TRF16 if None."""
    has_colours: bool = True
    """False if a forfeit has the colour `-`."""
    after: str = ""
    """What ends a line of a player."""


_TRF16: Final = {bye: f"0000 - {code}" for bye, code in zip(Bye, "UFHZ", strict=True)}
DIALECTS: Final = {
    "swiss-manager": Dialect(
        head=(
            *("012 Open", "022 Graz", "032 AUT", "042 2026/07/01", "052 2026/07/03", "062 5 (4)", "072 4"),
            *("082 0", "092 Individual: Swiss-System", "102 IA Ida Ruf", "122 90 min", "142 3"),
            f"{'132':<91}26/07/01  26/07/02  26/07/03",
            *("", "         1         2         3", "1234567890" * 12),
            "DDD SSSS sTTT NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN RRRR FFF IIIIIIIIIII BBBB/BB/BB PPPP RRRR",
        ),
        foot=("",),
        end="\r\n",
        titles={"GM": "gm", "IM": "im", "FM": "fm"},
        sexes="mf",
        born="{}/00/00",
        unrated="0000",
        no_id="0",
        byes={**_TRF16, Bye.ZERO: "0000 - -"},
        after="  ",
    ),
    "javafo": Dialect(
        head=("012 Open", "042 24/09/2026", "092 Individual: Swiss-System", "112 ", "122 ", "XXR 5"),
        titles=_OLD,
        unrated="0",
        no_id="0",
        after="          ",
    ),
    "vega": Dialect(
        head=("012 Open", "042 2026-02-06", "062 5", "082 0", "092 IndividualDutch FIDE (JaVaFo)", "132"),
        titles=_OLD,
        sexes="MF",
        unrated="0",
        no_id="0",
        after=" ",
    ),
    "lichess": Dialect(
        head=(
            *("012 Open", "022 https://lichess.example/swiss/x", "032 Lichess", "042 Apr 18, 2026", "052 "),
            *("062 5", "092 Individual: Swiss-System", "XXR 3", "XXC white1"),
        ),
        is_bare=True,
        has_ranks=False,
        byes={Bye.ALLOCATED: "       U", Bye.HALF: "       H", Bye.ZERO: "       -"},
    ),
    "bbpPairings": Dialect(head=("012 Open",), foot=("XXR 3", ""), end="\r", is_bare=True),
    "sharly-chess": Dialect(
        head=(
            *("012 Open", "032 FRA", "042 2026/09/13", "062 5", "072 4", "", "### RRRRRRR1  RRRRRRR2"),
            *("142 3", "152 B", "172 NIDOF", "182 Sharly Chess", "192 FIDE_DUTCH_2026", ""),
            "### SSSS sTTT NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN RRRR FFF IIIIIIIIIII BBBB/BB/BB PPPP RRRR",
        ),
        foot=("", "### SSSS sCCC", "FRA    1 w    Alba, Ana                         2400"),
        titles=_OLD,
    ),
    "the federation's example": Dialect(
        head=("012 Open", "032", "042 28. 07. 2026", "082 0", "112 Ida Ruf, Max Ruf", "132"),
        titles=_OLD,
        sexes="",
        born="{}.00.00",
        byes={**_TRF16, Bye.ZERO: " " * 8},
        has_colours=False,
    ),
}


def report(dialect: Dialect) -> str:
    """The tournament as a program of this *dialect* writes it."""
    lines = [_line(player, dialect) for player in PLAYERS]
    return dialect.end.join([*dialect.head, *lines, *dialect.foot])


def _line(player: Player, dialect: Dialect) -> str:
    rank = f" {_RANKS[player.number]:4}" if dialect.has_ranks else " " * 5
    rounds = "".join(f"  {_entry(player.number, each, dialect)}" for each in ROUNDS)
    points = f"{_POINTS[player.number]:4.1f}"
    if dialect.is_bare:
        about = f"{'':5}{player.name:<33} {player.rating or '':>4}{'':28}"
    else:
        sex = dialect.sexes["mw".index(player.sex)] if dialect.sexes else " "
        title = (dialect.titles or {}).get(player.title, "")
        born = dialect.born.format(player.born) if player.born else ""
        about = (
            f"{sex}{title:>3} {player.name:<33} {player.rating or dialect.unrated:>4} {player.federation:3} "
            f"{player.licence or dialect.no_id:>11} {born:<10} "
        )
    return f"001 {player.number:4} {about}{points}{rank}{rounds}{dialect.after}"


def _entry(number: int, of: Round, dialect: Dialect) -> str:
    pairing = of.pairing_of(number)
    if pairing is None:
        return (dialect.byes or _TRF16)[of.bye_of(number)]
    is_first = pairing.players[0] == number
    colour = "wb"[not is_first] if dialect.has_colours or not pairing.is_forfeit else "-"
    points = pairing.of(number)
    code = "-+"[points == WIN] if pairing.is_forfeit else "0=1"[points]
    return f"{pairing.players[is_first]:4} {colour} {code}"
