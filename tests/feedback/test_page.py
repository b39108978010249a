# SPDX-License-Identifier: Apache-2.0
"""The page's picture: everything that the page shows, as data."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from companion.feedback import page
from companion.feedback.letters import Letters, board
from companion.feedback.page import table
from companion.feedback.prompts import guide_sentence, shown_order
from companion.feedback.shown import Shown
from companion.feedback.text import render as lines
from companion.feedback.wordfiles import languages
from companion.feedback.words import Words, load
from companion.games import find
from companion.host.watch.drawing import BoardDrawing
from companion.model.absent import PlayedBy
from companion.model.game import Option, Region, Violation
from companion.model.grid import rectangle
from companion.model.pieces import Piece
from companion.model.placement import Placement
from companion.referee.values.questions import Aspect, Choice, Question
from companion.referee.values.view import ClockStart, ClockView, DecidedView, Guide, Phase, TableView

from .views import (
    AMISS,
    AXE,
    CARRYING_OUT,
    CHECKED,
    CHOOSING,
    DECIDING,
    GRID,
    HANDLING,
    ILLEGAL,
    MACE,
    OFFERED,
    PAUSED,
    SETTING_UP,
    SIDES,
    SPEAR,
    TO_CONFIRM,
    VIEWS,
    WAITING,
    WON,
    at,
)

ENGLISH = load("en", "close-quarters", SIDES)


def render(view: TableView, words: Words) -> Any:
    """*view* with nothing over it."""
    return page.render(Shown(view), words)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_the_picture_survives_json_and_has_no_unfilled_gap(language: str, view: TableView) -> None:
    picture = render(view, load(language, "close-quarters", SIDES))
    text = json.dumps(picture)
    assert json.loads(text) == picture
    assert "{piece" not in text
    assert picture["prompt"]


def test_every_picture_has_the_same_keys() -> None:
    keys = {frozenset(render(view, ENGLISH)) for view in VIEWS.values()}
    assert len(keys) == 1


@pytest.mark.parametrize(
    ("view", "prompt"),
    [
        (SETTING_UP, "Set up the start position."),
        (WAITING, "The Sword moves."),
        (replace(WAITING, turn=1), "The weapons move."),
        (HANDLING, "The Mace from d1 is in the hand."),
        (
            replace(HANDLING, targets=(), immobile=Violation.of("several-moved")),
            "The Mace from d1 has no legal move. Several pieces have moved at once.",
        ),
        (ILLEGAL, "The Mace may not jump: the Axe stands on b4."),
        (
            replace(ILLEGAL, question=CHOOSING.question),
            "The Mace may not jump: the Axe stands on b4. Which piece moved?",
        ),
        (replace(ILLEGAL, fault=None), "Put the pieces back as shown."),
        (PAUSED, "The game is paused."),
        (WON, "The weapons win: the Sword is eliminated."),
        (DECIDING, "The computer is thinking."),
        (
            replace(DECIDING, played_by=(PlayedBy.TABLE, PlayedBy.ELSEWHERE)),
            "The weapons are played elsewhere: the move will be shown here.",
        ),
        (CARRYING_OUT, "For the computer: Move the Mace from d1 to b2."),
        (replace(CARRYING_OUT, guides=()), "The computer plays d1-b2."),
        (
            replace(CARRYING_OUT, guides=(Guide(replace(MACE, facing=0), at("d1"), at("d1")),)),
            "For the computer: Turn the Mace on d1. It faces north.",
        ),
        (AMISS, "That is not the move d1-b2: Move the Axe from b7 to a8."),
        (
            replace(AMISS, decided=DecidedView(1, PlayedBy.ELSEWHERE, "d1-b2", ())),
            "For the weapons: Move the Axe from b7 to a8.",
        ),
        (TO_CONFIRM, "Press the button when the move d1-b2 is on the board."),
    ],
)
def test_the_prompt_is_the_most_important_sentence(view: TableView, prompt: str) -> None:
    assert render(view, ENGLISH)["prompt"] == prompt


def test_people_resign_and_agree_only_for_sides_at_the_table() -> None:
    assert render(WAITING, ENGLISH)["seated"] == [0, 1]
    assert render(DECIDING, ENGLISH)["seated"] == [0]


def test_a_fault_has_reason_cells_and_way_back() -> None:
    picture = render(ILLEGAL, ENGLISH)
    assert picture["fault"]["sentence"] == "The Mace may not jump: the Axe stands on b4."
    assert picture["fault"]["concerned"] == list(GRID.cells("c4 b2 b4"))
    assert [guide["sentence"] for guide in picture["guides"]] == ["Move the Mace from c4 to b2."]


def test_setting_up_names_each_piece_and_its_cell() -> None:
    assert [guide["sentence"] for guide in render(SETTING_UP, ENGLISH)["guides"]] == [
        "Move the Axe from b5 to a8.",
        "Put the Mace on d1.",
    ]


def test_the_owner_is_named_where_both_sides_have_such_a_piece() -> None:
    white, black = Piece("pawn", 0), Piece("pawn", 1)
    view = replace(WAITING, placement=Placement.of([(0, white)]), sides=("white", "black"))
    words = load("en", "no-such-game", ("white", "black"))
    sentences = [
        guide_sentence(Guide(black, *where), view, words) for where in ((None, 4), (4, 0), (4, None))
    ]
    assert sentences == [
        "Put a black pawn on a2.",
        "Move the black pawn from a2 to a1.",
        "Take the black pawn off a2.",
    ]


def test_set_up_names_the_facing_of_a_piece() -> None:
    tank = Piece("tank", 0, facing=3)
    view = replace(WAITING, sides=("white", "black"))
    words = load("en", "no-such-game", view.sides)
    assert guide_sentence(Guide(tank, None, 4), view, words) == "Put tank on a2. It faces south-east."
    assert guide_sentence(Guide(tank, 4, None), view, words) == "Take tank off a2."


def test_an_unidentified_piece_is_called_a_piece() -> None:
    assert guide_sentence(Guide(Piece("unknown"), 4, None), WAITING, ENGLISH) == "Take the piece off a2."


def test_an_announcement_has_its_word_and_its_cause() -> None:
    (announcement,) = render(CHECKED, ENGLISH)["announcements"]
    assert announcement["word"] == "CHECK!"
    assert announcement["sentence"] == "The weapons could win next turn: from d5, against b3."


def asked(aspect: Aspect, *choices: Choice) -> dict[str, Any]:
    """The question on the page, with the lines of the display."""
    question = Question(3, 0, aspect, GRID.cells("b2"), choices)
    view = replace(WAITING, phase=Phase.CHOOSING, question=question)
    picture: dict[str, Any] = render(view, ENGLISH)["question"]
    return {
        **picture,
        "labels": [each["label"] for each in picture["choices"]],
        "lines": lines(view, ENGLISH),
    }


def test_a_question_is_asked_with_its_choices_and_how_to_answer() -> None:
    picture = render(CHOOSING, ENGLISH)
    assert picture["prompt"] == "Which piece moved? Choose here, or touch a blinking cell."
    assert picture["question"]["sentence"] == picture["prompt"]
    assert [choice["label"] for choice in picture["question"]["choices"]] == ["Axe a8", "Spear d8"]
    assert [choice["touch"] for choice in picture["question"]["choices"]] == list(GRID.cells("a8 d8"))
    assert render(WAITING, ENGLISH)["question"] is None


def test_each_aspect_has_its_own_question() -> None:
    b2 = GRID.cells("b2")
    kinds = asked(Aspect.KIND, Choice(b2, None, SPEAR), Choice(b2, None, AXE))
    assert kinds["sentence"] == "What has the piece on b2 become?"
    assert (kinds["labels"], kinds["lines"]) == (["Spear", "Axe"], ("What is it now?", "Axe/Spear"))
    assert kinds["order"] == [1, 0]
    facings = asked(Aspect.FACING, *(Choice(b2, None, replace(AXE, facing=f)) for f in (0, 3)))
    assert (facings["labels"], facings["lines"][1]) == (["north", "south-east"], "N/SE")
    poses = asked(
        Aspect.POSE, *(Choice(b2, None, replace(AXE, pose=pose)) for pose in ("leap-5", "supply-1"))
    )
    assert poses["labels"] == ["leap 5", "supply 1"]
    victims = asked(Aspect.VICTIM, Choice(), Choice(GRID.cells("a1"), 0))
    assert victims["labels"] == ["none", "a1"]
    cells = asked(Aspect.CELL, Choice(b2, b2[0], AXE), Choice(GRID.cells("a1"), 0, AXE))
    assert cells["labels"] == ["b2", "a1"]
    moves = asked(Aspect.MOVE, Choice(moves=("a1-b2", "a1-b2+")), Choice(moves=("c3",)))
    assert moves["labels"] == ["a1-b2, a1-b2+", "c3"]


@pytest.mark.parametrize("language", languages())
def test_a_promotion_is_offered_queen_first_in_every_language(language: str) -> None:
    kinds = ("knight", "bishop", "rook", "queen")
    question = Question(0, 0, Aspect.KIND, (0,), tuple(Choice((0,), None, Piece(kind, 0)) for kind in kinds))
    words = load(language, "chess", ("white", "black"))
    assert shown_order(question, words) == [3, 2, 1, 0]


def test_the_answers_to_where_a_piece_went_have_arrows_from_where_it_stood() -> None:
    choices = tuple(Choice(GRID.cells(name), None, AXE) for name in ("b2", "c3"))
    question = Question(1, 1, Aspect.CELL, GRID.cells("b2"), choices)
    view = replace(OFFERED, question=question)
    (source,) = OFFERED.record[1].source
    found = [each["arrow"] for each in render(view, ENGLISH)["question"]["choices"]]
    assert found == [[source, *GRID.cells("b2")], [source, *GRID.cells("c3")]]
    kinds = replace(view, question=replace(question, aspect=Aspect.KIND))
    assert [each["arrow"] for each in render(kinds, ENGLISH)["question"]["choices"]] == [None, None]


@pytest.mark.parametrize("language", languages())
def test_every_language_has_a_question_for_each_aspect(language: str) -> None:
    assert set(load(language, "close-quarters", SIDES).common.questions) == set(Aspect)


def test_an_offer_is_shown_and_the_record_is_complete() -> None:
    picture = render(OFFERED, ENGLISH)
    assert picture["offer"] == "The weapons offer a draw."
    assert [move["text"] for move in picture["record"]] == ["a1-b3", "a8-d5"]


def test_the_record_has_the_time_of_each_move_where_it_is_known() -> None:
    first, second = OFFERED.record
    timed = replace(OFFERED, record=(first._replace(spent_ms=4_200), second))
    assert [move["spent_ms"] for move in render(timed, ENGLISH)["record"]] == [4_200, None]


def test_the_record_marks_a_position_that_an_arbiter_let_stand() -> None:
    first, second = OFFERED.record
    stood = replace(OFFERED, record=(first._replace(is_amended=True), second._replace(move="")))
    assert [move["text"] for move in render(stood, ENGLISH)["record"]] == ["a1-b3, let stand", "let stand"]


def test_the_record_marks_a_position_let_stand_before_the_first_move() -> None:
    assert render(OFFERED, ENGLISH)["start"] == ""
    assert render(replace(OFFERED, is_start_amended=True), ENGLISH)["start"] == "let stand"


@pytest.mark.parametrize(
    ("view", "commands"),
    [
        (SETTING_UP, ["new-game"]),
        (WAITING, ["resign", "draw", "pause", "adjourn", "let-stand", "new-game"]),
        (
            replace(CHECKED, allows_take_back=True),
            ["resign", "draw", "pause", "adjourn", "let-stand", "take-back", "new-game"],
        ),
        (ILLEGAL, ["resign", "draw", "pause", "adjourn", "let-stand", "new-game"]),
        (PAUSED, ["resume", "resign", "draw", "adjourn", "let-stand", "new-game"]),
        (replace(SETTING_UP, record=CHECKED.record), ["resign", "draw", "new-game"]),
        (WON, ["rematch", "new-game"]),
        (CHOOSING, ["resign", "draw", "pause", "adjourn", "let-stand", "new-game"]),
        (
            replace(WON, is_begun=True),
            ["correct-record", "set-up-position", "rematch", "new-game"],
        ),
        (
            replace(SETTING_UP, record=CHECKED.record, is_begun=True),
            ["resign", "draw", "let-stand", "correct-record", "set-up-position", "new-game"],
        ),
        (
            replace(WAITING, clock_start=ClockStart.MOVE),
            ["resign", "draw", "pause", "adjourn", "let-stand", "start-clock", "new-game"],
        ),
        (
            replace(PAUSED, clock_start=ClockStart.PRESS),
            ["resume", "resign", "draw", "adjourn", "let-stand", "new-game"],
        ),
    ],
)
def test_only_the_commands_that_apply_now_are_offered(view: TableView, commands: list[str]) -> None:
    assert render(view, ENGLISH)["commands"] == commands


@pytest.mark.parametrize("language", languages())
def test_every_language_explains_what_starts_the_clock(language: str) -> None:
    words = load(language, "close-quarters", SIDES)
    said = words.common.notices
    for start, sentence in ((ClockStart.MOVE, said.clock_move), (ClockStart.PRESS, said.clock_press)):
        picture = render(replace(WAITING, clock_start=start), words)
        assert picture["notices"] == [sentence]
        assert picture["clock_start"] == start.value
    assert said.clock_move != said.clock_press
    assert render(WAITING, words)["notices"] == []
    assert render(WAITING, words)["clock_start"] is None


def test_only_the_start_is_called_the_start_position() -> None:
    assert render(SETTING_UP, ENGLISH)["prompt"] == "Set up the start position."
    taken_back = replace(SETTING_UP, record=CHECKED.record)
    assert render(taken_back, ENGLISH)["prompt"] == "Set up the position as shown."


def test_the_page_has_the_print_of_the_board() -> None:
    rules = find("tank-chess").rules()
    obstacles = table(rules.grid, (), load("en", "tank-chess", rules.sides))["grid"]["obstacles"]
    assert len(obstacles) == 50
    assert [rules.grid.name(cell) for cell in obstacles[:3]] == ["K2", "L2", "O2"]


def test_border_surfaces_are_no_obstacles_and_are_drawn_nowhere() -> None:
    rules = find("tank-chess").rules({"map": "yard; 4x4; B2; CB1N cC4S; A1 D4"})
    words = load("en", "tank-chess", rules.sides)
    static = table(rules.grid, (), words)["grid"]
    assert [[rules.grid.name(cell) for cell in static[key]] for key in ("obstacles", "border")] == [
        ["B2"],
        ["A1", "D4"],
    ]
    drawn = board(rules.grid, rules.placement(rules.initial()), Letters.of(rules, words))
    assert [line.plain.count("##") for line in drawn] == [0, 0, 1, 0, 0]
    assert drawn[0].plain.rstrip().endswith("↓")
    floors = "".join(BoardDrawing(table(rules.grid, (), words)).board(())).count('class="floor')
    assert floors == 14


def test_the_table_has_cells_with_names_and_outlines_and_all_labels() -> None:
    options = (Option("take_back", ("no", "yes"), "may a move be taken back?"), Option("new", ("x",), "new?"))
    static = table(rectangle(2, 3, cell_mm=40), options, ENGLISH)
    assert json.loads(json.dumps(static)) == static
    assert static["title"] == "Close Quarters"
    assert static["grid"]["obstacles"] == []
    assert static["grid"]["directions"] == 8
    assert static["grid"]["bounds_mm"] == [0, 0, 80, 120]
    assert static["grid"]["cells"][3] == {"name": "b2", "outline": [[40, 40], [80, 40], [80, 80], [40, 80]]}
    assert [side["name"] for side in static["sides"]] == ["Sword", "Weapons"]
    assert static["options"][0]["label"] == "Take-back"
    assert static["options"][1] == {
        "name": "new",
        "label": "new?",
        "default": "x",
        "values": [{"value": "x", "label": "x"}],
    }


def test_hands_scores_clocks_and_regions_are_listed_by_side() -> None:
    view = replace(
        WAITING,
        hands=((), (SPEAR, AXE)),
        scores=(3, 0),
        clocks=(ClockView(61_000, True, 500), ClockView(60_000, False, 500, spans=2, span_ms=9_000)),
        regions=(Region((0, 1), is_shaded=True), Region((2,), side=1)),
    )
    picture = render(view, ENGLISH)
    assert [[piece["name"] for piece in hand] for hand in picture["hands"]] == [[], ["Spear", "Axe"]]
    assert picture["scores"] == [3, 0]
    assert [clock["left_ms"] for clock in picture["clocks"]] == [61_000, 60_000]
    assert picture["clocks"][1]["spans"] == 2
    assert picture["regions"] == [
        {"cells": [0, 1], "shaded": True, "side": None},
        {"cells": [2], "shaded": False, "side": 1},
    ]
