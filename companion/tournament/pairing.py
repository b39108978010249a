# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: every way to pair a round, behind one function.
"""Pairing of the next round.

Two players at a table: the FIDE Swiss system, round robins by Berger's tables,
knockout.
More at a table: groups of players who are close in the standings and have rarely met.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from companion.model.errors import TournamentError
from companion.tournament.starting_order import strength
from companion.tournament.teams import as_players, expanded
from companion.tournament.values import (
    Bye,
    Format,
    Number,
    Pairing,
    Round,
    Tournament,
    played,
    points_of,
)

_ALL_MEET: Final = (Format.ROUND_ROBIN, Format.DOUBLE_ROUND_ROBIN)
_SWAPS: Final = 200
"""Rounds of improving groups; a few suffice for a club."""


def next_round(tournament: Tournament) -> Round:
    """The next round, paired. Raises `TournamentError` with the reason if it cannot be."""
    number = len(tournament.rounds) + 1
    if tournament.rounds and tournament.rounds[-1].is_playoff:
        raise TournamentError(
            "{tournament}: the play-off has begun: who plays in it is chosen by hand",
            tournament=tournament.name,
        )
    _check_over(tournament)
    if tournament.planned and number > tournament.planned:
        raise TournamentError(
            "{tournament}: all {rounds} rounds are played",
            tournament=tournament.name,
            rounds=tournament.planned,
        )
    if tournament.boards:
        return expanded(tournament, _PAIR[tournament.format](as_players(tournament), number))
    if tournament.seats > 2 and tournament.format is Format.SWISS:
        return _grouped(tournament, number)
    return _PAIR[tournament.format](tournament, number)


def _check_over(tournament: Tournament) -> None:
    """Raise `TournamentError` unless all results of the last round are known."""
    if tournament.rounds and not tournament.rounds[-1].is_complete:
        open_tables = [str(pairing.table) for pairing in tournament.rounds[-1].pairings if pairing.is_on]
        raise TournamentError(
            "{tournament}: round {round} is not over: results are missing at table {tables}",
            tournament=tournament.name,
            round=len(tournament.rounds),
            tables=tuple(open_tables),
        )


def candidates(tournament: Tournament) -> list[Number]:
    """Players, or teams, whom an arbiter can seat in the next round.

    Empty where the pairings are fixed or not yet known.
    """
    if tournament.boards:
        return candidates(as_players(tournament))
    if tournament.format in _ALL_MEET:
        return []
    if tournament.format is not Format.KNOCKOUT or not tournament.rounds:
        return _there(tournament, len(tournament.rounds) + 1)
    last = tournament.rounds[-1].pairings
    return [] if any(pairing.winner is None for pairing in last) else _winners(tournament)


def seated(tournament: Tournament, tables: Sequence[tuple[Number, ...]]) -> Round:
    """The next round with the *tables* that an arbiter chose, of teams where these play.

    Others have a bye, with which they advance in a knockout. Raises `TournamentError`.
    """
    if tournament.format in _ALL_MEET:
        raise TournamentError(
            "{tournament}: in a round robin all meet all, in an order that follows from that of "
            "entering: nobody can choose who plays whom",
            tournament=tournament.name,
        )
    if tournament.format is not Format.FREE:
        _check_over(tournament)
    if tournament.boards:
        return expanded(tournament, seated(as_players(tournament), tables))
    fresh = _seated(tournament, tables)
    if tournament.format is not Format.KNOCKOUT:
        return fresh
    still_in = _winners(tournament) if tournament.rounds else _there(tournament, 1)
    chosen = set(itertools.chain.from_iterable(tables))
    out = [tournament.player(number).name for number in sorted(chosen - set(still_in))]
    if out:
        raise TournamentError(
            "{tournament}: not in the knockout any more: {players}",
            tournament=tournament.name,
            players=tuple(out),
        )
    return replace(fresh, byes=tuple((each, Bye.ALLOCATED) for each in still_in if each not in chosen))


def _seated(tournament: Tournament, tables: Sequence[tuple[Number, ...]]) -> Round:
    """The same in any format; unseated players get no points."""
    counts = Counter(itertools.chain.from_iterable(tables))
    twice = [tournament.player(number).name for number, times in counts.items() if times > 1]
    if twice:
        raise TournamentError(
            "{tournament}: {players} cannot sit at two tables",
            tournament=tournament.name,
            players=tuple(twice),
        )
    few = [table for table in tables if not 2 <= len(table) <= tournament.seats]
    if few:
        raise TournamentError(
            "{tournament}: at a table sit 2 to {seats} players",
            tournament=tournament.name,
            seats=tournament.seats,
        )
    number = len(tournament.rounds) + 1
    for seat in counts:
        tournament.player(seat)
    return _round(
        number, tables, _byes(tournament, number, left_over=set(_there(tournament, number)) - set(counts))
    )


def playoff(tournament: Tournament, tables: Sequence[tuple[Number, ...]] = ()) -> Round:
    """A round between those with the most points: at *tables*, or at one of all.

    Raises `TournamentError` where nobody is tied, others are named, or a round is not over.
    """
    if not tournament.rounds or not tournament.rounds[-1].is_complete:
        raise TournamentError(
            "{tournament}: a play-off comes when all rounds are over", tournament=tournament.name
        )
    if tournament.boards or tournament.format is Format.KNOCKOUT:
        raise TournamentError(
            "{tournament}: there is no play-off of teams, nor in a knockout", tournament=tournament.name
        )
    points = points_of(tournament)
    tied = tuple(number for number in points if points[number] == max(points.values()))
    if len(tied) < 2:
        raise TournamentError(
            "{tournament}: nobody has as many points as the first", tournament=tournament.name
        )
    chosen = tables or (tied,)
    if not {number for table in chosen for number in table} <= set(tied):
        raise TournamentError(
            "{tournament}: the play-off is for those who are first together", tournament=tournament.name
        )
    return replace(_seated(tournament, chosen), byes=(), is_playoff=True)


def berger(count: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Berger's tables for *count* players, numbered from 1: the pairs of each round.

    The first player of a pair is the first side.
    With an odd *count* number *count* + 1 does not exist: its pairs are left out.
    Source: FIDE Handbook C.05, annex 1.
    """
    even = count + count % 2
    half = even // 2
    rounds = []
    for turn in range(even - 1):
        fixed = turn * half % (even - 1)
        ring = [(fixed + step) % (even - 1) + 1 for step in range(even - 1)]
        first = (ring[0], even) if turn % 2 == 0 else (even, ring[0])
        pairs = [first, *((ring[step], ring[-step]) for step in range(1, half))]
        rounds.append(tuple(pair for pair in pairs if max(pair) <= count))
    return tuple(rounds)


