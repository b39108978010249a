# SPDX-License-Identifier: Apache-2.0
"""Reasons of Tank Chess for wrong moves match an independent judge."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

from companion.games.tank_chess import TankChessRules
from companion.games.tank_chess.maps import draw
from companion.model.game import Violation
from companion.model.grid import COMPASS
from companion.model.observation import Difference, Sighting
from tests.games.fields import BASIC, LARGE, field
from tests.games.naive import tank_chess as naive
from tests.games.support import random_positions

Place = naive.Place


def bare(table: naive.Table, mover: Place) -> naive.Table:
    """The table with only the tank on *mover*."""
    return replace(table, tanks={at: tank for at, tank in table.tanks.items() if at == mover}, wrecks={})


def ahead(table: naive.Table, mover: Place) -> set[Place]:
    """Where the tank can end, in any facing."""
    return {stance[:2] for stance in naive.ends(table, mover)[0]}


def behind(table: naive.Table, mover: Place, target: Place) -> bool:
    """True if *target* is two or more spaces straight behind the tank."""
    right, up = naive.AHEAD[table.tanks[mover][1]]
    return any(target == (mover[0] - right * far, mover[1] - up * far) for far in range(2, 27))


def is_broken(violation: Violation, table: naive.Table, mover: Place, target: Place) -> bool:
    """True if moving the tank from *mover* to the empty space *target* breaks *rule*."""
    words = dict(violation.arguments)
    alone = bare(table, mover)
    match violation.rule:
        case "wrong-side":
            return table.tanks[mover][0].isupper() != table.white
        case "wreck-stays":
            return mover in table.wrecks
        case "obstacle":
            return target in table.walls
        case "reverse-one-space":
            return behind(table, mover, target) and target not in ahead(table, mover)
        case "too-far":
            return (
                target not in ahead(alone, mover)
                and words["limit"] == naive.SPEED[table.tanks[mover][0].upper()]
            )
        case "way-blocked":
            stands = naive.place(str(words["cell"]))
            is_taken = stands in table.tanks or stands in table.wrecks
            return is_taken and target in ahead(alone, mover) and target not in ahead(table, mover)
    return False


def carried(rules: TankChessRules, chance: random.Random, count: int) -> Counter[str]:
    """Reasons for *count* wrong moves; each is judged."""
    found: Counter[str] = Counter()
    picture = draw(rules.map)
    for position in random_positions(rules, seed=8, count=count, plies=120):
        table = naive.read(rules.write_position(position), picture)
        standing = [*table.tanks, *table.wrecks]
        mover = chance.choice(standing)
        target = (chance.randint(1, table.files), chance.randint(1, table.ranks))
        is_own = mover in table.tanks and table.tanks[mover][0].isupper() == table.white
        if naive.is_over(table) or target in standing or (is_own and target in ahead(table, mover)):
            continue
        source, to = rules.grid.cell(naive.name(mover)), rules.grid.cell(naive.name(target))
        violation = rules.explain(position, Difference((source,), (to,)))
        assert is_broken(violation, table, mover, target), (
            rules.write_position(position),
            mover,
            target,
            violation,
        )
        found[violation.rule] += 1
    return found


def test_the_reason_for_a_wrong_move_is_a_rule_that_it_breaks(is_long: bool) -> None:
    chance = random.Random(1)
    found = Counter[str]()
    for rules in (BASIC, LARGE, field("C3 F6 D5", tanks="LB2N MC1N HE2N CG1N lB7S mC8S hE7S cG8S")):
        found += carried(rules, chance, 20_000 if is_long else 400)
    assert found.keys() >= {
        "wrong-side",
        "wreck-stays",
        "obstacle",
        "reverse-one-space",
        "too-far",
        "way-blocked",
    }


def judge_shot(violation: Violation, table: naive.Table, mover: Place, facing: str, target: Place) -> bool:
    """True if shooting *target* breaks *rule*.

    The tank was turned to *facing* in place.
    """
    sign = table.tanks[mover][0]
    kind = sign.upper()
    index = COMPASS.index(facing)
    arc = [COMPASS[index - 1], facing, COMPASS[(index + 1) % 8]]
    lines = {
        (look, far): (mover[0] + naive.AHEAD[look][0] * far, mover[1] + naive.AHEAD[look][1] * far)
        for look in COMPASS
        for far in range(1, 27)
    }
    there = next((key for key, at in lines.items() if at == target), None)
    if violation.rule == "shot-own-side":
        return table.tanks[target][0].isupper() == sign.isupper()
    if there is None or there[0] not in arc:
        return violation.rule == "shot-out-of-line"
    look, far = there
    between = [lines[look, step] for step in range(1, far)]
    is_blocked = any(at in table.walls or at in table.tanks or at in table.wrecks for at in between)
    return {
        "fixed-gun": kind in "DR" and look != facing,
        "mortar-range": kind == "R" and far not in (3, 4, 5),
        "shot-adjacent": kind != "R" and far == 1,
        "shot-blocked": kind != "R" and is_blocked,
        "armour-holds": not naive.destroys(table, sign, look, target),
    }.get(violation.rule, False)


def test_the_reason_for_a_shot_without_effect_is_a_rule_that_it_breaks(is_long: bool) -> None:
    chance = random.Random(2)
    found = Counter[str]()
    tanks = "DB2N MC1N RE2N CG1N LD2N HA1N dB7S mC8S rE7S cG8S lD7S hA8S"
    rules = field("C3 F6 D5", tanks=tanks)
    for position in random_positions(rules, seed=9, count=60_000 if is_long else 1500, plies=80):
        table = naive.read(rules.write_position(position), draw(rules.map))
        own = [at for at, (sign, _) in table.tanks.items() if sign.isupper() == table.white]
        mover, target = chance.choice(own), chance.choice(list(table.tanks))
        facing = COMPASS[(COMPASS.index(table.tanks[mover][1]) + chance.choice((-1, 1))) % 8]
        stance = (*mover, facing)
        if naive.is_over(table) or target == mover or target in naive.hits(table, mover, stance):
            continue
        pieces = rules.placement(position).by_cell()
        cells = [rules.grid.cell(naive.name(at)) for at in (mover, target)]
        looks = [Sighting(True, pieces[cell].kind, pieces[cell].side) for cell in cells]
        seen = (replace(looks[0], facing=COMPASS.index(facing)), replace(looks[1], pose="wreck"))
        violation = rules.explain(position, Difference((), (), tuple(zip(cells, seen, strict=True))))
        assert judge_shot(violation, table, mover, facing, target), (
            rules.write_position(position),
            stance,
            violation,
        )
        found[violation.rule] += 1
    assert found.keys() == {
        "shot-own-side", "shot-out-of-line", "fixed-gun", "mortar-range", "shot-adjacent", "shot-blocked", "armour-holds",
    }  # fmt: skip
