# SPDX-License-Identifier: Apache-2.0
"""The computer as a player: position, level and seed in, move out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from companion.model.game import M, P, Rules
from companion.opponent.eyesight import Eyesight
from companion.opponent.find import knowledge_of
from companion.opponent.found import Found
from companion.opponent.knowledge import Knowledge
from companion.opponent.levels import Level
from companion.opponent.search import DEEPEST, Search
from companion.opponent.variety import bonuses, opening_move


def _never() -> bool:
    return False


def choose(
    rules: Rules[P, M],
    position: P,
    level: Level,
    seed: int,
    *,
    past: Sequence[P] = (),
    should_stop: Callable[[], bool] = _never,
    is_late: Callable[[], bool] = _never,
) -> Found[M]:
    """The move of an opponent of *level* in *position*; the game must go on.

    *past* are the earlier positions of the game. *should_stop* ends the search at once; *is_late*
    is asked before each further iteration. Without them the same arguments give the same move.
    """
    earlier = past[:-1] if past and past[-1] == position else past
    if opening := opening_move(rules, position, earlier, seed):
        move = rules.read_move(position, opening)
        return Found(move, 0, 0, 0, (move,))
    knowledge: Knowledge[P, M] = knowledge_of(rules)
    keys = [knowledge.key(each) for each in past]
    candidates = bonuses(knowledge, position, keys, level.margin, seed)
    if len(candidates) == 1:
        candidates = {}  # a forced move needs no deep search
    elif level.is_exact and (best := knowledge.best_moves(position)):
        candidates = {move: candidates[move] for move in best}
    search = Search(
        knowledge,
        position,
        past=keys,
        most_nodes=level.nodes,
        should_stop=should_stop,
        eyesight=Eyesight(seed, level.noise, level.overlooked),
        candidates=candidates,
    )
    return last_of(search.iterations(level.depth or DEEPEST), is_late)


def last_of(iterations: Iterator[Found[M]], is_late: Callable[[], bool] = _never) -> Found[M]:
    """The last of *iterations* that is begun in time; the first one in any case."""
    found = next(iterations)
    while not is_late():
        following = next(iterations, None)
        if following is None:
            break
        found = following
    return found
