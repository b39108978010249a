# SPDX-License-Identifier: Apache-2.0
"""Rounds from the entries of the players in a federation's report.

Both players tell of each game. What only one of them tells is taken from there, and noted. Where
two tell different things, neither has a table or a bye in that round, so that it is not complete.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from companion.model.phrase import Phrase
from companion.model.reading import Note
from companion.tournament.trf_columns import PlayerLine
from companion.tournament.trf_entries import BLANK, FORFEITS, POINTS, REPLIES, UNRATED, Entry
from companion.tournament.values import WIN, Bye, Number, Pairing, Round

_MOST: Final = 5
"""Notes of wrong points, one for each player; if more are wrong, one for all."""


def rounds_of(lines: Sequence[PlayerLine], notes: list[Note], *, is_usual: bool) -> tuple[Round, ...]:
    """The rounds that *lines* tell, of players who are numbered in this order.

    The points confirm the results if a game brings 1, ½ or 0: *is_usual*. Adds to *notes*.
    """
    of = {index: line.number for index, line in enumerate(lines)}
    told = [
        [line.entry(index) for line in lines] for index in range(max(len(line.entries) for line in lines))
    ]
    last = max((index for index, entries in enumerate(told) if any(map(_is_game, entries))), default=-1)
    confirmed = [_does_confirm(line, last) if is_usual else None for line in lines]
    notes += _doubtful_points(lines, confirmed)
    if last >= 0:
        notes += [
            Note(
                line.row,
                Phrase("the line of {player} has no points: it ends too early", player=line.player.name),
            )
            for line in lines
            if line.is_short
        ]
    by_number: dict[Number, list[int]] = {}
    for index, number in of.items():
        by_number.setdefault(number, []).append(index)
    rounds: list[Round] = []
    absent: set[int] = set()
    for index, entries in enumerate(told):
        one = _OneRound(index + 1, lines, entries, by_number, confirmed, notes)
        pairings = one.pairings()
        absent = one.absent(absent, is_over=index < last) if index <= last else set()
        byes = {
            place: entry.bye for place, entry in enumerate(entries) if entry.result and not entry.opponent
        }
        byes |= dict.fromkeys(absent, Bye.ZERO)
        alone = {pairing.players[0] for pairing in pairings if len(pairing.players) == 1}
        rounds.append(
            Round(
                index + 1,
                tuple(replace(each, table=table) for table, each in enumerate(pairings, 1)),
                tuple((place + 1, byes[place]) for place in sorted(byes) if place + 1 not in alone),
            )
        )
    return tuple(rounds)


def _is_game(entry: Entry) -> bool:
    return bool(entry.opponent) and not entry.is_bad


def _does_confirm(line: PlayerLine, last: int) -> bool | None:
    """True if the points of *line* are those to the round *last*, or later.

    None if nobody can say. Many programs count the byes of rounds to come, too.
    """
    if line.points is None or any(entry.is_bad for entry in line.entries):
        return None
    gained = [POINTS.get(entry.result, 0) for entry in line.entries]
    return line.points in {sum(gained[:end]) for end in range(last + 1, max(len(gained), last + 1) + 1)}


def _doubtful_points(lines: Sequence[PlayerLine], confirmed: Sequence[bool | None]) -> Iterator[Note]:
    wrong = [line for line, is_right in zip(lines, confirmed, strict=True) if is_right is False]
    if len(wrong) > _MOST:
        first = wrong[0]
        yield Note(
            first.row,
            Phrase(
                "the points of {count} players do not fit their results, first those of {player}",
                count=len(wrong),
                player=first.player.name,
            ),
        )
        return
    for line in wrong:
        yield Note(
            line.row,
            Phrase("the points of {player} do not fit the results, which are taken", player=line.player.name),
        )


@dataclass(frozen=True, slots=True)
class _OneRound:
    """The entries of one round, by the places of the players in the list."""

    number: int
    lines: Sequence[PlayerLine]
    entries: Sequence[Entry]
    by_number: dict[Number, list[int]]
    confirmed: Sequence[bool | None]
    """Whether the points of a player fit the results."""
    notes: list[Note]

    def pairings(self) -> list[Pairing]:
        """The games, by the places of those with the first side."""
        target = {place: self._target(place) for place, entry in enumerate(self.entries) if _is_game(entry)}
        claims = Counter(other for other in target.values() if other is not None)
        found: dict[int, Pairing] = {}
        for place, entry in enumerate(self.entries):
            if not entry.opponent and entry.result == "+":
                found[place] = Pairing(0, (place + 1,), (WIN,), is_forfeit=True)
            elif place in target:
                other = target[place]
                if other is not None and target.get(other) == place and other < place:
                    continue
                pairing = self._paired(place, other, target, claims)
                if pairing is not None:
                    found[pairing.players[0] - 1] = pairing
            elif entry.is_bad and claims[place] != 1:
                what = Phrase(
                    "round {round} of {player}: {text!r} cannot be read, and is left out",
                    round=self.number,
                    player=self._name(place),
                    text=entry.text,
                )
                self._note(place, what)
        return [found[place] for place in sorted(found)]

    def absent(self, before: set[int], *, is_over: bool) -> set[int]:
        """The players without an entry who are absent, as those *before*.

        In the last round (not *is_over*), a blank may be a game without a result; a game takes two.
        """
        named = {entry.opponent for entry in self.entries if _is_game(entry)}
        blank = [
            place
            for place, entry in enumerate(self.entries)
            if entry == BLANK and self.lines[place].number not in named
        ]
        return {
            place
            for place in blank
            if is_over or place in before or len(blank) == 1 or not self.lines[place].is_ranked
        }

    def _target(self, place: int) -> int | None:
        """The place of the opponent: who names this player, or else tells nothing."""
        mine = self.lines[place].number
        others = [each for each in self.by_number.get(self.entries[place].opponent, ()) if each != place]
        mutual = [
            each for each in others if _is_game(self.entries[each]) and self.entries[each].opponent == mine
        ]
        silent = [each for each in others if self.entries[each].is_bad or self.entries[each] == BLANK]
        found = mutual or silent
        return found[0] if len(found) == 1 and mine else None

    def _paired(
        self, place: int, other: int | None, target: dict[int, int | None], claims: Counter[int]
    ) -> Pairing | None:
        """The game of *place*, if the report tells it without contradiction."""
        is_told = other is not None and (target.get(other) == place or other not in target)
        if other is None or not is_told or claims[other] > 1:
            self._contradicted(place)
            return None
        mine, theirs = self.entries[place], self.entries[other]
        theirs = BLANK if theirs.is_bad else theirs
        results = _results(mine, theirs, is_confirmed=bool(self.confirmed[place] and self.confirmed[other]))
        if results is None or (mine.colour and mine.colour == theirs.colour):
            self._contradicted(place)
            return None
        is_first = mine.colour == "w" or theirs.colour == "b" or not (mine.colour or theirs.colour)
        self._note_guesses(place, other, is_known=bool(mine.colour or theirs.colour))
        players, codes = (place + 1, other + 1), results
        if not is_first:
            players, codes = (other + 1, place + 1), (results[1], results[0])
        points = (POINTS[codes[0]], POINTS[codes[1]]) if all(codes) else None
        return Pairing(0, players, points, is_forfeit=bool(FORFEITS & set(codes)))

    def _contradicted(self, place: int) -> None:
        """Note what the player at *place* tells, which nobody else does."""
        number = self.entries[place].opponent
        others = [each for each in self.by_number.get(number, ()) if each != place]
        if others:
            what = Phrase(
                "round {round}: {player} and {other} tell different things of their game, which is left out",
                round=self.number,
                player=self._name(place),
                other=self._name(others[0]),
            )
        else:
            what = Phrase(
                "round {round}: {player} names opponent {number}, whom the report does not have",
                round=self.number,
                player=self._name(place),
                number=number,
            )
        self._note(place, what)

    def _note_guesses(self, place: int, other: int, *, is_known: bool) -> None:
        """Note what is not told of a game, or not kept here."""
        for one, two in ((place, other), (other, place)):
            if not self.entries[one].result and self.entries[two].result:
                what = Phrase(
                    "round {round} of {player} is taken from line {row}, that of {other}",
                    round=self.number,
                    player=self._name(one),
                    row=self.lines[two].row,
                    other=self._name(two),
                )
                self._note(one, what)
        if not is_known:
            what = Phrase(
                "round {round}: nothing tells the colours of {player} and {other}; {player} has White here",
                round=self.number,
                player=self._name(place),
                other=self._name(other),
            )
            self._note(place, what)
        if self.entries[place].result in UNRATED:
            what = Phrase(
                "round {round}: the game of {player} and {other} is not rated there; here it is as any other",
                round=self.number,
                player=self._name(place),
                other=self._name(other),
            )
            self._note(place, what)

    def _name(self, place: int) -> str:
        return self.lines[place].player.name

    def _note(self, place: int, what: Phrase) -> None:
        self.notes.append(Note(self.lines[place].row, what))


def _results(mine: Entry, theirs: Entry, *, is_confirmed: bool) -> tuple[str, str] | None:
    """The codes of both results; empty for a game that is on.

    None if they contradict each other. Both lose a game only if their points confirm it, as
    *is_confirmed* says, or both were absent.
    """
    one = mine.result or REPLIES.get(theirs.result, "")
    two = theirs.result or REPLIES.get(mine.result, "")
    is_lost = one == two == "-" or (one == two == "0" and is_confirmed)
    return (one, two) if is_lost or REPLIES.get(one, "") == two else None
