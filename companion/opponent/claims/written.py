# SPDX-License-Identifier: Apache-2.0
"""Claims whose moves can be said, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from companion.model.claims import Claim, ClaimKind, WrittenClaim
from companion.model.game import AnyRules
from companion.model.written_move import written_line, written_move
from companion.opponent.find import knowledge_of


def written(rules: AnyRules, position: Any, found: Iterable[Claim]) -> tuple[WrittenClaim, ...]:
    """*found*, what is claimed of moves in *position*, to be said."""
    return tuple(_written(rules, position, each) for each in found)


def _written(rules: AnyRules, position: Any, claim: Claim) -> WrittenClaim:
    end, threat = position, None
    for move in claim.line:
        end = rules.apply(end, move)
    outcome = rules.status(end)
    if claim.threat is not None:
        passed = knowledge_of(rules).passed(rules.apply(position, claim.line[0]))
        threat = written_move(rules, passed, claim.threat)
    return WrittenClaim(
        claim.kind,
        claim.pieces,
        claim.given,
        claim.cells,
        claim.count,
        claim.points,
        written_line(rules, position, claim.line),
        threat,
        tuple(map(rules.grid.name, claim.cells)),
        "" if outcome is None else outcome.termination,
    )


def checked(
    rules: AnyRules, position: Any, move: Any, found: Sequence[WrittenClaim]
) -> tuple[WrittenClaim, ...]:
    """*found*, if all are about *move* in *position*.

    All their moves must be legal, and written as they are.

    Raises `ValueError` or `CompanionError`.
    """
    for claim in found:
        at, line = position, []
        for each in claim.line:
            line.append(rules.read_move(at, each.text))
            at = rules.apply(at, line[-1])
        if line[:1] != [move] or claim.line != written_line(rules, position, line):
            raise ValueError(claim.line)
        if (claim.kind is ClaimKind.THREATENS) is not (claim.threat is not None):
            raise ValueError(claim.threat)
        if any(not 0 <= cell < len(rules.grid) for cell in claim.cells):
            raise ValueError(claim.cells)
        if claim.places != tuple(map(rules.grid.name, claim.cells)):
            raise ValueError(claim.places)
    return tuple(found)
