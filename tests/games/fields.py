# SPDX-License-Identifier: Apache-2.0
"""Helpers for Tank Chess: small fields, and moves as sets of texts."""

from __future__ import annotations

from companion.games.tank_chess import GAME, TankChessRules
from companion.games.tank_chess.rules import AWAY, Move, unpack
from companion.model.game import Announcement
from companion.model.grid import COMPASS

BASIC = GAME.rules()
LARGE = GAME.rules({"map": "companion-20"})


def field(walls: str = "", tanks: str = "CA1N cH8S", outside: str = "", **options: str) -> TankChessRules:
    """Eight by eight spaces with obstacles on *walls* and border surfaces on *outside*."""
    border = f"; {outside}" if outside else ""
    return GAME.rules({"map": f"field; 8x8; {walls}; {tanks}{border}", **options})


FIELD = field()
FAR = "cH8S"
"""Black's Command Tank, far from the action."""


def bare(rules: TankChessRules, move: Move) -> str:
    """The notation of *move* without its marks."""
    source, state, victim = unpack(move)
    name = rules.grid.name
    shot = f"x{name(victim)}" if victim >= 0 else ""
    return (
        f"{name(source)}-off"
        if state == AWAY
        else f"{name(source)}-{name(state >> 3)}{COMPASS[state & 7]}{shot}"
    )


def moves(rules: TankChessRules, text: str, start: str = "") -> set[str]:
    """The moves in the position *text* that begin with *start*."""
    position = rules.read_position(text)
    return {
        written for move in rules.legal_moves(position) if (written := bare(rules, move)).startswith(start)
    }


def shots(rules: TankChessRules, text: str, stand: str) -> str:
    """The targets that the move *stand* can destroy."""
    return " ".join(sorted(move.split("x")[1] for move in moves(rules, text, stand + "x")))


def cries(rules: TankChessRules, text: str) -> tuple[Announcement, ...]:
    return rules.announcements(rules.read_position(text))
