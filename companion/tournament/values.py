# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: all values of a tournament, which refer to each other.
"""A tournament as frozen values: players, rounds, pairings, results.

Every change makes a new value.
Points are counted in halves, so that a drawn chess game is a whole number: a won game is 2.
At a table are two players or more, in the order of the game's sides;
each result has the points of all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, TypeAlias

from companion.model.errors import TournamentError
from companion.tournament.event import Event

Number: TypeAlias = int
"""Starting number of a player, from 1 in the order of entry."""

Points: TypeAlias = int
"""Half points."""

WIN: Final[Points] = 2
DRAW: Final[Points] = 1
LOSS: Final[Points] = 0


class Format(StrEnum):
    """Pairing systems."""

    SWISS = "swiss"
    ROUND_ROBIN = "round-robin"
    DOUBLE_ROUND_ROBIN = "double-round-robin"
    KNOCKOUT = "knockout"
    FREE = "free"
    """The arbiter seats the players who want to play."""


class Acceleration(StrEnum):
    """Virtual points in the first rounds of a Swiss."""

    NONE = ""
    BAKU = "baku"


class Bye(StrEnum):
    """The reason why a player has no game in a round; it determines the points."""

    ALLOCATED = "allocated"
    """No opponent was left: the points of a win."""
    FULL = "full"
    HALF = "half"
    ZERO = "zero"
    """Absent: late, withdrawn, or excused without points."""

    @property
    def points(self) -> Points:
        """Its points."""
        return {Bye.HALF: DRAW, Bye.ZERO: LOSS}.get(self, WIN)

    @property
    def is_requested(self) -> bool:
        """True if the player chose not to play: a voluntarily unplayed round."""
        return self in (Bye.HALF, Bye.ZERO)


@dataclass(frozen=True, slots=True)
class Player:
    """A player who has entered."""

    number: Number
    name: str
    rating: int = 0
    """0 without a rating."""
    title: str = ""
    federation: str = ""
    licence: str = ""
    """FIDE id."""
    born: str = ""
    """Year, or date with slashes, as federations write it."""
    sex: str = ""
    """`m`, `w` or nothing, as federations write it."""
    team: str = ""
    joined: int = 1
    """First round."""
    left: int | None = None
    """Last round; None for all."""
    excused: tuple[tuple[int, Bye], ...] = ()
    """Requested byes, by round."""

    def bye_in(self, number: int) -> Bye | None:
        """The known bye of round *number*; None if the player is to be paired."""
        is_there = self.joined <= number and (self.left is None or number <= self.left)
        return dict(self.excused).get(number) if is_there else Bye.ZERO


@dataclass(frozen=True, slots=True)
class Pairing:
    """The players at one table in one round, in the order of the sides."""

    table: int
    """Numbered from 1 in each round."""
    players: tuple[Number, ...]
    points: tuple[Points, ...] | None = None
    """Points of each player; None while the game is on."""
    is_forfeit: bool = False
    """True if nobody moved: a player was absent, or a team's board is empty."""
    further: tuple[tuple[Points, ...] | None, ...] = ()
    """Points of further games after a draw that needed a winner; they do not count."""
    decided: Number = 0
    """The player who advances by the arbiter's decision; 0 for none."""

    def of(self, number: Number) -> Points:
        """The points of the player *number*; 0 while the game is on."""
        return self.points[self.players.index(number)] if self.points else 0

    @property
    def seated(self) -> tuple[Number, ...]:
        """The players in the order of the sides of the last game.

        Each further game exchanges the sides.
        """
        return self.players[::-1] if len(self.further) % 2 else self.players

    @property
    def latest(self) -> tuple[Points, ...] | None:
        """The points of the last game, in the order of *seated*.

        None while it is on.
        """
        points = self.further[-1] if self.further else self.points
        return points[::-1] if points and len(self.further) % 2 else points

    @property
    def is_on(self) -> bool:
        """True while a result is awaited."""
        return self.points is None or None in self.further

    @property
    def winner(self) -> Number | None:
        """The winner by the games or the arbiter's decision; None if undecided."""
        for points in (self.points, tuple(map(sum, zip(*filter(None, self.further), strict=True)))):
            if points and points.count(max(points)) == 1:
                return self.players[points.index(max(points))]
        return self.decided or None


@dataclass(frozen=True, slots=True)
class Match:
    """Two teams that meet in a round, or one with a bye."""

    teams: tuple[str, ...]
    """The first one has the first side on the odd boards."""
    tables: tuple[int, ...] = ()
    """Their tables, from the first board on."""
    bye: Bye = Bye.ZERO
    """The bye of a single team."""
    decided: str = ""
    """The team that advances after a draw by the arbiter's decision."""


