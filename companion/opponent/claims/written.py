# SPDX-License-Identifier: Apache-2.0
"""Claims in the notation of a game, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from companion.model.claims import Claim, ClaimKind, WrittenClaim
from companion.model.game import AnyRules
from companion.model.notation import write_line
from companion.opponent.find import knowledge_of


def written(rules: AnyRules, position: Any, found: Iterable[Claim]) -> tuple[WrittenClaim, ...]:
    """*found*, what is claimed of moves in *position*, in the notation of the game."""
    return tuple(_written(rules, position, each) for each in found)


def _written(rules: AnyRules, position: Any, claim: Claim) -> WrittenClaim:
    end, threat = position, ""
    for move in claim.line:
        end = rules.apply(end, move)
    outcome = rules.status(end)
    if claim.threat is not None:
        passed = knowledge_of(rules).passed(rules.apply(position, claim.line[0]))
        threat = rules.write_move(passed, claim.threat)
    return WrittenClaim(
        claim.kind,
        claim.pieces,
        claim.given,
        claim.cells,
        claim.count,
        write_line(rules, position, claim.line),
        threat,
        "" if outcome is None else outcome.termination,
    )


def checked(
    rules: AnyRules, position: Any, move: Any, found: Sequence[WrittenClaim]
) -> tuple[WrittenClaim, ...]:
    """*found*, if all are about *move* in *position*, and all their moves are legal.

    Raises `ValueError` or `CompanionError`.
    """
    for claim in found:
        at, line = position, []
        for text in claim.line:
            line.append(rules.read_move(at, text))
            at = rules.apply(at, line[-1])
        if line[:1] != [move]:
            raise ValueError(claim.line)
        if (claim.kind is ClaimKind.THREATENS) is not bool(claim.threat):
            raise ValueError(claim.threat)
        if any(not 0 <= cell < len(rules.grid) for cell in claim.cells):
            raise ValueError(claim.cells)
    return tuple(found)