def _round_robin(tournament: Tournament, number: int) -> Round:
    """Berger's round of all who had not left before the first round.

    Players who have left since, or enter late, lose by forfeit.
    """
    members = [each.number for each in tournament.players if each.left != 0]
    count = len(members)
    if count < 2:
        raise TournamentError("{tournament}: a round robin needs two players", tournament=tournament.name)
    table = berger(count)
    if tournament.format is Format.DOUBLE_ROUND_ROBIN:
        table = (*table, *(tuple((second, first) for first, second in pairs) for pairs in table))
    if number > len(table):
        raise TournamentError(
            "{tournament}: all {rounds} rounds are played", tournament=tournament.name, rounds=len(table)
        )
    pairs = [(members[one - 1], members[other - 1]) for one, other in table[number - 1]]
    resting = set(members) - set(itertools.chain.from_iterable(pairs))
    there = set(_there(tournament, number))
    pairings = tuple(_berger_pairing(board, pair, there) for board, pair in enumerate(pairs, 1))
    return Round(number, pairings, tuple((each, Bye.ZERO) for each in sorted(resting)))


def _berger_pairing(board: int, pair: tuple[Number, Number], there: set[Number]) -> Pairing:
    """The pair at its table; a forfeit if a player is absent."""
    if set(pair) <= there:
        return Pairing(board, pair)
    first, second = (2 * (each in there) for each in pair)
    return Pairing(board, pair, (first, second), is_forfeit=True)


