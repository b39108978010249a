# SPDX-License-Identifier: Apache-2.0
"""Pairing: the printed tables, and properties of every tournament."""

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.model.errors import TournamentError
from companion.tournament.pairing import berger, candidates, next_round, seated
from companion.tournament.values import (
    DRAW,
    LOSS,
    WIN,
    Bye,
    Format,
    Pairing,
    Player,
    Tournament,
    places,
    points_of,
)

Judge = Callable[[Pairing], tuple[int, ...]]


def tournament(players: int, kind: Format = Format.SWISS, *, rounds: int = 0, seats: int = 2) -> Tournament:
    names = tuple(Player(number, f"P{number}", 2000 - number) for number in range(1, players + 1))
    return Tournament("Club evening", kind, "chess", planned=rounds, seats=seats, players=names)


def played_on(of: Tournament, judge: Judge, rounds: int) -> Tournament:
    """*of* after *rounds* more rounds, with results from *judge*."""
    for _ in range(rounds):
        of = of.paired(next_round(of))
        for pairing in of.rounds[-1].pairings:
            if pairing.points is None:
                of = of.with_result(len(of.rounds), pairing.table, judge(pairing))
    return of


def the_better_wins(pairing: Pairing) -> tuple[int, ...]:
    order = sorted(range(len(pairing.players)), key=lambda seat: pairing.players[seat])
    return places(tuple((seat,) for seat in order))


def by_chance(seed: int) -> Judge:
    chance = Random(seed)
    return lambda pairing: chance.choice([(WIN, LOSS), (DRAW, DRAW), (LOSS, WIN)])


def meetings(of: Tournament) -> Counter[frozenset[int]]:
    return Counter(
        frozenset(pair)
        for each in of.rounds
        for pairing in each.pairings
        for pair in itertools.combinations(pairing.players, 2)
    )


def test_bergers_table_for_four_matches_the_printed_one() -> None:
    assert berger(4) == (((1, 4), (2, 3)), ((4, 3), (1, 2)), ((2, 4), (3, 1)))


def test_bergers_table_for_six_matches_the_printed_one() -> None:
    assert berger(6) == (
        ((1, 6), (2, 5), (3, 4)),
        ((6, 4), (5, 3), (1, 2)),
        ((2, 6), (3, 1), (4, 5)),
        ((6, 5), (1, 4), (2, 3)),
        ((3, 6), (4, 2), (5, 1)),
    )


@given(st.integers(2, 24))
def test_all_meet_once_and_begin_equally_often_in_a_round_robin(count: int) -> None:
    rounds = berger(count)
    pairs = [pair for each in rounds for pair in each]
    assert len({frozenset(pair) for pair in pairs}) == len(pairs) == count * (count - 1) // 2
    for each in rounds:
        assert len(set(itertools.chain(*each))) == 2 * len(each)
    begun = Counter(first for first, _ in pairs)
    assert max(begun.values()) - min(begun[number] for number in range(1, count + 1)) <= 1


def test_a_double_round_robin_swaps_sides_in_its_second_half() -> None:
    of = played_on(tournament(3, Format.DOUBLE_ROUND_ROBIN), the_better_wins, 6)
    pairs = [pairing.players for each in of.rounds for pairing in each.pairings]
    assert len(set(pairs)) == len(pairs) == 6
    with pytest.raises(TournamentError, match="all 6 rounds are played"):
        next_round(of)


def test_a_player_who_leaves_a_round_robin_forfeits_the_rest() -> None:
    of = played_on(tournament(4, Format.ROUND_ROBIN), the_better_wins, 1).withdrawn(2)
    of = played_on(of, the_better_wins, 2)
    theirs = [each.pairing_of(2) for each in of.rounds[1:]]
    assert all(pairing and pairing.is_forfeit and pairing.of(2) == LOSS for pairing in theirs)
    assert points_of(of)[1] == 3 * WIN


def test_a_player_who_leaves_before_the_first_round_is_not_paired_in_a_round_robin() -> None:
    of = played_on(tournament(5, Format.ROUND_ROBIN).withdrawn(2), the_better_wins, 3)
    met = sorted(sorted(pairing.players) for each in of.rounds for pairing in each.pairings)
    assert met == [[1, 3], [1, 4], [1, 5], [3, 4], [3, 5], [4, 5]]
    assert not any(pairing.is_forfeit for each in of.rounds for pairing in each.pairings)
    with pytest.raises(TournamentError, match="nobody can join once it has begun"):
        of.returned(2)


