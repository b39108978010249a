# SPDX-License-Identifier: Apache-2.0
"""Reasons why a change on the table is not a move of Tank Chess.

In order: the mover, its move, its shot.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.games.tank_chess.pieces import COMMAND, KINDS, WRECK, State, Tank, piece_of
from companion.games.tank_chess.rules import Field, GameState, TankCombat, unpack
from companion.model.game import Argument, Violation
from companion.model.grid import OFF, Cell
from companion.model.observation import Difference
from companion.model.pieces import Piece


@dataclass(frozen=True, slots=True)
class _Scene:
    """A position and the differences on the table, sorted by meaning."""

    rules: TankCombat
    position: GameState
    pieces: dict[Cell, Piece]
    gone: tuple[Cell, ...]
    filled: tuple[Cell, ...]
    fallen: tuple[Cell, ...]
    """Tanks that lie on their side now."""
    turned: dict[Cell, int]
    """Tanks on their cells that face another way, with the new facing."""
    strange: tuple[Cell, ...]
    """Cells on which another piece is seen."""
    entered: tuple[Cell, ...]
    """Those of them with a tank that has left its own cell."""
    touched: tuple[Cell, ...]

    @classmethod
    def of(cls, rules: TankCombat, position: GameState, difference: Difference) -> _Scene:
        pieces: dict[Cell, Piece] = {tank >> 7: piece_of(tank) for tank in position.tanks}
        pieces |= {
            wreck >> 4: Piece(KINDS[wreck & 7].slug, wreck >> 3 & 1, None, WRECK) for wreck in position.wrecks
        }
        placed = {cell for cell, _ in difference.placed}
        looks = [(cell, look) for cell, look in difference.changed if cell in pieces]
        fallen = [
            cell
            for cell, look in looks
            if cell not in placed and look.pose == WRECK and _is_same(look.kind, look.side, pieces[cell])
        ]
        turned = {
            cell: look.facing
            for cell, look in looks
            if cell not in placed
            and look.facing is not None
            and WRECK not in (look.pose, pieces[cell].pose)
            and _is_same(look.kind, look.side, pieces[cell])
        }
        gone = tuple(cell for cell in difference.emptied if cell in pieces)
        strange = [(cell, look) for cell, look in looks if cell not in fallen and cell not in turned]
        return cls(
            rules,
            position,
            pieces,
            gone=gone,
            filled=difference.filled,
            fallen=tuple(fallen),
            turned=turned,
            strange=tuple(cell for cell, _ in strange),
            entered=tuple(
                cell
                for cell, look in strange
                if any(_is_same(look.kind, look.side, pieces[left]) for left in gone)
            ),
            touched=difference.touched,
        )

    def is_own(self, cell: Cell) -> bool:
        """True if a tank of the side to move is on *cell*."""
        piece = self.pieces[cell]
        return piece.side == self.position.turn and piece.pose != WRECK

    def because(self, rule: str, *cells: Cell, **more: Argument) -> Violation:
        """A violation of *rule*.

        Its piece is the one on the last occupied cell of *cells*.
        """
        held = [cell for cell in cells if cell in self.pieces]
        arguments: dict[str, Argument] = {}
        if held:
            arguments = {"piece": self.pieces[held[-1]], "source": self.rules.grid.name(held[-1])}
        if cells:
            arguments["cell"] = self.rules.grid.name(cells[0])
        return Violation.of(rule, *cells, **(arguments | more))


def _is_same(kind: str | None, side: int | None, piece: Piece) -> bool:
    """True if what is seen may be *piece*."""
    return kind in (None, piece.kind) and side in (None, piece.side)


def explain(rules: TankCombat, position: GameState, difference: Difference) -> Violation:
    """The rule that *difference* breaks in *position*, by the player's most likely intention."""
    scene = _Scene.of(rules, position, difference)
    for cell in scene.gone:
        if scene.pieces[cell].pose == WRECK:
            return scene.because("wreck-stays", cell)
    movers = [cell for cell in (*scene.gone, *scene.turned) if scene.is_own(cell)]
    if len(movers) == 2 and len(scene.gone) == 1 and not scene.filled and _is_alike(scene, *movers):
        return scene.because("space-taken", movers[1], movers[0], other=scene.pieces[movers[1]])
    if len(movers) > 1 or len(scene.filled) > 1:
        return scene.because("several-moved", *scene.filled, *movers)
    if not movers:
        return _without_mover(scene)
    others = [cell for cell in (*scene.turned, *scene.strange) if cell not in movers]
    if others and others[0] in scene.entered and not scene.filled:
        return scene.because("space-taken", others[0], movers[0], other=scene.pieces[others[0]])
    if others:
        return scene.because("wrong-side" if others[0] in scene.turned else "piece-exchanged", others[0])
    return _explain_mover(scene, movers[0])


