# SPDX-License-Identifier: Apache-2.0
"""Measure the Elo of the levels of chess on the scale of Stockfish.

A level plays pairs of games, with both colours from the same opening, against the engine at a
limited strength, `UCI_Elo`. That begins at 1500 and is set after each pair to the level's rating so
far, in steps of at most 400. Openings are random plies in which the engine at full strength sees no
advantage over 60 hundredths of a pawn. A game ends by the rules, and is drawn at the third
occurrence of a position, after 50 quiet moves, and after 300 plies.

Figures of each level: its rating by maximum likelihood with a 95 % interval, null where it has no
end (`tests/bench/elo.py`), the score, and the rivals' least and greatest `UCI_Elo`. `says` is the
rating in words: the scale of Stockfish 15.1 reaches from 1350 to 2850.

The engine's errors at a limited strength are random, so the same seed gives other games. Its scale
was set by its authors with longer times: ratings are not those of people.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import replace
from itertools import count
from math import isfinite
from pathlib import Path
from typing import Any, Final

import chess
import chess.engine

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.games import find  # noqa: E402  (run as a script, from anywhere)
from companion.host.opponent.installed import command_of, find_engine  # noqa: E402
from companion.model.game import AnyRules  # noqa: E402
from companion.opponent.levels import Level, levels  # noqa: E402
from companion.opponent.player import choose  # noqa: E402
from companion.opponent.uci import read_move  # noqa: E402
from tests.bench.elo import rated  # noqa: E402
from tests.bench.matches import LONGEST, opening_of  # noqa: E402
from tests.bench.report import arguments, deliver, say  # noqa: E402

LEAST: Final = 1350
MOST: Final = 2850
"""The ends of the engine's scale."""
START: Final = 1500
MOST_CHANGE: Final = 400
"""Change of the rival's rating after a pair at most: the first pairs say little."""
OPENING: Final = 6
"""Random plies."""
BALANCED: Final = 60
"""Greatest advantage in an opening, in hundredths of a pawn."""
MOST_QUIET: Final = 100
"""Plies without capture and pawn move after which a game is a draw."""
ENGINE_NODES: Final = 20_000

Scored = tuple[float, float]
"""The rating of the rival in a game, and the level's score."""


def next_rival(games: Sequence[Scored]) -> int:
    """The rating of the next rival after *games*."""
    last = games[-1][0]
    at = min(max(rated(games).at, last - MOST_CHANGE), last + MOST_CHANGE)
    return round(min(max(at, LEAST), MOST))


def opening(rules: AnyRules, engine: chess.engine.SimpleEngine, seed: int, limit: chess.engine.Limit) -> Any:
    """A random position that the engine finds balanced."""
    for number in count():
        position = opening_of(rules, 1000 * seed + number, OPENING)
        score = engine.analyse(chess.Board(rules.write_position(position)), limit)["score"]
        if abs(score.relative.score(mate_score=10_000)) <= BALANCED:
            return position
    raise AssertionError


def score_of(board: chess.Board, seat: int) -> float | None:
    """The score of *seat*, 0 for White, when the game has ended; else None."""
    outcome = board.outcome()
    if outcome is not None and outcome.winner is not None:
        return float(outcome.winner == (seat == 0))
    is_drawn = outcome is not None or board.is_repetition(3) or board.halfmove_clock >= MOST_QUIET
    return 0.5 if is_drawn else None


def play(
    rules: AnyRules,
    level: Level,
    engine: chess.engine.SimpleEngine,
    start: Any,
    game: tuple[int, int],
    limit: chess.engine.Limit,
) -> float:
    """The score of *level* in a *game*, of (seat, seed), from *start*."""
    (seat, seed), position, past = game, start, [start]
    board = chess.Board(rules.write_position(start))
    for ply in range(LONGEST):
        if (score := score_of(board, seat)) is not None:
            return score
        if position.turn == seat:
            move = choose(rules, position, level, seed + ply, past=past).move
            board.push_san(rules.write_move(position, move))
        else:
            answer = engine.play(board, limit, game=game).move
            assert answer is not None
            move = read_move(rules, position, answer.uci())
            board.push(answer)
        position = rules.apply(position, move)
        past.append(position)
    return 0.5


