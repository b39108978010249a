# SPDX-License-Identifier: Apache-2.0
"""A tournament as frozen values: players, rounds, pairings, results; every change makes the next value.

Points are counted in halves, so that a draw of chess stays whole: a won game is 2.
At a table sit two players or more, in the order of the game's sides; each result names the points of all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeAlias

from companion.model.errors import TournamentError

Number: TypeAlias = int
"""Of a player, from 1 in the order of entering: the starting number."""

Points: TypeAlias = int
"""Half points."""

WIN: Final[Points] = 2
DRAW: Final[Points] = 1
LOSS: Final[Points] = 0


class Format(StrEnum):
    """How it is decided who plays whom."""

    SWISS = "swiss"
    ROUND_ROBIN = "round-robin"
    DOUBLE_ROUND_ROBIN = "double-round-robin"
    KNOCKOUT = "knockout"
    FREE = "free"
    """The arbiter seats whoever wants to play."""


class Bye(StrEnum):
    """Why a player has no game in a round, and what it brings."""

    ALLOCATED = "allocated"
    """Nobody was left to play: the points of a win."""
    FULL = "full"
    HALF = "half"
    ZERO = "zero"
    """Not there: late, withdrawn, or excused without points."""

    @property
    def points(self) -> Points:
        """What it brings."""
        return {Bye.HALF: DRAW, Bye.ZERO: LOSS}.get(self, WIN)

    @property
    def is_requested(self) -> bool:
        """True if the player chose not to play: a voluntarily unplayed round."""
        return self in (Bye.HALF, Bye.ZERO)


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody who has entered."""

    number: Number
    name: str
    rating: int = 0
    """0 if there is none."""
    title: str = ""
    federation: str = ""
    licence: str = ""
    """Number in the lists of the world federation."""
    born: str = ""
    """Year, or date with slashes, as federations write it."""
    sex: str = ""
    """`m`, `w` or nothing, as federations write it."""
    team: str = ""
    joined: int = 1
    """First round that is played."""
    left: int | None = None
    """Last round that is played; None for all."""
    excused: tuple[tuple[int, Bye], ...] = ()
    """Byes asked for, by round."""

    def bye_in(self, number: int) -> Bye | None:
        """The bye that is certain beforehand for round *number*; None if the player is to be paired."""
        is_there = self.joined <= number and (self.left is None or number <= self.left)
        return dict(self.excused).get(number) if is_there else Bye.ZERO


@dataclass(frozen=True, slots=True)
class Pairing:
    """Those who play at one table in one round, in the order of the sides."""

    table: int
    """Numbered from 1 in each round."""
    players: tuple[Number, ...]
    points: tuple[Points, ...] | None = None
    """Of each of them; None while the game is on."""
    is_forfeit: bool = False
    """True if nobody moved: somebody did not come."""

    def of(self, number: Number) -> Points:
        """The points of the player *number*; 0 while the game is on."""
        return self.points[self.players.index(number)] if self.points else 0