def _swiss(tournament: Tournament, _number: int) -> Round:
    """A round of the Dutch system."""
    from companion.tournament.swiss import pairs  # the library belongs to an extra

    return round_of_pairs(tournament, pairs(tournament, dict(known_byes(tournament))))


def known_byes(tournament: Tournament) -> tuple[tuple[Number, Bye], ...]:
    """The byes of the next round that are known before it is paired."""
    return _byes(tournament, len(tournament.rounds) + 1)


def round_of_pairs(tournament: Tournament, pairs: Sequence[tuple[Number, Number]]) -> Round:
    """The next round of *pairs*, in which 0 is the pairing-allocated bye."""
    number = len(tournament.rounds) + 1
    tables = [pair for pair in pairs if 0 not in pair]
    left_over = {max(pair) for pair in pairs if 0 in pair}
    return _round(number, tables, _byes(tournament, number, left_over=left_over, left=Bye.ALLOCATED))


def _knockout(tournament: Tournament, number: int) -> Round:
    """A round of the winners; byes in the first round go to the top seeds.

    The top seeds can meet only late.
    """
    seeds = _by_strength(tournament, _there(tournament, 1)) if number == 1 else _winners(tournament)
    if len(seeds) < 2:
        if seeds:
            raise TournamentError("{tournament}: the knockout is decided", tournament=tournament.name)
        raise TournamentError("{tournament}: nobody has entered", tournament=tournament.name)
    size = 1 << (len(seeds) - 1).bit_length()
    slots = _slots(seeds) if number == 1 else [*seeds, *[0] * (size - len(seeds))]
    matches = list(zip(slots[::2], slots[1::2], strict=True))
    tables = [pair for pair in matches if 0 not in pair]
    byes = [(max(pair), Bye.ALLOCATED) for pair in matches if 0 in pair]
    return _round(number, _fairly(tournament, tables), tuple(byes))


def _winners(tournament: Tournament) -> list[Number]:
    """The remaining players in tree order.

    Raises `TournamentError` while a game has no winner.
    """
    last = tournament.rounds[-1]
    drawn = [str(pairing.table) for pairing in last.pairings if pairing.winner is None]
    if drawn:
        raise TournamentError(
            "{tournament}: a knockout needs a winner at table {tables}: let them play on, or decide",
            tournament=tournament.name,
            tables=tuple(drawn),
        )
    still_in = {pairing.winner for pairing in last.pairings}
    still_in |= {number for number, bye in last.byes if bye is Bye.ALLOCATED}
    return [number for number in _tree(tournament) if number in still_in]


def _tree(tournament: Tournament) -> list[Number]:
    """All starters in tree order.

    If an arbiter paired the first round: table by table, after those with a bye.
    """
    first = tournament.rounds[0]
    tables = [pairing.players for pairing in first.pairings]
    resting = [number for number, bye in first.byes if bye is Bye.ALLOCATED]
    began = [*resting, *itertools.chain.from_iterable(tables)]
    seeds = _by_strength(tournament, began)
    slots = _slots(seeds)
    by_strength = {frozenset(pair) for pair in zip(slots[::2], slots[1::2], strict=True) if 0 not in pair}
    return [each for each in slots if each] if by_strength == set(map(frozenset, tables)) else began


def _by_strength(tournament: Tournament, numbers: Sequence[Number]) -> list[Number]:
    return sorted(numbers, key=lambda each: strength(tournament.player(each)))


def _slots(seeds: Sequence[Number]) -> list[Number]:
    """*seeds* in the places of a tree, 0 in the empty ones."""
    order = _seeding(1 << (len(seeds) - 1).bit_length())
    return [seeds[index] if index < len(seeds) else 0 for index in order]


def _seeding(size: int) -> list[int]:
    """Seeds, from 0, in the order of a tree of *size* places.

    *size* is a power of two.

    0 and 1 can only meet in the final.
    """
    order = [0]
    while len(order) < size:
        order = [seed for each in order for seed in (each, 2 * len(order) - 1 - each)]
    return order


