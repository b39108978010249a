# SPDX-License-Identifier: Apache-2.0
"""Measure games at eboards, with simulated eboards in virtual time.

The times are those of the eboards, their lines and the waits of the host; the host's computing time
is not in them. They have the median, and the 99th percentile where there are 100 samples or more;
the slowest of fewer. But for the examination, hands are scripts: a legal move, made in a given way.

- gestures: what was announced after all kinds of moves. Asked: a question has the move among its
  choices. Stuck: no move was announced.
- settled_to_lamps_ms: from a piece put down to the first change of the eboard's lamps.
- settled_to_shown_ms: the same to the move in the record on the screen.
- settled_to_illegal_ms: from a piece put down on an illegal square to the message.
- two_moves_280_ms: pairs of moves, put down 280 ms apart, of which both were recorded.
- edges_lost: of lifted and placed pieces, those that were never reported, with damaged bytes.
- recovery_ms: from a port that is opened again to the move that was made meanwhile.
- examination: the referee's examination (tests/bench/recognition.py) with this eboard as sensor:
  random games of all games that fit, by hands of all temperaments that need no bouncing switch.
- presses: of moves that were completed by the lever of the eboard's clock, those that switched the
  clocks; press_to_clock_ms: from the lever to the clock that was set to the new times.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from companion.games import find
from companion.model.observation import Change, Observation, SensorKind
from companion.referee.session.session import Session
from companion.referee.values.controls import read_control
from companion.referee.values.events import Stage
from companion.referee.values.view import Phase
from tests.bench.gestures import GESTURES, Made, Script, changes_kind, moves_of_random_games, promotion, quiet
from tests.bench.maker_table import counts, examine_eboard
from tests.bench.report import arguments, deliver, percentiles, say
from tests.eboards.rig import MAKERS, EboardRig, chess_pieces, lamps_of
from tests.virtual.eboards.dgt import VirtualDgtEboard

CHESS: Final = find("chess").rules()
LETTERS: Final = {"pawn": "p", "knight": "n", "bishop": "b", "rook": "r", "queen": "q", "king": "k"}
SQUARES: Final = CHESS.grid.names
HOLD_MS: Final = 1000
"""Time in the hand before a latency is measured: the lift is reported by then."""
SCAN_MS: Final = 500
"""Longer than a scan of any eboard: hands do not keep its time."""
DAMAGED: Final = 0.01
"""Share of an eboard's messages with a wrong bit."""


class Watched(EboardRig):
    """A table with an eboard, at which times can be taken."""

    lamps_before: object = None
    """The state of the lamps before."""

    def times_ms(self, within_ms: int, **awaited: Callable[[], bool]) -> dict[str, int]:
        """After which time each of *awaited* was true first, as far as it was *within_ms*."""
        began_ms, seen = self.now_ms, dict[str, int]()
        while len(seen) < len(awaited) and self.now_ms < began_ms + within_ms:
            self.advance(1)
            for name, is_true in awaited.items():
                if name not in seen and is_true():
                    seen[name] = self.now_ms - began_ms
        return seen

    def has_answered(self) -> bool:
        """True if the lamps are others than `lamps_before`."""
        return lamps_of(self.eboard) != self.lamps_before

    def has_complained(self) -> bool:
        """True if an illegal position is explained."""
        return self.pipeline.view.fault is not None

    def has_move(self) -> bool:
        """True if a move is in the record on the screen."""
        return bool(self.pipeline.view.record)


def times(samples: list[float]) -> dict[str, float | None]:
    """The median of *samples*, with the 99th percentile or the slowest of fewer than 100."""
    found = percentiles(samples)
    return {"p50": found["p50"], "p99" if len(samples) >= 100 else "slowest": found["p99"]}


def letters_of(position: Any) -> dict[str, str]:
    """The FEN letter of the piece on each occupied square."""
    return {
        SQUARES[cell]: letter_of(piece)
        for piece, cells in CHESS.placement(position).entries
        for cell in cells
    }