@dataclass(frozen=True, slots=True)
class Round:
    """One round: every player has a table or a bye."""

    number: int
    pairings: tuple[Pairing, ...]
    byes: tuple[tuple[Number, Bye], ...] = ()

    @property
    def is_complete(self) -> bool:
        """True if all results are known."""
        return all(pairing.points is not None for pairing in self.pairings)

    def pairing_of(self, number: Number) -> Pairing | None:
        """Where the player *number* sits."""
        return next((pairing for pairing in self.pairings if number in pairing.players), None)

    def bye_of(self, number: Number) -> Bye:
        """Why the player *number* sits nowhere: absent if nothing else is known."""
        return dict(self.byes).get(number, Bye.ZERO)


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament as it stands."""

    name: str
    format: Format
    game: str
    """Slug of the game that is played; empty if tables differ."""
    options: tuple[tuple[str, str], ...] = ()
    planned: int = 0
    """Rounds; 0 where the format knows by itself, or nobody has said."""
    seats: int = 2
    """Players at a table, at most."""
    tie_breaks: tuple[str, ...] = ()
    """Names as in `ties.TIE_BREAKS`, the first decides first."""
    players: tuple[Player, ...] = ()
    rounds: tuple[Round, ...] = ()

    def player(self, number: Number) -> Player:
        """The player *number*. Raises `TournamentError`."""
        if not 1 <= number <= len(self.players):
            raise TournamentError(f"{self.name}: there is no player {number}; there are {len(self.players)}")
        return self.players[number - 1]

    def round(self, number: int) -> Round:
        """Round *number*. Raises `TournamentError`."""
        if not 1 <= number <= len(self.rounds):
            raise TournamentError(f"{self.name}: round {number} is not paired; {len(self.rounds)} are")
        return self.rounds[number - 1]

    def entered(self, player: Player) -> Tournament:
        """The same with *player*, who is given the next number and joins from the next round at the earliest.

        Raises `TournamentError` where nobody can come late.
        """
        if self.rounds and self.format not in (Format.SWISS, Format.FREE):
            raise TournamentError(f"{self.name}: nobody can join a {self.format} once it has begun")
        joined = max(player.joined, len(self.rounds) + 1)
        fresh = replace(player, number=len(self.players) + 1, joined=joined)
        return replace(self, players=(*self.players, fresh))

    def withdrawn(self, number: Number) -> Tournament:
        """The same in which the player *number* plays no round that is not yet paired."""
        return self._with(replace(self.player(number), left=len(self.rounds)))

    def excused(self, number: Number, in_round: int, bye: Bye) -> Tournament:
        """The same in which the player *number* gets *bye* in a round that is not yet paired. Raises `TournamentError`."""
        player = self.player(number)
        if in_round <= len(self.rounds):
            raise TournamentError(
                f"{self.name}: round {in_round} is paired already; {player.name} can be given a forfeit"
            )
        others = tuple(each for each in player.excused if each[0] != in_round)
        return self._with(replace(player, excused=(*others, (in_round, bye))))

    def paired(self, fresh: Round) -> Tournament:
        """The same with the round *fresh*. Raises `TournamentError` if it is not the next."""
        if fresh.number != len(self.rounds) + 1:
            raise TournamentError(f"{self.name}: round {fresh.number} does not follow {len(self.rounds)}")
        return replace(self, rounds=(*self.rounds, fresh))

    def unpaired(self) -> Tournament:
        """The same without its last round. Raises `TournamentError` if somebody has a result in it, or there is none."""
        last = self.round(len(self.rounds))
        if any(pairing.points is not None for pairing in last.pairings):
            raise TournamentError(f"{self.name}: round {last.number} has results: take these back first")
        return replace(self, rounds=self.rounds[:-1])

    def with_result(
        self, in_round: int, table: int, points: tuple[Points, ...] | None, *, is_forfeit: bool = False
    ) -> Tournament:
        """The same with the result of one table, or with None without it. Raises `TournamentError`."""
        of = self.round(in_round)
        found = next((pairing for pairing in of.pairings if pairing.table == table), None)
        if found is None:
            raise TournamentError(f"{self.name}: round {in_round} has no table {table}")
        if points is not None and (len(points) != len(found.players) or min(points) < 0):
            raise TournamentError(
                f"{self.name}: table {table} has {len(found.players)} players, the result {len(points)}"
            )
        known = replace(found, points=points, is_forfeit=is_forfeit and points is not None)
        pairings = tuple(known if pairing is found else pairing for pairing in of.pairings)
        rounds = tuple(replace(of, pairings=pairings) if each is of else each for each in self.rounds)
        return replace(self, rounds=rounds)

    def _with(self, player: Player) -> Tournament:
        players = tuple(player if each.number == player.number else each for each in self.players)
        return replace(self, players=players)


@dataclass(frozen=True, slots=True)
class Played:
    """One round of one player."""

    number: int
    """Of the round."""
    points: Points
    others: tuple[Number, ...]
    """Who sat at the same table; none with a bye."""
    pairing: Pairing | None
    bye: Bye | None

    @property
    def is_over_the_board(self) -> bool:
        """True if moves were made."""
        return self.pairing is not None and not self.pairing.is_forfeit

    @property
    def is_declined(self) -> bool:
        """True for a round that the player chose not to play, or did not come to."""
        if self.bye is not None:
            return self.bye.is_requested
        return self.pairing is not None and self.pairing.is_forfeit and self.points == LOSS


def played(tournament: Tournament, number: Number, *, rounds: int | None = None) -> Iterator[Played]:
    """The finished games and byes of the player *number*, in the first *rounds* rounds."""
    for each in tournament.rounds[:rounds]:
        pairing = each.pairing_of(number)
        if pairing is None:
            bye = each.bye_of(number)
            yield Played(each.number, bye.points, (), None, bye)
        elif pairing.points is not None:
            others = tuple(other for other in pairing.players if other != number)
            yield Played(each.number, pairing.of(number), others, pairing, None)


def points_of(tournament: Tournament) -> Mapping[Number, Points]:
    """The points of every player."""
    return {
        player.number: sum(each.points for each in played(tournament, player.number))
        for player in tournament.players
    }


def places(ranking: tuple[tuple[int, ...], ...]) -> tuple[Points, ...]:
    """Points for a table of any size: a win for each player behind, a draw for each beside.

    *ranking* are the seats, counted from 0, grouped by place, the winners first: `((2,), (0, 1))`.
    """
    seats = sum(map(len, ranking))
    points = [0] * seats
    behind = seats
    for group in ranking:
        behind -= len(group)
        for seat in group:
            points[seat] = WIN * behind + DRAW * (len(group) - 1)
    return tuple(points)