# after three rounds of six players the unplayed pairs may be two triangles, which cannot be paired
@settings(max_examples=20)
@given(st.integers(7, 15), st.integers(0, 1000))
def test_no_pairing_or_scored_bye_is_repeated_in_a_swiss(count: int, seed: int) -> None:
    of = played_on(tournament(count, rounds=4), by_chance(seed), 4)
    assert max(meetings(of).values()) == 1
    for each in of.rounds:
        seen = [number for pairing in each.pairings for number in pairing.players]
        seen += [number for number, _ in each.byes]
        assert sorted(seen) == list(range(1, count + 1))
        assert len(each.byes) == count % 2
    rests = Counter(number for each in of.rounds for number, bye in each.byes if bye is Bye.ALLOCATED)
    assert not rests or max(rests.values()) == 1


def test_a_swiss_pairs_the_upper_half_against_the_lower_in_the_first_round() -> None:
    pairs = [set(pairing.players) for pairing in next_round(tournament(8)).pairings]
    assert pairs == [{1, 5}, {2, 6}, {3, 7}, {4, 8}]


def test_late_excused_and_departed_players_are_not_paired() -> None:
    of = played_on(tournament(7), the_better_wins, 1)
    of = of.entered(Player(0, "Late", 2500)).withdrawn(7).excused(3, 3, Bye.HALF)
    of = played_on(of, the_better_wins, 2)
    assert of.player(8).joined == 2
    assert of.rounds[0].bye_of(8) is Bye.ZERO
    assert of.rounds[1].pairing_of(8)
    assert of.rounds[2].bye_of(3) is Bye.HALF
    assert all(each.bye_of(7) is Bye.ZERO and not each.pairing_of(7) for each in of.rounds[1:])


@pytest.mark.parametrize("kind", [Format.SWISS, Format.ROUND_ROBIN])
def test_a_returning_player_is_paired_from_the_next_round(kind: Format) -> None:
    of = played_on(played_on(tournament(6, kind), the_better_wins, 1).withdrawn(2), the_better_wins, 1)
    of = played_on(of.returned(2), the_better_wins, 1)
    missed, played = (each.pairing_of(2) for each in of.rounds[1:])
    assert missed is None or missed.is_forfeit
    assert played
    assert not played.is_forfeit
    with pytest.raises(TournamentError, match="has not withdrawn"):
        of.returned(2)


def test_a_round_is_not_paired_before_the_last_is_over() -> None:
    of = tournament(4)
    of = of.paired(next_round(of)).with_result(1, 2, (WIN, LOSS))
    with pytest.raises(TournamentError, match="round 1 is not over: results are missing at table 1"):
        next_round(of)


def test_a_swiss_reports_that_all_have_met() -> None:
    of = played_on(tournament(2), the_better_wins, 1)
    with pytest.raises(TournamentError, match="everybody has met everybody"):
        next_round(of)


@pytest.mark.parametrize("count", [2, 3, 5, 8, 11, 16])
def test_the_best_player_meets_the_second_best_in_the_final_of_a_knockout(count: int) -> None:
    rounds = (count - 1).bit_length()
    of = played_on(tournament(count, Format.KNOCKOUT), the_better_wins, rounds)
    (final,) = of.rounds[-1].pairings
    assert set(final.players) == {1, 2}
    assert sum(len(each.pairings) for each in of.rounds) == count - 1
    with pytest.raises(TournamentError, match="the knockout is decided"):
        next_round(of)


def test_a_knockout_needs_a_winner_at_every_table() -> None:
    of = tournament(4, Format.KNOCKOUT)
    of = of.paired(next_round(of)).with_result(1, 1, (DRAW, DRAW)).with_result(1, 2, (WIN, LOSS))
    with pytest.raises(TournamentError, match="needs a winner at table 1"):
        next_round(of)


@given(st.integers(2, 23), st.integers(3, 6))
def test_tables_of_several_differ_by_one_seat_at_most(count: int, seats: int) -> None:
    of = played_on(tournament(count, seats=seats), the_better_wins, 2)
    for each in of.rounds:
        sizes = [len(pairing.players) for pairing in each.pairings]
        assert max(sizes) - min(sizes) <= 1
        assert max(sizes) <= seats
        assert sum(sizes) == count


def test_tables_of_several_bring_new_opponents_while_possible() -> None:
    of = played_on(tournament(16, seats=4), the_better_wins, 3)
    assert max(meetings(of).values()) == 1


