# SPDX-License-Identifier: Apache-2.0
"""Each rule of Tank Chess has its own reason when it is broken."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.feedback.template import gaps
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.model.game import Violation
from companion.model.grid import COMPASS
from companion.model.observation import Difference, Sighting
from companion.model.pieces import Piece
from tests.games.fields import field

CROWD = "w LC3N HE3N DG3N RB1N CA5N MH1W mE6S lC7S hG7S lB7x mD6W cH8S"
"""With an obstacle on D4."""
MT, LT, HT = Piece("medium-tank", 1, 4), Piece("light-tank", 0, 0), Piece("heavy-tank", 0, 0)


def reason(
    text: str,
    emptied: str = "",
    filled: str = "",
    seen: str = "",
    touched: str = "",
    walls: str = "D4",
    outside: str = "",
) -> Violation:
    """The reason against a change, with what the sensor sees in *seen*.

    `E3:S` faces south now, `E3!` lies on its side, `E3=light-tank` is another kind.
    """
    rules = field(walls, "CA1N cA8S", outside)
    position = rules.read_position(text)
    pieces = rules.placement(position).by_cell()
    changed = []
    for word in seen.split():
        cell = rules.grid.cell(word[:2])
        known = Sighting(True, pieces[cell].kind, pieces[cell].side)
        look = {
            ":": replace(known, facing=COMPASS.index(word[3:]) if word[3:] in COMPASS else None),
            "!": replace(known, pose="wreck"),
            "=": Sighting(True, word[3:]),
        }[word[2]]
        changed.append((cell, look))
    cells = rules.grid.cells
    return rules.explain(position, Difference(cells(emptied), cells(filled), tuple(changed), cells(touched)))


def check_words(violation: Violation) -> None:
    """Every language has a sentence for *reason*, with a value for each gap."""
    for language in languages():
        words = load(language, "tank-chess", ("white", "black"))
        told = words.game.violations.get(violation.rule) or words.common.violations[violation.rule]
        assert gaps(told.sentence) <= {name for name, _ in violation.arguments}


@pytest.mark.parametrize(
    ("change", "rule", "words"),
    [
        ({"touched": "C3"}, "must-move", {"piece": LT}),
        ({"emptied": "B7", "filled": "B6"}, "wreck-stays", {"cell": "B7"}),
        ({"emptied": "B7"}, "wreck-stays", {"cell": "B7"}),
        ({"emptied": "C3 E3", "filled": "C4 E4"}, "several-moved", {}),
        ({"emptied": "E6", "filled": "E5"}, "wrong-side", {"piece": MT, "cell": "E6"}),
        ({"emptied": "C3", "seen": "E6=light-tank"}, "space-taken", {"piece": LT, "cell": "E6", "other": MT}),
        ({"seen": "E6:N"}, "wrong-side", {"piece": MT, "cell": "E6"}),
        ({"emptied": "C3", "filled": "C4", "seen": "E6:N"}, "wrong-side", {"piece": MT}),
        ({"filled": "H5"}, "piece-added", {"cell": "H5"}),
        ({"emptied": "E6"}, "piece-left", {"piece": MT, "cell": "E6"}),
        ({"seen": "E6=light-tank"}, "piece-exchanged", {"cell": "E6"}),
        ({"emptied": "C3", "filled": "C4", "seen": "E6=light-tank"}, "piece-exchanged", {"cell": "E6"}),
        ({"emptied": "C3", "filled": "D4"}, "obstacle", {"piece": LT, "target": "D4"}),
        ({"emptied": "E3", "touched": "E6"}, "space-taken", {"piece": HT, "other": MT, "cell": "E6"}),
        ({"emptied": "E3", "filled": "H5"}, "too-far", {"piece": HT, "need": 5, "limit": 3}),
        ({"seen": "E3:S"}, "turn-too-far", {"piece": HT, "need": 4, "limit": 3}),
        ({"emptied": "E3", "filled": "E1"}, "reverse-one-space", {"piece": HT}),
        ({"emptied": "E3", "filled": "E4"}, "facing", {"piece": HT, "limit": 3}),
        ({"emptied": "C3"}, "only-command-leaves", {"piece": LT}),
        ({"seen": "E6!"}, "shot-without-move", {"cell": "E6"}),
        ({"emptied": "C3", "filled": "C4", "seen": "C7! E6!"}, "one-shot", {"piece": LT}),
        ({"emptied": "E3", "filled": "E2", "seen": "C3!"}, "shot-own-side", {"piece": HT, "other": LT}),
        ({"emptied": "E3", "filled": "E5", "seen": "E6!"}, "shot-adjacent", {"piece": HT, "other": MT}),
        ({"seen": "C3:NE H8!"}, "shot-blocked", {"piece": LT, "blocked": "D4"}),
        ({"seen": "C3:E C7!"}, "shot-out-of-line", {"piece": LT, "cell": "C7"}),
        ({"emptied": "C3", "filled": "C4", "seen": "C7!"}, "armour-holds", {"hit": "front", "gun": 1, "armour": 1}),
        ({"emptied": "C3 C7", "filled": "C4"}, "armour-holds", {"hit": "front"}),
    ],
)  # fmt: skip
def test_each_rule_has_its_own_reason(change: dict[str, str], rule: str, words: dict[str, object]) -> None:
    violation = reason(CROWD, **change)
    assert violation.rule == rule
    check_words(violation)
    assert words.items() <= dict(violation.arguments).items()


@pytest.mark.parametrize(
    ("text", "change", "rule", "words"),
    [
        ("w HE3N LE4N CA5N cH8S", {"emptied": "E3", "filled": "E6"}, "way-blocked", {"blocker": LT, "cell": "E4"}),
        ("w LE3N CA5N cH8S", {"emptied": "E3", "filled": "H8"}, "walled-in", {"walls": "D2 D3 E2 F2 F3 D4 E4 F4"}),
        ("w DD2E lF4E CA1N cH8S", {"seen": "D2:N F4!"}, "fixed-gun", {}),
        ("w RD2N lD4E CA1N cH8S", {"emptied": "D2", "filled": "D3", "seen": "D4!"}, "mortar-range", {"distance": 1}),
        ("w HD2N lG6E CA1N cH8S", {"emptied": "D2 G6", "filled": "D4"}, "shot-out-of-line", {}),
        ("w HD2N lD6E CA1N cH8S", {"emptied": "D2 D6", "filled": "D3"}, "wreck-stays", {"cell": "D6"}),
        ("w CD3N cH1S", {"emptied": "D3"}, "escape-too-far", {"need": 6, "limit": 5}),
        ("w CD4NE cH1S", {"emptied": "D4"}, "escape-corner", {}),
        ("b cE5SW CA8S", {"emptied": "E5"}, "escape-corner", {}),
        ("w CB4NE cA1S", {"emptied": "B4"}, "escape-corner", {"outside": "G1 H1 G2 H2 G3 H3 G4 H4 G5 H5 G6 H6 G7 H7 G8 H8"}),
        ("w LE3N CA5N cH8S", {"emptied": "E3", "filled": "E6"}, "off-board", {"outside": "E6 E7 E8"}),
        ("w CD5N LD6N cH1S", {"emptied": "D5"}, "escape-blocked", {"blocker": LT, "cell": "D6"}),
        ("w CE3N cA5N", {"emptied": "E3"}, "walled-in", {"walls": "D2 D3 E2 F2 F3 D4 E4 F4"}),
    ],
)  # fmt: skip
def test_rules_that_need_their_own_scene_have_their_own_reason(
    text: str, change: dict[str, str], rule: str, words: dict[str, object]
) -> None:
    ground = {name: str(words.pop(name)) if name in words else "" for name in ("walls", "outside")}
    violation = reason(text, **change, **ground)
    assert violation.rule == rule
    check_words(violation)
    assert words.items() <= dict(violation.arguments).items()


def test_the_tank_that_was_put_on_another_moves_out_of_turn() -> None:
    rules = field("D4", "CA1N cA8S")
    position = rules.read_position("w LC3N CA5N lC7S lF3N cH8S")
    source, target = rules.grid.cells("C7 F3")
    seen = ((target, Sighting(True, "light-tank", 1, 4)),)
    violation = rules.explain(position, Difference((source,), (), seen, placed=seen))
    assert (violation.rule, dict(violation.arguments)["cell"]) == ("wrong-side", "C7")