def _is_alike(scene: _Scene, one: Cell, two: Cell) -> bool:
    """True if the tanks on both cells are of one kind."""
    return scene.pieces[one].kind == scene.pieces[two].kind


def _without_mover(scene: _Scene) -> Violation:
    """The violation when no tank of the side to move has moved."""
    if scene.turned or (scene.gone and (scene.filled or scene.entered)):
        return scene.because("wrong-side", *(scene.turned or scene.gone), *scene.filled)
    if scene.filled:
        return scene.because("piece-added", *scene.filled)
    if scene.fallen:
        return scene.because("shot-without-move", *scene.fallen)
    if scene.gone:
        return scene.because("piece-left", *scene.gone)
    if scene.strange:
        return scene.because("piece-exchanged", *scene.strange)
    return scene.because("must-move", *scene.touched)


def _explain_mover(scene: _Scene, source: Cell) -> Violation:
    """The reason why the tank from *source* could not make its move."""
    tank = next(tank for tank in scene.position.tanks if tank >> 7 == source)
    shot = [cell for cell in (*scene.fallen, *scene.gone) if cell != source]
    if source in scene.turned:
        travel = _explain_turn(scene, tank, scene.turned[source])
        states = [source << 3 | scene.turned[source]]
    elif scene.filled:
        travel = _explain_travel(scene, tank, scene.filled[0])
        states = [state for state in _field_reach(scene, tank) if state >> 3 == scene.filled[0]]
    else:
        return _explain_leaving(scene, tank)
    if travel is not None:
        return travel
    if len(shot) > 1:
        return scene.because("one-shot", *shot, source)
    if shot:
        return _explain_shot(scene, tank, states, shot[0])
    return scene.because("facing", *scene.filled, source, limit=KINDS[tank & 7].steps)


def _field_reach(scene: _Scene, tank: Tank) -> list[State]:
    """The states in which *tank* can end."""
    return scene.rules.reach(_laid_out(scene), tank)


def _laid_out(scene: _Scene) -> Field:
    return scene.rules.lay_out(scene.position, scene.position.turn)


# moves


def _explain_turn(scene: _Scene, tank: Tank, facing: int) -> Violation | None:
    """The reason why *tank* could not turn so far, or None."""
    turn = facing - (tank >> 4) & 7
    need, limit = min(turn, 8 - turn), KINDS[tank & 7].steps
    if need <= limit:
        return None
    return scene.because("turn-too-far", tank >> 7, need=need, limit=limit)


def _explain_travel(scene: _Scene, tank: Tank, target: Cell) -> Violation | None:
    """The reason why *tank* could not reach *target*, or None."""
    rules, source, limit = scene.rules, tank >> 7, KINDS[tank & 7].steps
    if rules.terrain.obstacles >> target & 1:
        rule = "off-board" if target in rules.grid.border else "obstacle"
        return scene.because(rule, target, source, target=rules.grid.name(target))
    if any(state >> 3 == target for state in _field_reach(scene, tank)):
        return None
    if target in rules.terrain.lanes[tank >> 4 & 7 ^ 4][source]:
        return scene.because("reverse-one-space", target, source)
    path = _shortest(rules, tank, {target << 3 | facing for facing in range(8)})
    if path is None:
        return scene.because("walled-in", target, source)
    if len(path) > limit:
        return scene.because("too-far", target, source, need=len(path), limit=limit)
    return _blocked(scene, "way-blocked", target, path, source)


def _blocked(scene: _Scene, rule: str, target: Cell, path: list[State], source: Cell) -> Violation:
    """The violation by the first piece on *path*."""
    cell = next(state >> 3 for state in path if state >> 3 in scene.pieces and state >> 3 != source)
    name = scene.rules.grid.name
    return scene.because(
        rule, target, cell, source, blocker=scene.pieces[cell], target=name(target), cell=name(cell)
    )


def _shortest(rules: TankCombat, tank: Tank, goals: Iterable[State]) -> list[State] | None:
    """The states of a shortest path of *tank* to one of *goals*, or None.

    Other pieces are ignored.
    """
    goals = set(goals)
    came: dict[State, State] = {tank >> 4: OFF}
    edge = [tank >> 4]
    while edge and not goals & came.keys():
        reached = []
        for state in edge:
            for following in rules.terrain.steps[state]:
                if following not in came:
                    came[following] = state
                    reached.append(following)
        edge = reached
    ends = sorted(goals & came.keys())
    if not ends:
        return None
    path, at = [], ends[0]
    while came[at] != OFF:
        path.append(at)
        at = came[at]
    return path[::-1]