def test_the_arbiter_seats_the_players_in_free_play() -> None:
    of = tournament(5, Format.FREE, seats=3)
    fresh = seated(of, [(4, 2), (1, 3, 5)])
    assert [pairing.players for pairing in fresh.pairings] == [(4, 2), (1, 3, 5)]
    with pytest.raises(TournamentError, match="P2 cannot sit at two tables"):
        seated(of, [(1, 2), (2, 3)])
    for table in ((1, 2, 3, 4), (1,)):
        with pytest.raises(TournamentError, match="at a table sit 2 to 3"):
            seated(of, [table])
    with pytest.raises(TournamentError, match="9"):
        seated(of, [(1, 9)])
    with pytest.raises(TournamentError, match="in free play the arbiter seats"):
        next_round(of)
    again = of.paired(fresh)
    assert candidates(again) == [1, 2, 3, 4, 5]
    assert seated(again, [(1, 2)]).number == 2, "nobody waits until the others are done"


def decided(of: Tournament) -> Tournament:
    """*of*, in which the first at each table of its last round has won."""
    for pairing in of.rounds[-1].pairings:
        of = of.with_result(len(of.rounds), pairing.table, (WIN, LOSS))
    return of


def test_a_knockout_paired_by_hand_continues_in_table_order_with_byes_first() -> None:
    of = tournament(7, Format.KNOCKOUT)
    assert candidates(of) == [1, 2, 3, 4, 5, 6, 7]
    fresh = seated(of, [(7, 1), (6, 2), (5, 3)])
    assert fresh.byes == ((4, Bye.ALLOCATED),)
    of = of.paired(fresh)
    assert candidates(of) == []
    with pytest.raises(TournamentError, match="results are missing at table 1, 2, 3"):
        seated(of, [(7, 6)])
    of = decided(of)
    assert candidates(of) == [4, 7, 6, 5]
    assert [{*each.players} for each in next_round(of).pairings] == [{4, 7}, {5, 6}]
    with pytest.raises(TournamentError, match="not in the knockout any more: P1, P2"):
        seated(of, [(4, 1), (2, 5)])
    of = decided(of.paired(seated(of, [(4, 6), (7, 5)])))
    final = next_round(of)
    assert ([{*each.players} for each in final.pairings], final.byes) == ([{4, 7}], ())


def test_teams_are_paired_by_hand_board_by_board() -> None:
    of = tournament(0, Format.SWISS)
    of = replace(of, boards=2)
    for team in ("A", "B", "C"):
        for board in (1, 2):
            of = of.entered(Player(0, f"{team}{board}", team=team))
    assert candidates(of) == [1, 2, 3]
    fresh = seated(of, [(3, 1)])
    assert [each.players for each in fresh.pairings] == [(5, 1), (2, 6)]
    assert [(match.teams, match.bye) for match in fresh.matches if len(match.teams) == 1] == [
        (("B",), Bye.ZERO)
    ]
    cup = seated(replace(of, format=Format.KNOCKOUT), [(3, 1)])
    assert [(match.teams, match.bye) for match in cup.matches][1:] == [(("B",), Bye.ALLOCATED)]


@pytest.mark.parametrize("format", [Format.ROUND_ROBIN, Format.DOUBLE_ROUND_ROBIN])
def test_a_round_robin_cannot_be_paired_by_hand(format: Format) -> None:
    of = tournament(4, format)
    assert candidates(of) == []
    with pytest.raises(TournamentError, match="nobody can choose who plays whom"):
        seated(of, [(1, 2)])


def test_a_round_can_be_withdrawn_until_it_has_results() -> None:
    of = tournament(4)
    paired = of.paired(next_round(of))
    assert paired.unpaired() == of
    with pytest.raises(TournamentError, match="has results"):
        paired.with_result(1, 1, (WIN, LOSS)).unpaired()


def test_a_result_can_be_withdrawn_and_must_fit_its_table() -> None:
    of = tournament(4)
    of = of.paired(next_round(of))
    known = of.with_result(1, 1, (LOSS, WIN), is_forfeit=True)
    assert known.with_result(1, 1, None) == of
    with pytest.raises(TournamentError, match="table 1 has 2 players, the result 3"):
        of.with_result(1, 1, (1, 1, 1))
    for points in ((WIN, WIN), (3, -1), (10**400, 0)):
        with pytest.raises(TournamentError, match="table 1 cannot end with such points"):
            of.with_result(1, 1, points)
    assert of.with_result(1, 1, (DRAW, LOSS)).pairing(1, 1).points == (DRAW, LOSS), "points can be taken away"
    with pytest.raises(TournamentError, match="no table 9"):
        of.with_result(1, 9, (1, 1))


def test_no_player_can_join_a_started_round_robin() -> None:
    of = tournament(4, Format.ROUND_ROBIN)
    of = of.paired(next_round(of))
    with pytest.raises(TournamentError, match="nobody can join once it has begun"):
        of.entered(replace(of.players[0], name="Late"))
