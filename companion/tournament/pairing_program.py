# SPDX-License-Identifier: Apache-2.0
"""Request to a pairing program such as bbpPairings or JaVaFo, and its answer.

Both take a report (TRF) with the byes of the round to be paired, and answer with the number of
pairs and a pair on each line, the first side first; 0 for the pairing-allocated bye.
"""

from __future__ import annotations

from companion.model.errors import TournamentError
from companion.tournament.pairing import known_byes, round_of_pairs
from companion.tournament.starting_order import starting_numbers
from companion.tournament.trf import write_trf
from companion.tournament.values import Number, Round, Tournament


def request(tournament: Tournament) -> str:
    """The report from which a program pairs the next round."""
    return write_trf(tournament, dict(known_byes(tournament)))


def round_from(tournament: Tournament, answer: str) -> Round:
    """The next round as the program's *answer* has it. Raises `TournamentError` naming the line."""
    place = {rank: number for number, rank in starting_numbers(tournament).items()} | {0: 0}
    pairs: list[tuple[Number, Number]] = []
    for row, line in enumerate(answer.splitlines()[1:], 2):
        numbers = line.split()
        if not numbers:
            continue
        if len(numbers) != 2 or not all(each.isdecimal() and int(each) in place for each in numbers):
            raise TournamentError(
                "line {line} of the pairing program's answer is no pair of players: {text!r}",
                line=row,
                text=line,
            )
        pairs.append((place[int(numbers[0])], place[int(numbers[1])]))
    expected = {each.number for each in tournament.players} - {number for number, _ in known_byes(tournament)}
    named = [number for pair in pairs for number in pair if number]
    if sorted(named) != sorted(expected):
        wrong = sorted(expected.symmetric_difference(named)) or [
            number for number in named if named.count(number) > 1
        ]
        raise TournamentError(
            "the pairing program's answer leaves out players, or names them twice: {players}",
            players=tuple(tournament.player(number).name for number in wrong[:5]),
        )
    return round_of_pairs(tournament, pairs)