def pair(level: Level, rival: int, seed: int, command: str, nodes: int) -> list[Scored]:
    """Two games of *level* against a *rival* with this rating."""
    rules, limit = find("chess").rules(), chess.engine.Limit(nodes=nodes)
    with chess.engine.SimpleEngine.popen_uci(command_of(command)) as engine:
        engine.configure({"Threads": 1, "Hash": 16})
        start = opening(rules, engine, seed, limit)
        engine.configure({"UCI_LimitStrength": True, "UCI_Elo": rival})
        return [
            (float(rival), play(rules, level, engine, start, (seat, 1000 * seed), limit)) for seat in (0, 1)
        ]


def in_words(at: float, low: float, high: float) -> str:
    """A rating and its interval as text."""
    if at < LEAST:
        return f"below {LEAST}" + (f" ({high:.0f} at most)" if high > LEAST else "")
    if at > MOST:
        return f"above {MOST}" + (f" ({low:.0f} at least)" if low < MOST else "")
    start = f"below {LEAST}" if low < LEAST else f"{low:.0f}"
    end = f"above {MOST}" if high > MOST else f"{high:.0f}"
    return f"{at:.0f} ({start} to {end})"


def figures(games: Sequence[Scored]) -> dict[str, Any]:
    """The figures of a level after *games*."""
    rating = rated(games)
    at, low, high = (round(each) if isfinite(each) else None for each in rating)
    return {
        "says": in_words(*rating),
        "elo": at,
        "from": low,
        "to": high,
        "score": round(sum(score for _, score in games) / len(games), 3),
        "games": len(games),
        "rivals": [round(min(games)[0]), round(max(games)[0])],
    }


def measure(level: Level, pairs: int, seed: int, jobs: int, command: str, nodes: int) -> dict[str, Any]:
    """The figures of *level* after *pairs* pairs of games, *jobs* of them at a time."""
    games: list[Scored] = []
    running: set[Future[list[Scored]]] = set()
    rival, begun = START, 0
    with ProcessPoolExecutor(jobs) as pool:
        while begun < pairs or running:
            while begun < pairs and len(running) < jobs:
                running.add(pool.submit(pair, level, rival, seed + begun, command, nodes))
                begun += 1
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for each in done:
                games += each.result()
            rival = next_rival(games)
            say(f"level {level.number}: {games[-2:]}, {figures(games)}")
    return figures(games)


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    script = "python tests/bench/engine_elo.py"
    found = arguments(
        __doc__,
        f"{script} --quick",
        f"{script} --levels 7 8 --games 40 --share 0.1 --jobs 2 --json",
        is_fresh=True,
    )
    found.add_argument(
        "--levels", type=int, nargs="+", metavar="N", help="measure these levels (default: 5 to the highest)"
    )
    found.add_argument("--games", type=int, metavar="N", help="games of a level (default: 24)")
    found.add_argument(
        "--share", type=float, default=1, metavar="X", help="share of the level's positions (default: 1)"
    )
    found.add_argument("--jobs", type=int, default=1, metavar="N", help="pairs at a time (default: 1)")
    found.add_argument("--engine", metavar="COMMAND", help="the engine (default: the installed Stockfish)")
    found.add_argument(
        "--engine-nodes",
        type=int,
        default=ENGINE_NODES,
        metavar="N",
        help=f"positions that the engine looks at before a move (default: {ENGINE_NODES})",
    )
    return found


def main() -> None:
    """Measure the levels and print the report."""
    words = parser().parse_args()
    command = words.engine or find_engine()
    if not command:
        sys.exit("engine_elo: no chess engine is installed: install stockfish, or name one with --engine")
    numbers = words.levels or ([1] if words.quick else [*range(5, len(levels("chess")) + 1)])
    pairs = -(-(words.games or (2 if words.quick else 24)) // 2)
    say(f"seed {words.seed}")
    results = {}
    for level in levels("chess"):
        if level.number in numbers:
            level = replace(level, nodes=round(words.share * level.nodes))
            found = measure(level, pairs, words.seed, words.jobs, command, words.engine_nodes)
            results[str(level.number)] = {"nodes": level.nodes, **found}
    deliver({"levels": results}, words.seed, as_json=words.json)


if __name__ == "__main__":
    main()