# leaving


def _explain_leaving(scene: _Scene, tank: Tank) -> Violation:
    """The reason why *tank* may not leave, or be put back."""
    rules, source, limit = scene.rules, tank >> 7, KINDS[tank & 7].steps
    others = [cell for cell in scene.touched if cell != source] + [
        cell for cell in scene.gone if cell != source
    ]
    if others:
        return scene.because("space-taken", others[-1], source, other=scene.pieces[others[-1]])
    if tank & 7 != COMMAND:
        return scene.because("only-command-leaves", source)
    side = scene.position.turn
    path = _shortest(rules, tank, rules.terrain.exits[side])
    if path is not None and len(path) < limit:
        return _blocked(scene, "escape-blocked", source, path, source)
    if rules.terrain.corners[side] & {tank >> 4, *rules.walk(_laid_out(scene), tank, limit - 1)}:
        return scene.because("escape-corner", source)
    if path is None:
        return scene.because("walled-in", source)
    return scene.because("escape-too-far", source, need=len(path) + 1, limit=limit)


# shots


def _explain_shot(scene: _Scene, tank: Tank, states: list[State], target: Cell) -> Violation:
    """The reason why *tank*, in any of *states*, did not destroy the piece on *target*.

    It is the reason that comes nearest to a hit.
    """
    if scene.is_own(target):
        return scene.because("shot-own-side", target, tank >> 7, other=scene.pieces[target])
    if any(_is_legal(scene, tank, state, target) for state in states):
        if target in scene.gone:
            return scene.because("wreck-stays", target)
        return scene.because("facing", target, tank >> 7, limit=KINDS[tank & 7].steps)
    reasons = [_miss(scene, tank, state, target) for state in states]
    order = ("shot-out-of-line", "fixed-gun", "mortar-range", "shot-adjacent", "shot-blocked", "armour-holds")
    return max(reasons, key=lambda reason: order.index(reason.rule))


def _is_legal(scene: _Scene, tank: Tank, state: State, target: Cell) -> bool:
    """True if the move to *state* with a shot at *target* is legal."""
    return any((tank >> 7, state, target) == unpack(move) for move in scene.rules.legal_moves(scene.position))


def _miss(scene: _Scene, tank: Tank, state: State, target: Cell) -> Violation:
    """The reason why *tank* in *state* does not destroy the tank on *target*."""
    rules, source, kind = scene.rules, tank >> 7, KINDS[tank & 7]
    other = scene.pieces[target]
    free = rules.grid.steps
    for turn in (0, 7, 1):
        direction = state + turn & 7
        cell, distance = free[direction][state >> 3], 1
        blocker = OFF
        while cell not in (OFF, target):
            if (
                blocker == OFF
                and (cell in scene.pieces or rules.terrain.obstacles >> cell & 1)
                and cell != source
            ):
                blocker = cell
            cell, distance = free[direction][cell], distance + 1
        if cell != target:
            continue
        if turn not in kind.arc:
            return scene.because("fixed-gun", target, source, other=other)
        return _miss_in_line(scene, tank, direction, distance, target, blocker)
    return scene.because("shot-out-of-line", target, source, other=other)


def _miss_in_line(
    scene: _Scene, tank: Tank, direction: int, distance: int, target: Cell, blocker: Cell
) -> Violation:
    """The reason why a shot straight at *target* does not destroy it."""
    kind, source, other = KINDS[tank & 7], tank >> 7, scene.pieces[target]
    if kind.is_mortar and not 3 <= distance <= 5:
        return scene.because("mortar-range", target, source, other=other, distance=distance)
    if distance == 1:
        return scene.because("shot-adjacent", target, source, other=other)
    if blocker != OFF and not kind.is_mortar:
        blocked = scene.rules.grid.name(blocker)
        return scene.because("shot-blocked", target, blocker, source, other=other, blocked=blocked)
    hit = ("rear", "side", "side", "side", "front", "side", "side", "side")[
        direction - (other.facing or 0) & 7
    ]
    armour = next(each for each in KINDS if each.slug == other.kind).armour[
        ("front", "side", "rear").index(hit)
    ]
    return scene.because("armour-holds", target, source, other=other, hit=hit, gun=kind.gun, armour=armour)
