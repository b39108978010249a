# SPDX-License-Identifier: Apache-2.0
"""The reasons of a decision in words: two stories with their causes, or one sentence.

A cause is a row of the table of costs; its words are in the table `causes` of `common.toml`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from companion.feedback.words import Words
from companion.model.grid import OFF, Grid
from companion.referee.inference.tracker.account import EARLIER, Account, Story
from companion.referee.inference.tracker.segment import Charge

_MOST: Final = 4
"""Lines about the causes of one story; small causes share the first."""

_USUAL: Final = ("ply.base", "ply.unpressed", EARLIER)
"""Causes that every story has: no sentence names them."""


def lines(account: Account, words: Words, grid: Grid) -> list[str]:
    """Both stories, each with its moves, its total and its causes, the cheapest first."""
    found = []
    for rank, story in enumerate((account.best, account.rival), start=1):
        if story is None:
            found.append(words.fill(words.common.account["alone"]))
            continue
        text = words.common.account["story"]
        found.append(words.fill(text, rank=rank, story=moves_of(story, words), nats=story.nats))
        found += [f"   {line}" for line in _causes(story.charges, words, grid)]
    return found


def moves_of(story: Story, words: Words) -> str:
    """The moves of *story*; one that has only begun ends with dots."""
    moves = [" / ".join(texts) for texts in story.moves]
    moves += [f"{text} …" for text in story.begun[:1]]
    return words.comma(moves) or words.common.account["none"]


def why_illegal(account: Account, words: Words, grid: Grid) -> str:
    """Why the board was taken for an illegal move."""
    said, stories = words.common.account, [account.best, account.rival]
    legal = next((story for story in stories if story and (story.moves or story.begun)), None)
    what = _main(account.best, words, grid, most=2)
    if legal is None:
        return words.fill(said["why-illegal-alone"], what=what)
    name, against = moves_of(legal, words), _main(legal, words, grid)
    if legal is account.best:
        return words.fill(said["why-illegal-begun"], move=name, against=against)
    return words.fill(said["why-illegal"], what=what, move=name, against=against)


def why_asked(account: Account, words: Words) -> str:
    """Why the players are asked which move it was."""
    said, best, rival = words.common.account, account.best, account.rival
    alike = best.moves[0] if best.moves else ()
    if len(alike) > 1:
        return words.fill(said["why-asked-alike"], moves=words.listed(alike))
    if rival is None:
        return words.fill(said["why-asked-unsure"], move=moves_of(best, words))
    names = words.listed([moves_of(best, words), moves_of(rival, words)])
    return words.fill(said["why-asked"], moves=names, nats=abs(rival.nats - best.nats))


def why_retracted(account: Account, move: str, words: Words, grid: Grid) -> str:
    """Why *move* was retracted."""
    said, best, rival = words.common.account, account.best, account.rival
    if not best.moves and not best.begun:
        return words.fill(said["why-retracted-back"], move=move)
    better = moves_of(best, words)
    if rival is None or not any(move in texts for texts in rival.moves):
        return words.fill(said["why-retracted-alone"], move=move, better=better)
    against = _main(rival, words, grid)
    return words.fill(said["why-retracted"], move=move, better=better, against=against)


def _causes(charges: Iterable[Charge], words: Words, grid: Grid) -> list[str]:
    """A line for each cause, the cheapest first; many small ones share a line."""
    groups = _groups(charges)
    small = len(groups) - _MOST + 1 if len(groups) > _MOST else 0
    found = [_cause(group, words, grid) for group in groups[small:]]
    if small:
        said = words.common.account
        name = words.fill(said["smaller"], count=small)
        nats = sum(map(_nats, groups[:small]))
        found.insert(0, words.fill(said["charge"], cause=name, nats=nats))
    return found


def _groups(charges: Iterable[Charge]) -> list[list[Charge]]:
    """*charges* by cause, the cheapest cause first."""
    by_cause: dict[str, list[Charge]] = {}
    for charge in charges:
        by_cause.setdefault(charge.cause, []).append(charge)
    return sorted(by_cause.values(), key=_nats)


def _cause(group: list[Charge], words: Words, grid: Grid) -> str:
    """What happened, where, and what it costs."""
    said, name = words.common.account, words.common.causes[group[0].cause]
    cells = _cells(group, words, grid)
    if not cells:
        return words.fill(said["charge"], cause=name, nats=_nats(group))
    return words.fill(said["charge-at"], cause=name, cells=cells, nats=_nats(group))


def _main(story: Story, words: Words, grid: Grid, most: int = 1) -> str:
    """The causes that cost *story* most, at most so many, with their cells."""
    groups = [group for group in _groups(story.charges) if group[0].cause not in _USUAL]
    if not story.begun:  # then a rest is no cause of its own, unless nothing else was reported
        groups = [group for group in groups if group[0].cause != "hold"] or groups
    if not groups:
        return words.common.account["nothing"]
    return words.comma(_named(group, words, grid) for group in groups[: -most - 1 : -1])


def _named(group: list[Charge], words: Words, grid: Grid) -> str:
    """What happened, and where."""
    name, cells = words.common.causes[group[0].cause], _cells(group, words, grid)
    return f"{name} ({cells})" if cells else name


def _cells(group: list[Charge], words: Words, grid: Grid) -> str:
    """The names of the cells of *group*, each once."""
    return words.comma(dict.fromkeys(grid.name(each.cell) for each in group if each.cell != OFF))


def _nats(group: list[Charge]) -> float:
    """The cost of *group*."""
    return sum(charge.nats for charge in group)