def letter_of(piece: Any) -> str:
    letter = LETTERS[piece.kind]
    return letter.upper() if piece.side == 0 else letter


def table(name: str, position: Any, spoil: Callable[[bytes], bytes] = bytes) -> Watched:
    """A table with *position* on the eboard *name*, which has seen the start before."""
    begun = chess_pieces()
    eboard = MAKERS[name](begun, spoil)
    rig = Watched(name, eboard, begun, start=CHESS.write_position(position))
    pieces = letters_of(position)
    for square in [square for square, letter in begun.items() if pieces.get(square) != letter]:
        rig.lift(square)
    for square, letter in pieces.items():
        if rig.standing.get(square) != letter:
            rig.put(square, letter)
    rig.advance(3000)
    return rig


def perform(rig: Watched, made: Made, script: Script) -> None:
    """Make the gesture *script* for the move *made*."""
    after = letters_of(made.rules.apply(made.position, made.move))
    mover = letter_of(made.steps[0].piece)
    before = dict(rig.standing)
    for wait_ms, cell, is_filled in script:
        rig.advance(wait_ms)
        square = SQUARES[cell]
        if not is_filled:
            rig.lift(square)
        else:
            rig.put(square, after.get(square, before.get(square, mover)) if cell != made.source else mover)
    if rig.standing.keys() == after.keys() and rig.standing != after:  # pushed: it was never empty
        rig.put(SQUARES[made.target], after[SQUARES[made.target]])


def judge(rig: Watched, *texts: str) -> str:
    """The result if *texts* are the moves that were meant."""
    rig.advance(3500)
    question = rig.pipeline.view.question
    if question is not None:
        offered = {text for choice in question.choices for text in choice.moves}
        return "asked" if texts[question.ply] in offered else "wrong"
    record = [each.move for each in rig.pipeline.view.record if each.stage is not Stage.PROVISIONAL]
    return "right" if record == list(texts) else "stuck" if not record else "wrong"


def samples(seed: int) -> Iterator[Made]:
    """Legal moves of random games; plain ones from many positions."""
    chance = Random(seed)
    for made in moves_of_random_games(CHESS, seed):
        if len(made.steps) > 1 or changes_kind(made) or chance.random() < 0.05:
            yield made


def scripts(seed: int, most: int) -> Iterator[tuple[str, Made, Script]]:
    """Gestures with their moves, *most* of each kind if they are found soon."""
    found = Counter[str]()
    for tried, made in enumerate(samples(seed)):
        wanted = [name for name in GESTURES if found[name] < most]
        if not wanted or tried > 600 * most:
            return
        for name in wanted:
            if script := GESTURES[name](made):
                found[name] += 1
                yield name, made, script


def quiet_moves(seed: int) -> Iterator[Made]:
    """Plain moves of one piece, from many positions."""
    chance = Random(seed)
    return (
        made
        for made in moves_of_random_games(CHESS, seed)
        if chance.random() < 0.02 and quiet(made) and not promotion(made)
    )


def measured_gestures(name: str, seed: int, most: int) -> dict[str, Any]:
    """The results of all kinds of gestures, together and by kind."""
    rows: dict[str, Counter[str]] = {}
    for gesture, made, script in scripts(seed, most):
        rig = table(name, made.position)
        perform(rig, made, script)
        result = judge(rig, CHESS.write_move(made.position, made.move))
        rows.setdefault(gesture, Counter())[result] += 1
    total = sum(rows.values(), Counter[str]())
    keys = ("right", "wrong", "asked", "stuck")
    return {
        "gestures": {key: total[key] for key in keys},
        "gestures_by_kind": {gesture: {key: row[key] for key in keys} for gesture, row in rows.items()},
    }


