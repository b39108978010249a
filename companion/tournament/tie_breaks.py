# SPDX-License-Identifier: Apache-2.0
"""Tie-breaks of players and teams, by name.

Source: FIDE tie-break regulations (Handbook C.07, in force from March 2026), with article numbers.
They concern two players at a table;
with more, everybody at the table is an opponent who was beaten, drawn with or lost to.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Final, TypeAlias, TypeVar

from companion.tournament.elo import perfect_performance, performance, rounded
from companion.tournament.score_books import Books, Score, Share, points_against
from companion.tournament.values import DRAW, WIN, Number, Played

DIRECT: Final = "direct-encounter"
FORE: Final = "fore-buchholz"
"""The Buchholz as if all games of the last round were drawn (8.3)."""
BOARD_POINTS: Final = "board-points"
"""Total points of a team's players; for individual players, their points (13.1)."""
PAIRING_NUMBER: Final = "pairing-number"
"""The starting number, the lowest first (7.8)."""

FORE_CUT: Final = "fore-buchholz-cut-1"

Value: TypeAlias = Callable[[Books, Number], Fraction]
Ordered: TypeAlias = tuple[Mapping[Number, Fraction], list[list[Number]]]
"""Values to show, and those who were tied in the order of their places."""
Key = TypeVar("Key", Fraction, int, tuple[int, ...])
_HUNDREDTHS: Final = 100


def _total(shares: Iterable[Share]) -> Fraction:
    return sum((each.value for each in shares), Fraction())


def _cut(shares: Iterable[Share], lowest: int, highest: int = 0) -> Fraction:
    """The sum of *shares* without those of the *lowest* and *highest* opponents (14).

    A declined round is cut first, unless its value is below that of the lowest opponent (16.5).
    """
    left = sorted(shares, key=lambda each: (each.opponent, each.value))
    for _ in range(min(lowest, len(left))):
        declined = next((each for each in left if each.is_declined), left[0])
        left.remove(left[0] if left[0].value > declined.value else declined)
    return _total(left[: max(0, len(left) - highest)])


def _buchholz(books: Books, number: Number) -> Fraction:
    """The points of all opponents (8.1)."""
    return _total(books.shares(number, books.primary))


def _buchholz_cut(books: Books, number: Number, lowest: int = 1, highest: int = 0) -> Fraction:
    return _cut(books.shares(number, books.primary), lowest, highest)


def _average_of_opponents(books: Books, number: Number, of: Value, digits: int = 0) -> Fraction:
    """The average of a value of the opponents met over the board, halves rounded up."""
    met = [of(books, other) for _, other in books.opponents(number, is_played=True)]
    steps = 10**digits
    return Fraction(rounded(steps * sum(met, Fraction()) / len(met)), steps) if met else Fraction()


def _kinds(books: Books, *, theirs: bool, mine: bool) -> tuple[Score, Score]:
    """The opponents' and the own points; True for the secondary ones."""
    return (books.secondary if theirs else books.primary), (books.secondary if mine else books.primary)


def _sonneborn_berger(
    books: Books, number: Number, lowest: int = 0, *, theirs: bool = False, mine: bool = False
) -> Fraction:
    """The opponents' points, each multiplied by the points scored against them (9.1, 13.2).

    With *theirs* the opponents' board points, with *mine* the board points against them.
    """
    return _cut(books.shares(number, *_kinds(books, theirs=theirs, mine=mine)), lowest)


