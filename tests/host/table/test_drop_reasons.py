# SPDX-License-Identifier: Apache-2.0
"""An illegal drop is answered by a rule that it breaks.

Whose turn it is comes first.
What each sentence claims is worked out in `claims` from the rulebooks, not by the code that
explains.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from random import Random
from typing import Any, Final

import pytest

from companion import games
from companion.feedback.words import load
from companion.host.play.start import usual_sensor
from companion.host.virtual_table.set_up import pieces_for
from companion.model.game import AnyRules, Violation
from companion.model.grid import OFF, Cell, distances
from companion.model.observation import EMPTY, Change
from companion.model.pieces import Piece, Side
from companion.referee.inference.illegal_position import violation_of
from companion.referee.session.session import Session
from companion.referee.values.board.looks import Seen
from companion.virtual.pieces import PieceSet
from tests.games.carried import legal_carries
from tests.games.drawn_options import OPTIONS
from tests.games.support import random_positions
from tests.referee.support import perform, table

from .claims import chess, close_quarters, fightopia, gottaz, martian_chess, tank_chess
from .claims.drop import COMMON, Claim, Drop, is_said_of

PAIRS: Final = 300
LONG: Final = 5000
DROPS: Final = 10
"""Drops in each position."""
TURN: Final = {"wrong-side", "wrong-zone"}

CLAIMS: Final[Mapping[str, Mapping[str, Claim]]] = {
    "chess": chess.CLAIMS,
    "close-quarters": close_quarters.CLAIMS,
    "fightopia": fightopia.CLAIMS,
    "gottaz": gottaz.CLAIMS,
    "martian-chess": martian_chess.CLAIMS,
    "tank-chess": tank_chess.CLAIMS,
}


def lifted(session: Session, cells: tuple[Cell, ...]) -> Any:
    """What *session* believes after the piece on *cells* was lifted."""
    tip = session.belief.tip
    belief = session.belief.looking(0, Seen(tip.occupied, 0, tip.looks))
    for cell in cells:
        belief = belief.sensed(Change(belief.now_ms, cell, EMPTY))
    return belief


def owner(rules: AnyRules, piece: Piece, cells: tuple[Cell, ...]) -> Side | None:
    """The side that may move *piece* on *cells*."""
    if rules.slug == "martian-chess":
        return martian_chess.zone(rules, rules.grid.name(cells[0]))
    return piece.side


def in_hand(
    rules: AnyRules, position: Any, pieces: PieceSet, chance: Random
) -> tuple[PieceSet, tuple[Cell, ...]]:
    """*pieces* with a drawn one in the hand, and its cells.

    At times it is turned over. Mostly it is one of the side to move.
    Kinds with few pieces are drawn as often as others.
    """
    entries = pieces.standing.entries
    if pieces.box and (not entries or chance.random() < 0.3):
        taken = pieces.take(chance.randrange(len(pieces.box)))
        return taken.flip() if chance.random() < 0.5 else taken, ()
    if not entries:
        return pieces, ()
    own = [entry for entry in entries if owner(rules, *entry) == position.turn]
    listed = own if own and chance.random() < 0.8 else entries
    kind = chance.choice(sorted({(piece.kind, piece.pose) for piece, _ in listed}))
    cells = chance.choice([cells for piece, cells in listed if (piece.kind, piece.pose) == kind])
    taken = pieces.lift(chance.choice(cells))
    is_turned = len(cells) == 2 and chance.random() < 0.3
    return taken.turn() if is_turned else taken, cells


def near(rules: AnyRules, cells: tuple[Cell, ...], chance: Random) -> Cell:
    """A cell up to three away from *cells*, or in a line with them."""
    grid = rules.grid
    if not cells:
        return chance.randrange(len(grid))
    if chance.random() < 0.5:
        steps, cell = chance.choice(grid.steps), cells[0]
        for _ in range(chance.randint(1, 6)):
            cell = cell if steps[cell] == OFF else steps[cell]
        return cell
    reach = [cell for cell, steps in enumerate(distances(grid, cells[0])) if steps <= 3]
    return chance.choice(reach)


def drawn(rules: AnyRules, chance: Random) -> Iterator[tuple[Session, Drop]]:
    """Illegal drops in positions of random games, without end."""
    while True:
        for position in random_positions(rules, chance.randrange(1 << 30), 6 * DROPS):
            if rules.status(position) is None and chance.random() < 0.2:
                session = Session(rules, usual_sensor(rules), start=position)
                yield from ((session, drop) for drop in drops(rules, position, chance))


def drops(rules: AnyRules, position: Any, chance: Random) -> Iterator[Drop]:
    """Illegal drops in *position*, on any cells or on other pieces."""
    pieces, legal = pieces_for(rules, position), {carry for carry, _ in legal_carries(rules, position)}
    by_cell = rules.placement(position).by_cell()
    for _ in range(DROPS):
        holding, source = in_hand(rules, position, pieces, chance)
        if holding.hand is None:
            continue
        anywhere = chance.randrange(len(rules.grid))
        others = [cell for cell in by_cell if cell not in source]
        cell = chance.choice((anywhere, near(rules, source, chance), chance.choice(others or [anywhere])))
        landing, piece = holding.reach(cell), holding.hand.piece
        is_back = set(landing) == set(source)
        is_legal = any(
            set(way.source) == set(source)
            and (set(way.target) == set(landing) or cell in set(way.target) - set(source))
            and (source or (way.piece.kind, way.piece.side) == (piece.kind, piece.side))
            for way in legal
        )
        if landing and not is_back and not is_legal:
            yield Drop(rules, position, piece, source, landing, by_cell)


def fault(drop: Drop, found: Violation) -> str:
    """What is wrong with *found*, the reason against a drop; "" if it is right."""
    claim = {**COMMON, **CLAIMS[drop.rules.slug]}.get(found.rule)
    if claim is None:
        return "the rule is unknown"
    if not is_said_of(drop, found):
        return "another piece is named"
    is_wreck = drop.piece.pose == "wreck"
    may_be_theirs = is_wreck or found.rule == "still-choosing" or found.rule.startswith("tsunami-")
    if not may_be_theirs and (owner(drop.rules, drop.piece, drop.source) != drop.turn) != (
        found.rule in TURN
    ):
        return f"it is the turn of {drop.turn}"
    return "" if claim(drop, dict(found.arguments)) else "the claim is false"


def test_the_reason_for_a_piece_that_has_moved_names_where_it_stood() -> None:
    fake = table("chess")
    perform(fake, "e2- 200 e4+e2 3500 e4- 300")
    grid = fake.rules.grid
    found = violation_of(fake.session.belief, Piece("pawn", 0), grid.cells("d7"))
    assert (found.rule, dict(found.arguments)["cell"]) == ("wrong-side", "e4")


@pytest.mark.parametrize("slug", OPTIONS)
def test_the_reason_is_a_rule_that_the_drop_breaks(slug: str, *, is_long: bool) -> None:
    seed, faults = f"{datetime.now(UTC):%Y-%m-%d}", dict[tuple[str, str], str]()
    pairs = (LONG if is_long else PAIRS) // len(OPTIONS[slug]) + 1
    for options in OPTIONS[slug]:
        rules = games.find(slug).rules(options)
        drops_of = drawn(rules, Random(seed))
        for session, drop in (next(drops_of) for _ in range(pairs)):
            found = violation_of(lifted(session, drop.source), drop.piece, drop.landing)
            if wrong := fault(drop, found):
                position = rules.write_position(drop.position)
                about = f"{drop.piece} {drop.origin}-{drop.target} in {position}, {found.arguments}"
                faults.setdefault((found.rule, wrong), f"{about} {dict(options)}")
    assert not faults, f"{slug}, drawn by {seed}"


@pytest.mark.parametrize("slug", CLAIMS)
def test_every_rule_of_the_word_file_has_a_claim(slug: str) -> None:
    rules = games.find(slug).rules()
    words = load("en", slug, rules.sides)
    named = {*words.game.violations, *words.common.violations}
    assert named == {*COMMON, *CLAIMS[slug]}