def measured_moves(name: str, seed: int, most: int) -> dict[str, Any]:
    """Times from a piece put down to lamps and record."""
    lamps_ms, shown_ms, chance = list[float](), list[float](), Random(seed)
    for _, made in zip(range(most), quiet_moves(seed), strict=False):
        rig = table(name, made.position)
        letter = rig.lift(SQUARES[made.source])
        rig.advance(HOLD_MS + chance.randrange(SCAN_MS))
        rig.lamps_before = lamps_of(rig.eboard)
        rig.put(SQUARES[made.target], letter)
        seen = rig.times_ms(2000, shown=rig.has_move, lamps=rig.has_answered)
        lamps_ms += [seen["lamps"]] if "lamps" in seen else []
        shown_ms += [seen["shown"]] if "shown" in seen else []
    has_lamps = {} if lamps_ms else {"settled_to_lamps_ms_why": "the board has no lamps"}
    return {
        "settled_to_lamps_ms": times(lamps_ms) if lamps_ms else None,
        **has_lamps,
        "settled_to_shown_ms": times(shown_ms),
    }


def measured_illegal(name: str, seed: int, most: int) -> dict[str, Any]:
    """Times from a piece put down on an illegal square to the message."""
    times_ms, chance = list[float](), Random(seed)
    for _, made in zip(range(most), quiet_moves(seed + 1), strict=False):
        rig = table(name, made.position)
        legal = {SQUARES[each.target] for each in same_piece(made)}
        free = [square for square in SQUARES if square not in rig.standing and square not in legal]
        letter = rig.lift(SQUARES[made.source])
        rig.advance(HOLD_MS + chance.randrange(SCAN_MS))
        rig.put(chance.choice(free), letter)
        times_ms += rig.times_ms(5000, said=rig.has_complained).values()
    return {"settled_to_illegal_ms": times(times_ms), "illegal": {"said": len(times_ms), "of": most}}


def same_piece(made: Made) -> Iterator[Made]:
    """The legal moves of the piece that moves."""
    for move in CHESS.legal_moves(made.position):
        each = Made(CHESS, made.position, move, tuple(CHESS.steps(made.position, move)))
        if each.source == made.source:
            yield each


def measured_pairs(name: str, seed: int, most: int) -> dict[str, Any]:
    """Pairs of plain moves, put down 280 ms apart."""
    seen, chance = 0, Random(seed)
    for _, made in zip(range(most), quiet_moves(seed + 2), strict=False):
        reply = reply_to(made, chance)
        if reply is None:
            continue
        rig = table(name, made.position)
        rig.advance(chance.randrange(SCAN_MS))
        perform(rig, made, quiet(made) or [])
        perform(rig, reply, [(140, reply.source, False), (140, reply.target, True)])
        texts = (CHESS.write_move(each.position, each.move) for each in (made, reply))
        seen += judge(rig, *texts) == "right"
    return {"two_moves_280_ms": {"seen": seen, "of": most}}


def reply_to(made: Made, chance: Random) -> Made | None:
    """A plain reply by another piece than any that *made* moved."""
    after = CHESS.apply(made.position, made.move)
    moves = (Made(CHESS, after, move, tuple(CHESS.steps(after, move))) for move in CHESS.legal_moves(after))
    replies = [each for each in moves if quiet(each) and not promotion(each)]
    return chance.choice(replies) if replies else None


def measured_edges(name: str, seed: int, most: int) -> dict[str, Any]:
    """Edges of 400 ms and more that were not reported, while bytes are damaged."""
    chance, lost, made_edges = Random(seed), 0, 0

    def spoil(message: bytes) -> bytes:
        if chance.random() > DAMAGED:
            return message
        at = chance.randrange(len(message))
        return message[:at] + bytes((message[at] ^ 1 << chance.randrange(7),)) + message[at + 1 :]

    for _, made in zip(range(most), quiet_moves(seed + 3), strict=False):
        rig = table(name, made.position, spoil)
        before = len(rig.kept.entries)
        perform(rig, made, [(0, made.source, False), (400, made.target, True)])
        rig.advance(3000)
        edges = {
            (change.cell, bool(change.sighting.occupied))
            for entry in rig.kept.entries[before:]
            if isinstance(entry, Observation)
            for change in entry.inputs
            if isinstance(change, Change)
        }
        made_edges += 2
        lost += len({(made.source, False), (made.target, True)} - edges)
    return {"edges_lost": lost, "edges": made_edges}