def _schedule_strength(books: Books, number: Number) -> Fraction:
    """Board points and a part of the Buchholz (13.4)."""
    over = max((len(games) for games in books.of.values()), default=0)
    boards = len(next(iter(books.boards.values()), ()))
    factor = max(1, WIN * over // max(1, boards))
    value = books.secondary.totals[number] + _buchholz(books, number) / factor
    return Fraction(rounded(value * _HUNDREDTHS), _HUNDREDTHS)


def _wins(books: Books, number: Number) -> Fraction:
    """Rounds won, including those without a game (7.1)."""
    return Fraction(sum(_is_won(each) for each in books.of[number]))


def _is_won(each: Played) -> bool:
    """True if nobody at the table had more, and somebody less.

    Also if a round without a game brought the points of a win.
    """
    if each.pairing is None or each.pairing.points is None:
        return each.points >= WIN
    return each.points == max(each.pairing.points) > min(each.pairing.points)


def _standard_points(books: Books, number: Number) -> Fraction:
    """1 for each round won, ½ for each that was drawn (7.7).

    Without a game: 1 for more than the points of a draw, ½ for these.
    """
    total = 0
    for each in books.of[number]:
        theirs = DRAW
        if each.pairing is not None and each.is_over_the_board:
            theirs = max(each.pairing.of(other) for other in each.others)
        total += (each.points > theirs) + (each.points >= theirs)
    return Fraction(total, 2)


def _progressive(books: Books, number: Number) -> Fraction:
    """The sum of the points after every round (7.5)."""
    return sum(itertools.accumulate(books.primary.rounds[number].values()), Fraction())


def _progressive_cut(books: Books, number: Number) -> Fraction:
    """The same without the points after the first round (14.1)."""
    rounds = books.primary.rounds[number].values()
    return _progressive(books, number) - next(iter(rounds), Fraction())


def _average_rating(books: Books, number: Number, lowest: int = 0) -> Fraction:
    """The average rating of the opponents met over the board, without the *lowest* (10.1)."""
    ratings = sorted(_ratings_met(books, number))[lowest:]
    return Fraction(rounded(Fraction(sum(ratings), len(ratings)))) if ratings else Fraction()


def _ratings_met(books: Books, number: Number) -> list[int]:
    return [books.ratings[other] for _, other in books.opponents(number, is_played=True)]


def _score_met(books: Books, number: Number) -> Fraction:
    """The score over the board, a win against each other at the table being 1."""
    met = books.opponents(number, is_played=True)
    return Fraction(sum(points_against(each, other) for each, other in met), WIN)


def _performance(books: Books, number: Number) -> Fraction:
    """The tournament performance rating (10.2)."""
    return Fraction(performance(_score_met(books, number), _ratings_met(books, number)))


def _perfect_performance(books: Books, number: Number) -> Fraction:
    """The rating that would expect the score (10.3)."""
    return Fraction(perfect_performance(_score_met(books, number), _ratings_met(books, number)))


def _rating(books: Books, number: Number) -> Fraction:
    """The rating before the tournament (10.6)."""
    return Fraction(books.ratings[number])


def _koya(books: Books, number: Number) -> Fraction:
    """The points against opponents with at least half of the possible points (9.2)."""
    half = books.primary.half
    if books.is_predetermined:  # with an odd number everybody rests once
        games = max(sum(len(each.others) for each in rounds) for rounds in books.of.values())
        half = _most(books, books.primary) * games / 2
    met = [
        books.against(number, each, other, books.primary)
        for each in books.of[number]
        for other in each.others
        if books.primary.totals[other] >= half
    ]
    return sum(met, Fraction())


def _games_won(books: Books, number: Number, *, is_second: bool = False) -> Fraction:
    """Games won over the board (7.2), or those without the first move (7.4)."""
    won = [each.pairing for each in books.of[number] if each.is_over_the_board and _is_won(each)]
    return Fraction(sum(not is_second or (game is not None and game.players[0] != number) for game in won))


def _chosen_rounds(books: Books, number: Number) -> Fraction:
    """Rounds that the player neither declined nor missed (7.6)."""
    return Fraction(sum(not each.is_declined for each in books.of[number]))


def _second(books: Books, number: Number) -> Fraction:
    """Games over the board without the first move (7.3)."""
    games = [each.pairing for each in books.of[number] if each.is_over_the_board]
    return Fraction(sum(game is not None and game.players[0] != number for game in games))


def _board_count(books: Books, number: Number) -> Fraction:
    """The points on each board, multiplied by its number; the lowest first (12.1)."""
    boards = books.boards.get(number, ())
    return Fraction(sum(board * points for board, points in enumerate(boards, 1)), 2)


def _encounters_of(
    books: Books, number: Number, group: Sequence[Number], of: Score
) -> dict[Number, Fraction]:
    """The average points of *number* against each other of *group* (6.1)."""
    met: dict[Number, list[Fraction]] = {}
    for each, other in books.opponents(number):
        if other in group:
            met.setdefault(other, []).append(books.against(number, each, other, of))
    return {other: sum(points, Fraction()) / len(points) for other, points in met.items()}


def _most(books: Books, of: Score) -> Fraction:
    """The most points of *of* in one game or match."""
    boards = len(next(iter(books.boards.values()), ()))
    if not boards:
        return Fraction(1)
    return Fraction(boards if of is books.secondary else WIN)


def _encounters(
    books: Books, group: list[Number], kinds: Sequence[Score], tried: int = 0
) -> list[list[Number]]:
    """*group* ordered by the games among themselves, by the first useful of *kinds* (6.2, 13.3).

    Those who are still tied then are ordered in the same way, beginning with the same kind.
    A player who has not met all others leads only if the missing games cannot matter (6.3).
    """
    if len(group) < 2 or tried == len(kinds):
        return [group]
    met = {number: _encounters_of(books, number, group, kinds[0]) for number in group}
    mutual = {number: sum(each.values(), Fraction()) for number, each in met.items()}
    missing = {number: len(group) - 1 - len(each) for number, each in met.items()}
    parts = [group] if any(missing.values()) else split(group, mutual)
    if any(missing.values()):
        most = _most(books, kinds[0])
        for leader in group:
            others = [number for number in group if number != leader]
            if all(mutual[leader] > mutual[other] + most * missing[other] for other in others):
                parts = [[leader], others]
                break
    if len(parts) == 1:
        return _encounters(books, group, (*kinds[1:], kinds[0]), tried + 1)
    return [one for part in parts for one in _encounters(books, part, kinds)]


def _direct(books: Books, group: list[Number], *kinds: Score) -> Ordered:
    """The points among *group*, and the order that follows from them (6, 13.3)."""
    mutual = {
        number: sum(_encounters_of(books, number, group, kinds[0]).values(), Fraction()) for number in group
    }
    return mutual, _encounters(books, group, kinds)


def _by_boards(books: Books, group: list[Number], *, is_from_bottom: bool) -> Ordered:
    """Places in *group* by the points on the first board, then the next (12.2).

    From the bottom: by the points on all boards but the last, then without the next one (12.3).
    """
    keys = {number: books.boards.get(number, ()) for number in group}
    if is_from_bottom:
        keys = {number: tuple(itertools.accumulate(key))[-2::-1] for number, key in keys.items()}
    parts = split(group, keys)
    place = itertools.accumulate((len(part) for part in parts), initial=1)
    places = {number: Fraction(first) for first, part in zip(place, parts, strict=False) for number in part}
    return places, parts


def split(numbers: Iterable[Number], by: Mapping[Number, Key]) -> list[list[Number]]:
    """*numbers* grouped by their value in *by*, the highest first."""
    chosen = list(numbers)
    values = sorted({by[number] for number in chosen}, reverse=True)
    return [[number for number in chosen if by[number] == value] for value in values]


TIE_BREAKS: Final[Mapping[str, Value]] = {
    "buchholz-cut-1": _buchholz_cut,
    "buchholz-cut-2": partial(_buchholz_cut, lowest=2),
    "buchholz-median-1": partial(_buchholz_cut, highest=1),
    "buchholz-median-2": partial(_buchholz_cut, lowest=2, highest=2),
    "buchholz": _buchholz,
    FORE: _buchholz,
    FORE_CUT: _buchholz_cut,
    "average-buchholz": partial(_average_of_opponents, of=_buchholz, digits=2),
    "sonneborn-berger": _sonneborn_berger,
    "sonneborn-berger-cut-1": partial(_sonneborn_berger, lowest=1),
    "koya": _koya,
    "wins": _wins,
    "games-won": _games_won,
    "second-player": _second,
    "second-player-won": partial(_games_won, is_second=True),
    "standard-points": _standard_points,
    "chosen-rounds": _chosen_rounds,
    "progressive": _progressive,
    "progressive-cut-1": _progressive_cut,
    "average-rating": _average_rating,
    "average-rating-cut-1": partial(_average_rating, lowest=1),
    "performance": _performance,
    "average-performance": partial(_average_of_opponents, of=_performance),
    "perfect-performance": _perfect_performance,
    "average-perfect-performance": partial(_average_of_opponents, of=_perfect_performance),
    "rating": _rating,
    PAIRING_NUMBER: lambda books, number: Fraction(books.starting[number]),
    BOARD_POINTS: lambda books, number: books.secondary.totals[number],
    "match-by-board-points": partial(_sonneborn_berger, mine=True),
    "board-by-match-points": partial(_sonneborn_berger, theirs=True),
    "board-by-board-points": partial(_sonneborn_berger, theirs=True, mine=True),
    "match-by-board-points-cut-1": partial(_sonneborn_berger, lowest=1, mine=True),
    "schedule-strength": _schedule_strength,
    "board-count": _board_count,
}
"""The tie-breaks that are a value of each player, by name."""

AMONG: Final[Mapping[str, Callable[[Books, list[Number]], Ordered]]] = {
    DIRECT: lambda books, group: _direct(books, group, books.primary),
    "extended-direct-encounter": lambda books, group: _direct(books, group, books.primary, books.secondary),
    "top-boards": partial(_by_boards, is_from_bottom=False),
    "bottom-boards": partial(_by_boards, is_from_bottom=True),
}
"""The tie-breaks that compare those who are tied, by name."""
NAMES: Final = (*AMONG, *TIE_BREAKS)
LOWEST_FIRST: Final = frozenset({PAIRING_NUMBER, "board-count"})
OF_TEAMS: Final = frozenset(
    {
        "extended-direct-encounter",
        "top-boards",
        "bottom-boards",
        "match-by-board-points",
        "board-by-match-points",
        "board-by-board-points",
        "match-by-board-points-cut-1",
        "schedule-strength",
        "board-count",
    }
)
"""Those that only teams have."""
OF_RATINGS: Final = frozenset(
    {
        "average-rating",
        "average-rating-cut-1",
        "performance",
        "average-performance",
        "perfect-performance",
        "average-perfect-performance",
    }
)
"""Those that need a rating of each opponent (10)."""
CODES: Final[Mapping[str, str]] = {
    DIRECT: "DE",
    "buchholz-cut-1": "BH/C1",
    "buchholz-cut-2": "BH/C2",
    "buchholz-median-1": "BH/M1",
    "buchholz-median-2": "BH/M2",
    "buchholz": "BH",
    FORE: "FB",
    FORE_CUT: "FB/C1",
    "average-buchholz": "AOB",
    "sonneborn-berger": "SB",
    "sonneborn-berger-cut-1": "SB/C1",
    "koya": "KS",
    "wins": "WIN",
    "games-won": "WON",
    "second-player": "BPG",
    "second-player-won": "BWG",
    "standard-points": "STD",
    "chosen-rounds": "REP",
    "progressive": "PS",
    "progressive-cut-1": "PS/C1",
    "average-rating": "ARO",
    "average-rating-cut-1": "ARO/C1",
    "performance": "TPR",
    "average-performance": "APRO",
    "perfect-performance": "PTP",
    "average-perfect-performance": "APPO",
    "rating": "RTNG",
    PAIRING_NUMBER: "TPN",
    BOARD_POINTS: "MPvGP",
    "match-by-board-points": "EMGSB",
    "board-by-match-points": "EGMSB",
    "board-by-board-points": "EGGSB",
    "match-by-board-points-cut-1": "EMGSB/C1",
    "schedule-strength": "SSSC",
    "board-count": "BC",
    "extended-direct-encounter": "EDE",
    "top-boards": "TBR",
    "bottom-boards": "BBE",
}
"""The codes of the federation's reports (line 202 of TRF26)."""