def _fairly(tournament: Tournament, tables: Sequence[tuple[Number, ...]]) -> list[tuple[Number, ...]]:
    """*tables* in which the player with fewer first moves has the first side."""
    begun = Counter(
        pairing.players[0]
        for each in tournament.rounds
        for pairing in each.pairings
        if not pairing.is_forfeit
    )
    return [tuple(sorted(table, key=lambda number: begun[number])) for table in tables]


def _grouped(tournament: Tournament, number: int) -> Round:
    """Tables of several players:
    neighbours in the standings, swapped to avoid repeated meetings.
    """
    points = points_of(tournament)
    there = _there(tournament, number)
    if len(there) < 2:
        raise TournamentError(
            "{tournament}: round {round} has too few players", tournament=tournament.name, round=number
        )
    ranked = sorted(there, key=lambda each: (-points[each], strength(tournament.player(each))))
    tables = _cut(ranked, tournament.seats)
    met = Counter(
        frozenset((player, other))
        for player in there
        for each in played(tournament, player)
        for other in each.others
        if player < other
    )
    _improve(tables, points, met)
    return _round(number, _fairly(tournament, [tuple(table) for table in tables]), _byes(tournament, number))


def _cut(ranked: Sequence[Number], seats: int) -> list[list[Number]]:
    """*ranked* divided into as few tables as *seats* allow, of similar size.

    The larger ones are last.
    """
    count = -(-len(ranked) // seats)
    small, large = divmod(len(ranked), count)
    sizes = [small] * (count - large) + [small + 1] * large
    ends = list(itertools.accumulate(sizes))
    return [list(ranked[end - size : end]) for size, end in zip(sizes, ends, strict=True)]


def _improve(
    tables: list[list[Number]], points: Mapping[Number, int], met: Counter[frozenset[Number]]
) -> None:
    """Swap players between tables to reduce repeated meetings, then the distance in standings."""

    def cost(*some: Sequence[Number]) -> tuple[int, int]:
        pairs = [pair for table in some for pair in itertools.combinations(table, 2)]
        return (
            sum(met[frozenset(pair)] ** 2 for pair in pairs),
            sum((points[first] - points[second]) ** 2 for first, second in pairs),
        )

    for _ in range(_SWAPS):
        is_better = False
        for one, other in itertools.combinations(tables, 2):
            for here, there in itertools.product(range(len(one)), range(len(other))):
                before = cost(one, other)
                one[here], other[there] = other[there], one[here]
                if cost(one, other) < before:
                    is_better = True
                else:
                    one[here], other[there] = other[there], one[here]
        if not is_better:
            return


def _free(tournament: Tournament, _number: int) -> Round:
    raise TournamentError(
        "{tournament}: in free play the arbiter seats the players", tournament=tournament.name
    )


def _there(tournament: Tournament, number: int) -> list[Number]:
    """The players to be paired in round *number*."""
    return [player.number for player in tournament.players if player.bye_in(number) is None]


def _byes(
    tournament: Tournament,
    number: int,
    *,
    left_over: set[Number] | frozenset[Number] = frozenset(),
    left: Bye = Bye.ZERO,
) -> tuple[tuple[Number, Bye], ...]:
    """All byes of round *number*: the known ones, and *left* for those *left_over*."""
    found = ((player.number, player.bye_in(number)) for player in tournament.players)
    chosen = ((each, left if each in left_over else bye) for each, bye in found)
    return tuple((each, bye) for each, bye in chosen if bye is not None)


def _round(number: int, tables: Sequence[tuple[Number, ...]], byes: tuple[tuple[Number, Bye], ...]) -> Round:
    pairings = tuple(Pairing(board, tuple(table)) for board, table in enumerate(tables, 1))
    return Round(number, pairings, byes)


_PAIR: Final[Mapping[Format, Callable[[Tournament, int], Round]]] = {
    Format.SWISS: _swiss,
    Format.ROUND_ROBIN: _round_robin,
    Format.DOUBLE_ROUND_ROBIN: _round_robin,
    Format.KNOCKOUT: _knockout,
    Format.FREE: _free,
}
