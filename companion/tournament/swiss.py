# SPDX-License-Identifier: Apache-2.0
"""The Swiss system for two at a table: the FIDE Dutch system (C.04.3) of py4swiss.

The library's vocabulary stays in this file and in `trf.py`; it comes with the extra `hall`.
"""

from __future__ import annotations

from collections.abc import Mapping

from py4swiss.engines.common import PairingError
from py4swiss.engines.dutch.engine import Engine
from py4swiss.trf import ParsedTrf
from py4swiss.trf.codes import PlayerCode
from py4swiss.trf.results import ColorToken, ResultToken, RoundResult
from py4swiss.trf.sections import PlayerSection, XSection

from companion.model.errors import TournamentError
from companion.tournament.values import (
    DRAW,
    LOSS,
    Bye,
    Number,
    Pairing,
    Player,
    Tournament,
    played,
    points_of,
)

BYES = {
    Bye.ALLOCATED: ResultToken.PAIRING_ALLOCATED_BYE,
    Bye.FULL: ResultToken.FULL_POINT_BYE,
    Bye.HALF: ResultToken.HALF_POINT_BYE,
    Bye.ZERO: ResultToken.ZERO_POINT_BYE,
}


def pairs(tournament: Tournament, byes: Mapping[Number, Bye]) -> list[tuple[Number, Number]]:
    """The pairs of the next round, the first side first; 0 for a bye.

    *byes* are those of players who are not to be paired.
    Raises `TournamentError` if no valid pairing is left.
    """
    strongest, seed = by_strength(tournament), starting_numbers(tournament)
    sections = player_sections(tournament, seed)
    for section, player in zip(sections, strongest, strict=True):
        if player.number in byes:
            section.results.append(bye_result(byes[player.number]))
    if all(player.number in byes for player in strongest):
        raise TournamentError("{tournament}: nobody is there to be paired", tournament=tournament.name)
    rounds = len(tournament.rounds) + 1
    trf = ParsedTrf(
        player_sections=sections, x_section=XSection(number_of_rounds=max(rounds, tournament.planned))
    )
    try:
        found = Engine.generate_pairings(trf)
    except PairingError as fault:
        raise TournamentError(
            "{tournament}: round {round} cannot be paired: everybody has met everybody who is left",
            tournament=tournament.name,
            round=rounds,
        ) from fault
    number = {place: player for player, place in seed.items()} | {0: 0}
    return [(number[each.white], number[each.black]) for each in found]


def by_strength(tournament: Tournament) -> list[Player]:
    """The players in pairing order: by rating, then by entry."""
    return sorted(tournament.players, key=lambda player: (-player.rating, player.number))


def starting_numbers(tournament: Tournament) -> dict[Number, int]:
    """The starting number of each player: the rank by strength.

    A late entry therefore shifts weaker players.
    """
    return {player.number: place for place, player in enumerate(by_strength(tournament), 1)}


def player_sections(tournament: Tournament, seed: Mapping[Number, int]) -> list[PlayerSection]:
    """The players as in the federation's report, in the order of their places in *seed*."""
    points = points_of(tournament)
    sections = []
    for player in sorted(tournament.players, key=lambda player: seed[player.number]):
        results = [
            bye_result(each.bye) if each.pairing is None else _result(each.pairing, player.number, seed)
            for each in played(tournament, player.number)
        ]
        sections.append(
            PlayerSection(
                code=PlayerCode.PLAYER,
                starting_number=seed[player.number],
                name=player.name,
                fide_rating=player.rating or None,
                points_times_ten=5 * points[player.number],
                rank=seed[player.number],
                results=results,
            )
        )
    return sections


def bye_result(bye: Bye | None) -> RoundResult:
    """A round without a game."""
    token = BYES[bye] if bye is not None else ResultToken.ZERO_POINT_BYE
    return RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=token)


def _result(pairing: Pairing, number: Number, seed: Mapping[Number, int]) -> RoundResult:
    """The result of *number* at the table of *pairing*."""
    if len(pairing.players) == 1:  # a board without an opponent
        return RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=ResultToken.FORFEIT_WIN)
    is_first = pairing.players[0] == number
    points = pairing.of(number)
    if pairing.is_forfeit:
        token = ResultToken.FORFEIT_WIN if points else ResultToken.FORFEIT_LOSS
    else:
        token = {LOSS: ResultToken.LOSS, DRAW: ResultToken.DRAW}.get(points, ResultToken.WIN)
    other = pairing.players[1 if is_first else 0]
    return RoundResult(id=seed[other], color=ColorToken.WHITE if is_first else ColorToken.BLACK, result=token)