def measured_recovery(name: str, seed: int, most: int) -> dict[str, Any]:
    """Times from an opened port to the move that was made while it was unplugged."""
    times_ms, chance = list[float](), Random(seed)
    for _, made in zip(range(most), quiet_moves(seed + 4), strict=False):
        rig = table(name, made.position)
        assert rig.pipeline.view.phase is Phase.WAITING
        rig.pipeline.lose("it was unplugged", rig.now_ms)
        rig.put(SQUARES[made.target], rig.lift(SQUARES[made.source]))
        rig.now_ms += 4000 + chance.randrange(SCAN_MS)
        rig.pipeline.reopen(rig.now_ms)
        times_ms += rig.times_ms(8000, found=rig.has_move).values()
    return {"recovery_ms": times(times_ms), "recovered": {"seen": len(times_ms), "of": most}}


def runs(eboard: VirtualDgtEboard, end: int) -> bool:
    """True if the time of *end* runs at the clock of *eboard*."""
    return eboard.clock[1] == end


def measured_presses(name: str, seed: int, most: int) -> dict[str, Any]:
    """Moves that are completed by the lever of the eboard's clock."""
    if name != "dgt":
        return {"presses": None, "presses_why": "the board has no clock"}
    times_ms, seen, chance = list[float](), 0, Random(seed)
    for _, made in zip(range(most), quiet_moves(seed + 5), strict=False):
        pieces, side = letters_of(made.position), made.position.turn
        eboard = VirtualDgtEboard(pieces, 0, clock_s=(0, 0))
        eboard.press(1 - side, 0)  # where the lever was left
        control = read_control("5+3@press", 2)
        session = Session(CHESS, SensorKind.IDENTITY, start=made.position, control=control)
        rig = Watched(name, eboard, pieces, session=session)
        perform(rig, made, quiet(made) or [])
        rig.advance(HOLD_MS + chance.randrange(SCAN_MS))
        eboard.press(side, rig.now_ms)
        took = rig.times_ms(4000, switched=partial(runs, eboard, 1 - side))
        times_ms += took.values()
        seen += [clock.is_running for clock in rig.pipeline.view.clocks] == [side == 1, side == 0]
    return {"presses": {"seen": seen, "of": most}, "press_to_clock_ms": times(times_ms)}


def measured_examination(name: str, seed: int, most: int) -> dict[str, Any]:
    """The counts of the examination, with *most* plies of each game and temperament."""
    return {"examination": counts(examine_eboard(name, most, seed))}


COUNTED: Final = (measured_gestures, measured_pairs, measured_edges, measured_examination)
TIMED: Final = (measured_moves, measured_illegal, measured_recovery, measured_presses)


def measure(name: str, seed: int, most: int, timed: int) -> dict[str, Any]:
    """All figures of the eboard *name*.

    *most* samples of each count, and *timed* of each time.
    """
    parts = [(part, most) for part in COUNTED] + [(part, timed) for part in TIMED]
    return {key: value for part, size in parts for key, value in part(name, seed, size).items()}


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    made = arguments(__doc__, "python tests/bench/eboards.py --quick")
    made.add_argument(
        "--samples", type=int, metavar="N", help="samples of each count (default: 30; 1 with --quick)"
    )
    made.add_argument(
        "--times", type=int, metavar="N", help="samples of each time (default: 100; 1 with --quick)"
    )
    made.add_argument(
        "--board",
        choices=sorted(MAKERS),
        metavar="BOARD",
        help=f"measure only this kind: {', '.join(sorted(MAKERS))}",
    )
    return made


def main() -> None:
    """Measure and report."""
    given = parser().parse_args()
    results = {}
    for name in [given.board] if given.board else MAKERS:
        samples = given.samples or (1 if given.quick else 30)
        results[name] = measure(name, given.seed, samples, given.times or (1 if given.quick else 100))
        say(f"{name}: {results[name]}")
    deliver({"boards": results}, given.seed, as_json=given.json)


if __name__ == "__main__":
    main()
