# SPDX-License-Identifier: Apache-2.0
"""Pictures of plain pieces: the likeliest board that the game's stories lead to is believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pytest

from companion.games import find
from companion.model.observation import EMPTY, Evidence, Observation, SensorKind, Sighting, Sightings
from companion.model.occupancy import occupancy_of
from companion.referee.session.session import Session
from companion.referee.values.board.board_rotation import Rotation
from companion.referee.values.events import Event, IllegalMended, IllegalSeen, QuestionAsked
from companion.referee.values.view import Phase

LOOKS: Final = (EMPTY, Sighting(True, side=0), Sighting(True, side=1))
SURE: Final = 5.0
CHANGED: Final = 6.0
"""In nats."""
VAGUE: Final = (0.0, 0.0, 0.0)
"""The costs of a cell that looks like nothing known."""
RULES: Final = find("chess").rules()


class Camera:
    """A camera above plain chess pieces with a given view."""

    def __init__(self) -> None:
        self.now_ms = 0
        self.shown = self.board(RULES.initial())
        self.session = Session(RULES, SensorKind.SIDE)
        sightings = Sightings(
            occupancy_of(self.shown), seen=tuple((cell, LOOKS[look]) for cell, look in self.shown.items())
        )
        self.events = list[Event](self.session.observe(Observation(0, (), sightings, 0, has_gap=True)))
        self.rest(2000)

    @staticmethod
    def board(position: Any) -> dict[int, int]:
        """The number of the look of each occupied cell."""
        return {cell: 1 + (piece.side or 0) for cell, piece in RULES.placement(position).by_cell().items()}

    def sees(
        self,
        board: Mapping[int, int],
        costs: Mapping[str, Sequence[float]] | None = None,
        changed: Mapping[str, float] | None = None,
        rest_ms: int = 3000,
    ) -> list[Event]:
        """The events of a picture of *board*, and of *rest_ms* after it.

        *costs* and *changed* are those of cells that are not seen clearly.
        """
        looks = [board.get(cell, 0) for cell in range(64)]
        rows = [tuple(0.0 if look == each else SURE for each in range(3)) for look in looks]
        ratios = [CHANGED if look != self.shown.get(cell, 0) else -CHANGED for cell, look in enumerate(looks)]
        for name, row in (costs or {}).items():
            rows[RULES.grid.cell(name)] = tuple(row)
        for name, ratio in (changed or {}).items():
            ratios[RULES.grid.cell(name)] = ratio
        self.shown = dict(board)
        self.now_ms += 1000
        tenths = tuple(tuple(round(10 * cost) for cost in row) for row in rows)
        evidence = Evidence(LOOKS, tenths, tuple(round(10 * ratio) for ratio in ratios))
        sightings = Sightings(occupancy_of(board))
        observation = Observation(self.now_ms, (), sightings, self.now_ms, evidence=evidence)
        found = [*self.session.observe(observation), *self.rest(rest_ms)]
        self.events += found
        return found

    def rest(self, rest_ms: int) -> list[Event]:
        """The events of a time in which nothing is seen."""
        found = list[Event]()
        for _ in range(rest_ms // 100):
            self.now_ms += 100
            found += self.session.tick(self.now_ms)
        return found

    def record(self) -> list[str]:
        """The moves so far."""
        return [each.move for each in self.session.view().record]


@pytest.fixture
def camera() -> Camera:
    """A game of chess that has begun."""
    made = Camera()
    assert made.session.phase is Phase.WAITING
    return made


def after(*moves: str) -> dict[int, int]:
    """The board after *moves* from the initial position."""
    position = RULES.initial()
    for text in moves:
        position = RULES.apply(position, RULES.read_move(position, text))
    return Camera.board(position)


def carried(board: Mapping[int, int], source: str, target: str) -> dict[int, int]:
    """*board* after a piece was put elsewhere, by whatever rule."""
    cells = dict(board)
    cells[RULES.grid.cell(target)] = cells.pop(RULES.grid.cell(source))
    return cells


def test_plies_are_read_one_after_the_other(camera: Camera) -> None:
    moves = ["e4", "d5", "exd5", "Qxd5", "Nc3", "Qa5", "Nf3", "Bg4", "Be2", "Bxf3", "Bxf3", "Nc6", "O-O"]
    for count in range(1, len(moves) + 1):
        camera.sees(after(*moves[:count]))
    assert camera.record() == moves
    assert not any(isinstance(event, IllegalSeen | QuestionAsked) for event in camera.events)


def test_plies_of_which_only_the_last_board_was_seen_are_found(camera: Camera) -> None:
    camera.sees(after("e4", "e5", "Bc4"))
    assert camera.record() == ["e4", "e5", "Bc4"]


def test_a_ply_whose_target_looks_like_nothing_known_is_read(camera: Camera) -> None:
    camera.sees(after("e4"), {"e4": VAGUE})
    assert camera.record() == ["e4"]


def test_a_change_without_a_class_that_shows_it_is_no_ply(camera: Camera) -> None:
    seen = camera.sees(after(), {"e2": VAGUE, "e4": VAGUE}, {"e2": CHANGED, "e4": CHANGED})
    assert camera.record() == []
    assert not any(isinstance(event, IllegalSeen) for event in seen)


def test_a_ply_that_was_not_clear_is_found_with_the_next_picture(camera: Camera) -> None:
    camera.sees(after("e4"), {"e2": (0.0, 0.5, SURE), "e4": (0.5, 0.0, SURE)}, {"e2": -1.0, "e4": 1.0})
    assert camera.record() == []
    camera.sees(after("e4", "e5"))
    assert camera.record() == ["e4", "e5"]


def test_an_illegal_move_is_seen_and_no_other_one_is_announced(camera: Camera) -> None:
    seen = camera.sees(carried(after(), "e2", "e5"))
    assert any(isinstance(event, IllegalSeen) for event in seen)
    assert camera.record() == []
    assert any(isinstance(event, IllegalMended) for event in camera.sees(after()))
    camera.sees(after("e4"))
    assert camera.record() == ["e4"]


def test_an_illegal_move_is_seen_that_differs_from_a_legal_one_in_a_cell(camera: Camera) -> None:
    for count in range(1, 3):
        camera.sees(after(*["e4", "e5"][:count]))
    seen = camera.sees(carried(after("e4", "e5"), "b1", "b3"))
    assert any(isinstance(event, IllegalSeen) for event in seen)
    assert camera.record() == ["e4", "e5"]


def test_a_hand_is_no_piece(camera: Camera) -> None:
    under = ["c3", "c4", "d3", "d4", "e3", "e4"]
    hand = {name: (SURE, 0.0, SURE) for name in under}
    seen = camera.sees(after(), hand, dict.fromkeys(under, CHANGED))
    assert camera.record() == []
    assert not any(isinstance(event, IllegalSeen) for event in seen)
    camera.sees(after("d4"), changed=dict.fromkeys(under, CHANGED))
    assert camera.record() == ["d4"]


def test_a_tall_piece_does_not_put_another_one_behind_it(camera: Camera) -> None:
    seen = camera.sees(after("e4"), {"e5": (SURE, 0.0, SURE)}, {"e5": CHANGED})
    assert camera.record() == ["e4"]
    assert not any(isinstance(event, IllegalSeen) for event in seen)


def test_a_cell_that_was_misread_does_not_stop_the_game(camera: Camera) -> None:
    camera.sees(after("e4"), {"h4": (SURE, 0.0, SURE)}, {"h4": CHANGED})
    camera.sees(after("e4", "e5"), {"h4": (SURE, 0.0, SURE)})
    camera.sees(after("e4", "e5", "Nf3"))
    assert camera.record() == ["e4", "e5", "Nf3"]


def test_nothing_is_read_twice_while_a_hand_moves(camera: Camera) -> None:
    camera.sees(after("e4"))
    unseen = Evidence(LOOKS, ((),) * 64, (0,) * 64)
    sightings = Sightings(occupancy_of(after("e4")), hidden=occupancy_of([12, 28]))
    camera.session.observe(Observation(camera.now_ms, (), sightings, camera.now_ms, evidence=unseen))
    assert camera.record() == ["e4"]
    assert camera.session.belief.seen.occupied == occupancy_of(after("e4"))


def test_evidence_turns_with_the_board() -> None:
    turn = Rotation.of(RULES.grid, 2, 2)
    rows = tuple((cell,) for cell in range(64))
    turned = turn.evidence(Evidence(LOOKS, rows, tuple(range(64))))
    assert turned is not None
    assert turned.costs[0] == (63,)
    assert turned.changed[63] == 0
    assert turn.evidence(None) is None
