# SPDX-License-Identifier: Apache-2.0
"""The Dutch system in force from February 2026.

`confirmed.trf` and, with Baku acceleration, `confirmed_baku.trf` have tournaments with odd numbers,
byes, forfeits, withdrawals and late entries, all
of whose rounds bbpPairings 6.0 (pairing and `-c`) has paired in the same way.
`tests/bench/pairing.py` makes and compares as many more as wanted.
"""

from __future__ import annotations

import itertools
import random
import time
from dataclasses import replace
from pathlib import Path

import pytest

from companion.model.errors import TournamentError
from companion.tournament.dutch import Unpairable, opponents
from companion.tournament.entrants import BLACK, WHITE, Entrant, Float, due
from companion.tournament.pairing import next_round
from companion.tournament.pairing_program import request, round_from
from companion.tournament.trf_reader import read_trf
from companion.tournament.values import (
    DRAW,
    LOSS,
    WIN,
    Acceleration,
    Bye,
    Format,
    Pairing,
    Player,
    Round,
    Tournament,
)
from tests.bench.pairing import Habits, before_round, entered, played
from tests.processor import reference_ms


def confirmed(name: str) -> list[Tournament]:
    """The tournaments in the file *name*."""
    return [
        read_trf(f"012 {text}").value for text in Path(__file__).with_name(name).read_text().split("012 ")[1:]
    ]


CONFIRMED = [
    *confirmed("confirmed.trf"),
    *(replace(of, acceleration=Acceleration.BAKU) for of in confirmed("confirmed_baku.trf")),
]


def before(of: Tournament, in_round: Round) -> Tournament:
    """*of* as it was before a round, with the byes that were known."""
    rounds = of.rounds[: in_round.number - 1]
    resting = {number: bye for number, bye in in_round.byes if bye is not Bye.ALLOCATED}
    players = tuple(
        replace(each, excused=((in_round.number, resting[each.number]),)) if each.number in resting else each
        for each in of.players
    )
    return replace(of, rounds=rounds, planned=len(of.rounds), players=players)


def seats(of: Round) -> set[tuple[int, ...]]:
    return {pairing.players for pairing in of.pairings}


@pytest.mark.parametrize("of", CONFIRMED, ids=lambda of: of.name)
def test_every_round_is_paired_as_the_endorsed_program_pairs_it(of: Tournament) -> None:
    assert of.rounds
    for each in of.rounds:
        fresh = next_round(before(of, each))
        assert seats(fresh) == seats(each), f"round {each.number}"
        assert set(fresh.byes) == set(each.byes), f"round {each.number}"


def entrant(rank: int, score: int, *met: int, colours: tuple[int, ...] = (), **also: object) -> Entrant:
    made = Entrant(rank, score, frozenset(met), *due(colours), (Float.NONE, Float.NONE), True, len(colours))
    return replace(made, **also)  # type: ignore[arg-type]  # fields by name


def test_the_first_round_pairs_the_upper_half_with_the_lower_and_the_last_rests() -> None:
    found = opponents(entrant(rank, 0) for rank in range(1, 8))
    assert [(one.rank, other and other.rank) for one, other in found] == [(1, 4), (2, 5), (3, 6), (7, None)]


def test_the_bye_goes_to_the_lowest_score_and_then_to_the_fewest_unplayed_games() -> None:
    games = (WHITE, BLACK)
    players = [entrant(rank, 4 if rank < 3 else 2, colours=games) for rank in range(1, 6)]
    players[4] = replace(players[4], games=1)
    assert [one.rank for one, other in opponents(players) if other is None] == [4], "C9"
    players[3] = replace(players[3], may_rest=False)
    assert [one.rank for one, other in opponents(players) if other is None] == [3], "C2"


def test_two_who_need_the_same_colour_meet_only_as_top_scorers() -> None:
    pair = [entrant(rank, 4, colours=(WHITE, WHITE)) for rank in (1, 2)]
    with pytest.raises(Unpairable):
        opponents(pair)
    assert len(opponents([replace(pair[0], is_top=True), pair[1]])) == 1


def test_a_bracket_gives_players_away_so_that_those_below_can_be_paired() -> None:
    lower = [entrant(3, 0, 4), entrant(4, 0, 3)]
    found = opponents([entrant(1, 2), entrant(2, 2), *lower])
    assert {(one.rank, other and other.rank) for one, other in found} == {(1, 3), (2, 4)}


def test_all_who_have_met_cannot_be_paired() -> None:
    of = Tournament("Two", Format.SWISS, "chess", players=(Player(1, "A"), Player(2, "B")))
    of = of.paired(next_round(of)).with_result(1, 1, (WIN, LOSS))
    with pytest.raises(TournamentError, match="round 2 cannot be paired"):
        next_round(of)


def test_only_the_last_round_is_played_by_its_rules_for_top_scorers() -> None:
    """C3 keeps 1 and 2, who had White twice, apart until then."""
    drawn = ((4, 5, 6, 7), (4, 6, 7, 5))
    of = Tournament("Eight", Format.SWISS, "chess", players=tuple(Player(n, f"P{n}") for n in range(1, 9)))
    for number, (a, b, (c, d, e, f)) in enumerate(((3, 8, drawn[0]), (8, 3, drawn[1])), 1):
        won = (Pairing(1, (1, a), (WIN, LOSS)), Pairing(2, (2, b), (WIN, LOSS)))
        even = (Pairing(3, (c, d), (DRAW, DRAW)), Pairing(4, (e, f), (DRAW, DRAW)))
        of = of.paired(Round(number, (*won, *even)))
    meet = {
        planned: {1, 2} in map(set, seats(next_round(replace(of, planned=planned)))) for planned in (0, 3, 5)
    }
    assert meet == {0: False, 3: True, 5: False}


def test_the_answer_of_a_pairing_program_is_the_round() -> None:
    of = before(CONFIRMED[0], CONFIRMED[0].rounds[2])
    fresh = next_round(of)
    resting = [number for number, bye in fresh.byes if bye is Bye.ALLOCATED]
    pairs = [*(pairing.players for pairing in fresh.pairings), *((number, 0) for number in resting)]
    answer = "\n".join([str(len(pairs)), *(f"{one} {other}" for one, other in pairs), ""])
    assert "XXR 6" in request(of)
    assert seats(round_from(of, answer)) == seats(fresh)
    with pytest.raises(TournamentError, match="line 2 of the pairing program's answer"):
        round_from(of, "1\n1 x\n")
    with pytest.raises(TournamentError, match="leaves out players, or names them twice"):
        round_from(of, "\n".join(answer.splitlines()[:-1]))


@pytest.mark.long
def test_500_players_are_paired_within_five_seconds_a_round() -> None:
    """On a processor on which the reference takes 4 ms."""
    chance = random.Random(1)
    habits = Habits(draw=0.3, forfeit=0.02, absent=0.02, leave=0.0, late=0.1)
    of = entered(chance, 500, 5)
    for _ in range(5):
        of = before_round(chance, of, habits)
        start = time.process_time()
        fresh = next_round(of)
        assert (time.process_time() - start) * 1000 < 1250 * reference_ms()
        of = played(chance, of.paired(fresh), habits)
        assert not any(
            frozenset(one) == frozenset(other)
            for one, other in itertools.product(seats(fresh), set().union(*map(seats, of.rounds[:-1])))
        )