@dataclass(frozen=True, slots=True)
class Lineup:
    """A team's line-up in a round, if it differs from the usual one."""

    round: int
    team: str
    players: tuple[Number, ...]
    """From the first board on; 0 for a board that stays empty."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round: every player has a table or a bye."""

    number: int
    pairings: tuple[Pairing, ...]
    byes: tuple[tuple[Number, Bye], ...] = ()
    matches: tuple[Match, ...] = ()
    """Matches, where teams play: every team is in one."""
    is_playoff: bool = False
    """True for a tie-break round: its results bring no points."""

    @property
    def is_complete(self) -> bool:
        """True if all results are known."""
        return not any(pairing.is_on for pairing in self.pairings)

    def pairing_of(self, number: Number) -> Pairing | None:
        """The pairing of the player *number*."""
        return next((pairing for pairing in self.pairings if number in pairing.players), None)

    def bye_of(self, number: Number) -> Bye:
        """The bye of the player *number*: absent if nothing else is known."""
        return dict(self.byes).get(number, Bye.ZERO)


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament in its present state."""

    name: str
    format: Format
    game: str
    """Slug of the game; empty if tables differ."""
    options: tuple[tuple[str, str], ...] = ()
    planned: int = 0
    """Number of rounds; 0 if the format determines it, or if it is open."""
    seats: int = 2
    """Players at a table, at most."""
    tie_breaks: tuple[str, ...] = ()
    """Names as in `ties.TIE_BREAKS`, in order of priority."""
    players: tuple[Player, ...] = ()
    rounds: tuple[Round, ...] = ()
    boards: int = 0
    """Boards of a team match; 0 for individual players."""
    lineups: tuple[Lineup, ...] = ()
    event: Event = field(default_factory=Event)
    """Place, dates and arbiters, for the federation."""
    acceleration: Acceleration = Acceleration.NONE

    def player(self, number: Number) -> Player:
        """The player *number*. Raises `TournamentError`."""
        if not 1 <= number <= len(self.players):
            raise TournamentError(
                "{tournament}: there is no player {number}; there are {count}",
                tournament=self.name,
                number=number,
                count=len(self.players),
            )
        return self.players[number - 1]

    def round(self, number: int) -> Round:
        """Round *number*. Raises `TournamentError`."""
        if not 1 <= number <= len(self.rounds):
            raise TournamentError(
                "{tournament}: round {number} is not paired; {count} are",
                tournament=self.name,
                number=number,
                count=len(self.rounds),
            )
        return self.rounds[number - 1]

    def entered(self, player: Player) -> Tournament:
        """With *player*, who gets the next number and joins from the next round on.

        Raises `TournamentError` if late entries are not possible.
        """
        if self.boards and not player.team:
            raise TournamentError(
                "{tournament}: {player} needs a team", tournament=self.name, player=player.name
            )
        if not (self.boards and any(each.team == player.team for each in self.players)):
            self._check_open()
        joined = max(player.joined, len(self.rounds) + 1)
        fresh = replace(player, number=len(self.players) + 1, joined=joined)
        return replace(self, players=(*self.players, fresh))

    def withdrawn(self, number: Number) -> Tournament:
        """Without the player *number* in rounds that are not yet paired."""
        return self._with(replace(self.player(number), left=len(self.rounds)))

    def returned(self, number: Number) -> Tournament:
        """With the player *number*, who had withdrawn, again.

        Raises `TournamentError` if they had not withdrawn.
        """
        player = self.player(number)
        if player.left is None:
            raise TournamentError(
                "{tournament}: {player} has not withdrawn", tournament=self.name, player=player.name
            )
        if player.left == 0 and not self.boards:
            self._check_open()
        return self._with(replace(player, left=None))

    def _check_open(self) -> None:
        """Raise `TournamentError` if nobody can join any more."""
        if self.rounds and self.format not in (Format.SWISS, Format.FREE):
            raise TournamentError(
                "{tournament}: nobody can join once it has begun: only a Swiss system and free play take "
                "late entries",
                tournament=self.name,
            )

    def excused(self, number: Number, in_round: int, bye: Bye) -> Tournament:
        """With *bye* for the player *number* in an unpaired round. Raises `TournamentError`."""
        player = self.player(number)
        if in_round <= len(self.rounds):
            raise TournamentError(
                "{tournament}: round {round} is paired already; {player} can be given a forfeit",
                tournament=self.name,
                round=in_round,
                player=player.name,
            )
        others = tuple(each for each in player.excused if each[0] != in_round)
        return self._with(replace(player, excused=(*others, (in_round, bye))))

    def paired(self, fresh: Round) -> Tournament:
        """With the new round *fresh*. Raises `TournamentError` if it is not the next."""
        if fresh.number != len(self.rounds) + 1:
            raise TournamentError(
                "{tournament}: round {number} does not follow {count}",
                tournament=self.name,
                number=fresh.number,
                count=len(self.rounds),
            )
        return replace(self, rounds=(*self.rounds, fresh))

    def unpaired(self) -> Tournament:
        """Without its last round.

        Raises `TournamentError` if that has results, or if there is no round.
        """
        last = self.round(len(self.rounds))
        if any(pairing.points is not None and len(pairing.players) > 1 for pairing in last.pairings):
            raise TournamentError(
                "{tournament}: round {number} has results: take these back first",
                tournament=self.name,
                number=last.number,
            )
        return replace(self, rounds=self.rounds[:-1])

    def lined_up(self, chosen: Lineup) -> Tournament:
        """With the line-up *chosen* of a team for the next round. Raises `TournamentError`."""
        if chosen.round <= len(self.rounds):
            raise TournamentError(
                "{tournament}: round {round} is paired already: void it first",
                tournament=self.name,
                round=chosen.round,
            )
        theirs = {player.number for player in self.players if player.team == chosen.team}
        named = [number for number in chosen.players if number]
        if not theirs:
            raise TournamentError(
                "{tournament}: there is no team {team!r}", tournament=self.name, team=chosen.team
            )
        if not set(named) <= theirs or len(set(named)) != len(named) or len(chosen.players) > self.boards:
            raise TournamentError(
                "{tournament}: {team} lines up {boards} players of its own at most, each once",
                tournament=self.name,
                team=chosen.team,
                boards=self.boards,
            )
        others = tuple(
            each for each in self.lineups if (each.round, each.team) != (chosen.round, chosen.team)
        )
        return replace(self, lineups=(*others, chosen))

    def pairing(self, in_round: int, table: int) -> Pairing:
        """The pairing at *table* of a round. Raises `TournamentError`."""
        found = next((each for each in self.round(in_round).pairings if each.table == table), None)
        if found is None:
            raise TournamentError(
                "{tournament}: round {round} has no table {table}",
                tournament=self.name,
                round=in_round,
                table=table,
            )
        return found

    def with_result(
        self, in_round: int, table: int, points: tuple[Points, ...] | None, *, is_forfeit: bool = False
    ) -> Tournament:
        """With the result of one table, or with None without it. Raises `TournamentError`.

        After further games it is the result of the last one; removing a result removes those games.
        """
        found = self.pairing(in_round, table)
        if points is not None and len(points) != len(found.players):
            raise TournamentError(
                "{tournament}: table {table} has {count} players, the result {points}",
                tournament=self.name,
                table=table,
                count=len(found.players),
                points=len(points),
            )
        if points is not None and not _can_be(points):
            raise TournamentError(
                "{tournament}: table {table} cannot end with such points", tournament=self.name, table=table
            )
        if found.further:
            last = () if points is None and found.further[-1] is None else (points,)
            return self.with_pairing(in_round, replace(found, further=(*found.further[:-1], *last)))
        known = replace(found, points=points, is_forfeit=is_forfeit and points is not None, decided=0)
        return self.with_pairing(in_round, known)

    def with_pairing(self, in_round: int, pairing: Pairing) -> Tournament:
        """With *pairing* as that of its table."""
        of = self.round(in_round)
        pairings = tuple(pairing if each.table == pairing.table else each for each in of.pairings)
        return self.with_round(replace(of, pairings=pairings))

    def with_round(self, of: Round) -> Tournament:
        """With *of* as the round of its number."""
        return replace(self, rounds=tuple(of if each.number == of.number else each for each in self.rounds))

    def _with(self, player: Player) -> Tournament:
        players = tuple(player if each.number == player.number else each for each in self.players)
        return replace(self, players=players)


@dataclass(frozen=True, slots=True)
class Played:
    """One round of one player."""

    number: int
    """Number of the round."""
    points: Points
    others: tuple[Number, ...]
    """The other players at the table; () with a bye."""
    pairing: Pairing | None
    bye: Bye | None

    @property
    def is_over_the_board(self) -> bool:
        """True if moves were made."""
        return self.pairing is not None and not self.pairing.is_forfeit

    @property
    def is_declined(self) -> bool:
        """True for a round that the player declined or missed."""
        if self.bye is not None:
            return self.bye.is_requested
        return self.pairing is not None and self.pairing.is_forfeit and self.points == LOSS


def played(tournament: Tournament, number: Number, *, rounds: int | None = None) -> Iterator[Played]:
    """The finished games and byes of the player *number*, without play-offs.

    In the first *rounds* rounds, by default in all.
    """
    for each in tournament.rounds[:rounds]:
        if each.is_playoff:
            continue
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


def _can_be(points: tuple[Points, ...]) -> bool:
    """True unless a player, or all together, get more points than available.

    Less is possible, since an arbiter may deduct points.
    """
    others = max(1, len(points) - 1)
    return all(0 <= each <= WIN * others for each in points) and sum(points) <= DRAW * others * max(
        2, len(points)
    )


def places(ranking: tuple[tuple[int, ...], ...]) -> tuple[Points, ...]:
    """Points for a table of any size: wins for players behind, draws for equals.

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
