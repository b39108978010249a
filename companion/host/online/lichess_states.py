# SPDX-License-Identifier: Apache-2.0
"""The messages of lichess' game stream, as the state of a game.

Pure. Its rule: a line that is late changes nothing. Moves disappear only after a proposal to take
back, or when the stream was opened again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from companion.games import find
from companion.host.online.game_elsewhere import GameElsewhere
from companion.model.errors import NotationError, OnlineRefused
from companion.model.game import AnyRules, Outcome
from companion.model.pieces import Side
from companion.opponent.uci import names_of, read_move

COLOURS: Final = ("white", "black")
_STARTED: Final = ("created", "started")
_ABORTED: Final = ("aborted", "noStart")
_TERMINATIONS: Final = {
    "mate": "checkmate",
    "stalemate": "stalemate",
    "resign": "resignation",
    "outoftime": "time",
    "timeout": "abandonment",
    "draw": "agreement",
    "insufficientMaterialClaim": "insufficient-material",
}
_UNLIMITED_MS: Final = 2**31 - 1
"""Time on the clocks of a game without clocks."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class GameStart:
    """What does not change in a game."""

    number: str
    """Its id."""
    colour: str
    """That of the player at the table."""
    fen: str
    """The position before its first move; empty for the usual one."""
    names: tuple[str, str]
    variant: str

    @property
    def side(self) -> Side:
        return COLOURS.index(self.colour)


def start_of(full: Json, own: str) -> GameStart:
    """Return the start of the game in *full*, a message `gameFull`, for the player *own*."""
    fen = full.get("initialFen", "startpos")
    colour = COLOURS[0] if str(full["white"].get("id", "")).lower() == own.lower() else COLOURS[1]
    names = (_name(full["white"]), _name(full["black"]))
    variant = str(full.get("variant", {}).get("key", "standard"))
    return GameStart(str(full["id"]), colour, "" if fen == "startpos" else fen, names, variant)


def _name(player: Json) -> str:
    """Return the name of *player*, as people write it."""
    if "aiLevel" in player:
        return f"Stockfish {player['aiLevel']}"
    title = player.get("title")
    name = str(player.get("name") or player.get("id") or "?")
    return f"{title} {name}" if title else name


class LichessGame:
    """The state of one game, as the stream tells it."""

    def __init__(self, fen: str = "", skipped: int = 0) -> None:
        """The first *skipped* moves were made before the game at the table began."""
        self._rules: AnyRules = find("chess").rules()
        self._positions = [self._rules.read_position(fen) if fen else self._rules.initial()]
        self._written: list[str] = []
        self._moves: list[str] = []
        """As lichess writes them."""
        self._skipped = skipped
        self._may_shrink = True

    def take_full(self, full: Json) -> GameElsewhere | None:
        """Return the state in *full*, the first message of a stream."""
        self._may_shrink = True
        return self.take(full["state"])

    def take(self, state: Json) -> GameElsewhere | None:
        """Return *state*; None if it is late."""
        moves = str(state.get("moves", "")).split()
        is_shorter = len(moves) < len(self._moves) and moves == self._moves[: len(moves)]
        if is_shorter and not self._may_shrink:
            return None
        self._read(moves)
        take_backs = _sides(state, "takeback")
        self._may_shrink = bool(take_backs)
        status = str(state.get("status", "started"))
        return GameElsewhere(
            moves=tuple(self._written[self._skipped :]),
            draw_offers=_sides(state, "draw"),
            take_backs=take_backs,
            outcome=_outcome(state, status),
            is_aborted=status in _ABORTED,
            clocks=self._clocks(state),
            running=len(moves) % 2 if len(moves) > 1 and status == "started" else None,
        )

    def proposed(self) -> None:
        """Note that a take-back was proposed: moves may disappear."""
        self._may_shrink = True

    @property
    def position(self) -> str:
        """The position after the last move, as text."""
        return self._rules.write_position(self._positions[-1])

    @property
    def plies(self) -> int:
        """Number of moves since the start."""
        return len(self._moves)

    def code_of(self, ply: int, text: str) -> str:
        """Return the move *text*, made as ply *ply* at the table, as lichess writes it."""
        position = self._positions[self._skipped + ply]
        return names_of(self._rules.read_move(position, text))[0]

    def _read(self, moves: list[str]) -> None:
        """Read *moves*, those that are known already only once. Raises `OnlineRefused`."""
        pairs = zip(moves, self._moves, strict=False)
        same = next(
            (n for n, (one, other) in enumerate(pairs) if one != other), min(len(moves), len(self._moves))
        )
        del self._positions[same + 1 :], self._written[same:]
        for code in moves[same:]:
            position = self._positions[-1]
            try:
                move = read_move(self._rules, position, code)
            except NotationError as fault:
                raise OnlineRefused(
                    "lichess reports a move that is not legal: {reason}", reason=fault
                ) from fault
            self._written.append(self._rules.write_move(position, move))
            self._positions.append(self._rules.apply(position, move))
        self._moves = moves

    def _clocks(self, state: Json) -> tuple[int, ...]:
        """Return the time left of both sides; () without clocks."""
        left = tuple(state.get(name) for name in ("wtime", "btime"))
        is_clocked = all(isinstance(each, int) and each < _UNLIMITED_MS for each in left)
        return tuple(int(each) for each in left if each is not None) if is_clocked else ()


def _sides(state: Json, what: str) -> tuple[Side, ...]:
    """Return the sides that propose *what*."""
    return tuple(side for side, colour in enumerate(COLOURS) if state.get(f"{colour[0]}{what}"))


def _outcome(state: Json, status: str) -> Outcome | None:
    """Return the result; None while the game is on, or without one."""
    if status in _STARTED or status in _ABORTED:
        return None
    winner = state.get("winner")
    winners = (COLOURS.index(winner),) if winner in COLOURS else ()
    if status == "outoftime" and not winners:
        return Outcome((), "time-without-mate")
    return Outcome(winners, _TERMINATIONS.get(status, "unknown"))
