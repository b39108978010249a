# SPDX-License-Identifier: Apache-2.0
"""Typed text is a command, an answer, a move, or two cells."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion import games
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.host.terminal.completion import completions
from companion.host.terminal.parser import (
    Confirm,
    Context,
    Flip,
    Hands,
    HintKey,
    Page,
    Perform,
    Pressed,
    Quit,
    Reply,
    available,
    hint,
    typed_answer,
    understand,
)
from companion.host.virtual_table.hands import Drop, Lift, SetRight
from companion.host.virtual_table.table import moving
from companion.referee.values.commands import (
    Answer,
    LetStand,
    NewGame,
    OfferDraw,
    Pause,
    Resign,
    Resume,
    SetLevel,
    StartClock,
    TakeBack,
)
from companion.referee.values.view import ClockStart, LessonView, TableView
from companion.virtual.pieces import PieceSet
from tests.feedback.views import (
    CHECKED,
    CHOOSING,
    DECIDING,
    ILLEGAL,
    OFFERED,
    PAUSED,
    SETTING_UP,
    WAITING,
    WON,
)

RULES = games.find("close-quarters").rules()


def context(view: TableView = WAITING, language: str = "en", *, is_virtual: bool = True) -> Context:
    return Context(RULES, RULES.initial(), view, load(language, view.game, view.sides), is_virtual)


TAKING = replace(CHECKED, allows_take_back=True)
LEARNED = replace(WAITING, lesson=LessonView("pawn", 0, 9, 0, is_done=True, following="giant"))


@pytest.mark.parametrize(
    ("text", "view", "meant"),
    [
        ("resign", WAITING, Confirm(Resign(0), "Resign: Sword. Really? (Yes / No)")),
        ("resign weapons", WAITING, Confirm(Resign(1), "Resign: Weapons. Really? (Yes / No)")),
        ("RESIGN Weapons", WAITING, Confirm(Resign(1), "Resign: Weapons. Really? (Yes / No)")),
        ("flip", WAITING, Flip()),
        ("hint", WAITING.with_advice(None), HintKey()),
        ("level 3", DECIDING, SetLevel(3)),
        ("level Amateur", DECIDING, SetLevel(2)),
        ("level perfect", DECIDING, SetLevel(3)),
        ("level 2 weapons", DECIDING, SetLevel(2, 1)),
        ("level 2", WAITING, Reply("That cannot be done now.")),
        ("tipp", WAITING, Reply("“tipp” is neither a move nor a command.")),
        ("draw", WAITING, OfferDraw(0)),
        ("draw", OFFERED, OfferDraw(0)),
        ("draw weapons", WAITING, OfferDraw(1)),
        ("draw a1-b2", WAITING, OfferDraw(0, "a1-b2")),
        ("resign", DECIDING, Confirm(Resign(0), "Resign: Sword. Really? (Yes / No)")),
        ("draw", DECIDING, OfferDraw(0)),
        ("draw a1-b2", DECIDING, Reply("There is no side “a1-b2”; there are Sword, Weapons.")),
        ("resign weapons", DECIDING, Reply("That cannot be done now.")),
        ("draw weapons", DECIDING, Reply("That cannot be done now.")),
        ("draw a1-d8", WAITING, Reply("There is no side “a1-d8”; there are Sword, Weapons.")),
        ("back", TAKING, TakeBack()),
        ("back 1", TAKING, TakeBack(1)),
        ("back 9", TAKING, Reply("That cannot be done now.")),
        ("pause", WAITING, Pause()),
        ("go", PAUSED, Resume()),
        ("new", WAITING, NewGame()),
        ("start", replace(WAITING, clock_start=ClockStart.MOVE), StartClock()),
        ("start", WAITING, Reply("That cannot be done now.")),
        ("stand", ILLEGAL, LetStand(0)),
        ("stand weapons", ILLEGAL, LetStand(1)),
        ("right", ILLEGAL, Hands((SetRight(),))),
        ("quit", WAITING, Quit()),
        ("1", CHOOSING, Answer(1, 0)),
        ("2", CHOOSING, Answer(1, 1)),
        ("axe a8", CHOOSING, Answer(1, 0)),
        ("a8-b7", CHOOSING, Answer(1, 0)),
        ("3", CHOOSING, Reply("There is no answer 3.")),
        ("a8 a5", WAITING, Hands((Lift(28), Drop(16)))),
        ("a8-a5", WAITING, Hands((Lift(28), Drop(16)))),
        ("hello", WAITING, Reply("“hello” is neither a move nor a command.")),
        ("a1 z9", WAITING, Reply("“a1 z9” is neither a move nor a command.")),
        ("go", WAITING, Reply("That cannot be done now.")),
        ("resign", SETTING_UP, Reply("That cannot be done now.")),
        ("resign me", WAITING, Reply("There is no side “me”; there are Sword, Weapons.")),
    ],
)
def test_a_text_is_parsed_as(text: str, view: TableView, meant: object) -> None:
    assert understand(text, context(view)) == meant


@pytest.mark.parametrize(
    ("moves", "text", "why"),
    [
        ("", "Ke2", "the pawn of the same side stands there"),
        ("", "Qh5", "may not jump: the pawn stands on e2"),
        ("", "e5", "pawn"),
        ("", "Nd4", "knight"),
        ("", "exd3", "pawn"),
        ("", "O-O", "the knight of the same side stands there"),
        ("e4 e5", "Ke7", "king"),
        ("e4 f5 Qh5", "Nc6", "check"),
    ],
)
def test_a_move_that_is_not_lawful_is_answered_with_its_reason(moves: str, text: str, why: str) -> None:
    rules = games.find("chess").rules()
    position = rules.initial()
    for move in moves.split():
        position = rules.apply(position, rules.read_move(position, move))
    words = load("en", "chess", rules.sides)
    view = replace(WAITING, game="chess", sides=tuple(rules.sides), grid=rules.grid)
    said = understand(text, Context(rules, position, view, words, True))
    assert isinstance(said, Reply)
    assert why in said.text.lower()
    assert "neither a move nor a command" not in said.text


def test_the_help_explains_what_can_be_typed_now() -> None:
    for text in ("help", "?"):
        said = understand(text, context())
        assert isinstance(said, Page)
        assert "resign: give up the game; a side may follow" in said.lines
        assert not [line for line in said.lines if line.startswith("go:")]
    ended = understand("help", context(WON))
    assert isinstance(ended, Page)
    assert not [line for line in ended.lines if line.startswith(("resign:", "draw:", "pause:"))]
    assert "new: begin a new game" in ended.lines


def test_the_rules_of_the_game_can_be_read() -> None:
    said = understand("rules", context())
    assert isinstance(said, Page)
    assert said.lines[0] == "Close Quarters"
    assert " 1  SW ·  ·  ma" in said.lines
    assert "Sword: one or two cells in a straight line, in any of the eight directions." in said.lines


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("res", ["resign"]),
        ("RE", ["resign"]),
        ("a1-b", ["a1-b1", "a1-b2"]),
        ("resign s", ["Sword"]),
        ("a1 b", ["b1", "b2"]),
        ("a1 b2 c", []),
        ("zz", []),
    ],
)
def test_commands_moves_and_cells_are_completed(typed: str, offered: list[str]) -> None:
    assert completions(typed, context()) == offered


def test_moves_without_pieces_are_completed() -> None:
    rules = games.find("gottaz").rules({"pawns": "common"})
    choosing = replace(context(), rules=rules, position=rules.initial())
    assert completions("+R1", choosing) == ["+R1J5"]
    assert completions("+R1J5 a", choosing) == []


def test_after_the_end_only_what_can_be_done_is_offered() -> None:
    ended = replace(WON, is_begun=True)
    listed = hint(ended, context().words, is_virtual=True)
    assert not {"resign", "draw", "pause", "stand"} & set(listed.split(" · "))
    assert {"new", "record", "quit"} <= set(listed.split(" · "))
    assert completions("", context(ended)) == listed.split(" · ")


def test_a_move_becomes_actions_on_the_pieces() -> None:
    meant = understand("a1-b2", context())
    assert isinstance(meant, Perform)
    assert [(step.source, step.target) for step in meant.steps] == [((0,), (5,))]


def test_typed_moves_are_refused_at_a_real_board() -> None:
    said = Reply("Make your move on the board.")
    for text in ("a1-b2", "a8 a5", "right"):
        assert understand(text, context(is_virtual=False)) == said
    assert "right" not in hint(WAITING, context().words, is_virtual=False)


def test_a_press_is_typed_at_a_board_that_has_no_clock() -> None:
    awaited = replace(WAITING, pressers=(1,))
    at_station = replace(context(awaited, is_virtual=False), takes_presses=True)
    assert understand("done", at_station) == Pressed(1)
    assert "done" in completions("do", at_station)
    assert "done" in hint(awaited, at_station.words, is_virtual=False, takes_presses=True)
    for other in (context(awaited), replace(at_station, view=WAITING)):
        assert understand("done", other) == Reply("That cannot be done now.")
        assert completions("do", other) == []


@pytest.mark.parametrize("language", languages())
def test_commands_are_accepted_in_the_tables_language_and_in_english(language: str) -> None:
    here = context(WAITING, language)
    timed = replace(WAITING, clock_start=ClockStart.MOVE, is_begun=True, gives_hints=True)
    for slug, word in here.words.common.typed.commands.items():
        assert word.split() == [word]
        assert understand(word, here) == understand(slug, here)
        assert here.words.common.typed.about[slug]
        views = (timed, PAUSED, TAKING, LEARNED, DECIDING, replace(WAITING, pressers=(0,)))
        offered = (available(view, here.words, is_virtual=True, takes_presses=True) for view in views)
        assert any(word in each.values() for each in offered), word
    assert len(set(here.words.common.typed.commands.values())) == len(here.words.common.typed.commands)


@pytest.mark.parametrize("text", ["level", "level 9", "level weapons", "level nobody weapons"])
def test_a_level_that_the_game_does_not_have_is_answered_with_those_it_has(text: str) -> None:
    meant = understand(text, context(DECIDING))
    assert isinstance(meant, Reply)
    assert "newcomer" in meant.text


def test_a_level_is_named_in_the_tables_language() -> None:
    assert understand("stufe Perfekt", context(DECIDING, "de")) == SetLevel(3)
    assert understand("レベル 入門", context(DECIDING, "ja")) == SetLevel(1)


@given(st.text(max_size=40), st.sampled_from([WAITING, CHOOSING, ILLEGAL, PAUSED]), st.booleans())
def test_no_typed_text_raises(text: str, view: TableView, is_virtual: bool) -> None:
    assert understand(text, context(view, is_virtual=is_virtual)) is not None


@pytest.mark.parametrize("slug", games.slugs())
def test_a_typed_move_leads_to_the_placement_of_the_game(slug: str) -> None:
    """In random games: captures, castling, promotions, drops from the hand, turns, wrecks."""
    rules = games.find(slug).rules()
    words = load("en", slug, rules.sides)
    chance = random.Random(7)
    position = rules.initial()
    pieces = PieceSet(rules.placement(position), grid=rules.grid)
    view = replace(WAITING, game=slug, sides=tuple(rules.sides), grid=rules.grid)
    for _ply in range(60):
        moves = rules.legal_moves(position)
        if not moves or rules.status(position):
            break
        move = chance.choice(moves)
        meant = understand(rules.write_move(position, move), Context(rules, position, view, words, True))
        position = rules.apply(position, move)
        assert isinstance(meant, Perform)
        for look in moving(pieces, meant.steps):
            pieces = look
        assert pieces.standing == rules.placement(position)
        assert pieces.hand is None


def test_a_move_that_does_not_fit_the_placement_moves_nothing() -> None:
    meant = understand("a1-b2", context())
    assert isinstance(meant, Perform)
    for pieces in (PieceSet(WAITING.placement).lift(28), PieceSet(WAITING.placement).clear(0)):
        assert list(moving(pieces, meant.steps)) == []


def test_a_typed_promotion_needs_no_question() -> None:
    question = CHOOSING.question
    assert question is not None
    assert typed_answer(question, {1: "d8-b8"}) == Answer(1, 1)
    assert typed_answer(question, {0: "d8-b8"}) is None
    assert typed_answer(question, {1: "d8-a8"}) is None
