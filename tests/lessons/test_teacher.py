# SPDX-License-Identifier: Apache-2.0
"""Every lesson is played through at a table, with right and wrong answers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import pytest

from companion.feedback import page, text, voice
from companion.feedback.lights import Meaning, meanings
from companion.feedback.prompts import prompt
from companion.feedback.shown import Shown
from companion.feedback.words import load
from companion.host.journal.setup import GameSetup
from companion.host.play.start import PlayOptions, begin
from companion.host.table.table_game import Begin
from companion.lessons.course import Lesson, course, taught
from companion.lessons.teacher import Progress, follow
from companion.model.absent import PlayedBy
from companion.model.game import AnyRules
from companion.referee.session.session import Session
from companion.referee.values.commands import Play, TakeBack
from companion.referee.values.events import Stage
from companion.referee.values.gestures import Gestures
from companion.referee.values.view import MoveView, Phase, TableView
from tests.lessons.claims import accepted, after
from tests.lessons.table import LessonTable

LESSONS = [pytest.param(game, slug, id=f"{game}-{slug}") for game in taught() for slug in course(game).slugs]
WRONG = 3
"""Wrong answers that are tried at each task, if there are enough moves."""


def wrong_answers(rules: AnyRules, position: Any, accepts: tuple[str, ...]) -> list[str]:
    """Some legal moves that are not accepted, from all over the list of moves."""
    moves = rules.legal_moves(position)
    some = moves[:: max(1, len(moves) // (2 * WRONG))]
    written = (rules.write_move(position, move) for move in some)
    return list(islice((move for move in written if move not in accepts), WRONG))


@cache
def rules_of(game: str, slug: str) -> AnyRules:
    """The rules of a lesson; the sights of a tank take long to compute."""
    return course(game).find(slug).rules(game)


@cache
def before(game: str, slug: str) -> TableView:
    """The view of a table before the first answer of a lesson."""
    lesson, rules = course(game).find(slug), rules_of(game, slug)
    return replace(Session(rules, start=lesson.start(rules)).view(), phase=Phase.WAITING)


def seen(lesson: Lesson, game: str, *moves: str, stage: Stage = Stage.ANNOUNCED) -> TableView:
    """The view of a table where *moves* were made in *lesson*."""
    rules = rules_of(game, lesson.slug)
    position, record = lesson.start(rules), []
    for ply, move in enumerate(moves):
        record.append(MoveView(ply, position.turn, move, stage, (), ()))
        position = rules.apply(position, rules.read_move(position, move))
    own = lesson.side(rules)
    return replace(
        before(game, lesson.slug),
        ply=len(moves),
        turn=position.turn,
        record=tuple(record),
        decider=None if position.turn == own or rules.status(position) else position.turn,
        played_by=tuple(
            PlayedBy.TABLE if side == own else PlayedBy.ELSEWHERE for side in range(len(rules.sides))
        ),
    )


@pytest.mark.parametrize(("game", "slug"), LESSONS)
def test_right_answers_lead_through_a_lesson_and_wrong_ones_are_taken_back(game: str, slug: str) -> None:
    lesson, rules = course(game).find(slug), rules_of(game, slug)
    open_after: list[tuple[Progress, tuple[str, ...], Any]] = [(Progress(), (), lesson.start(rules))]
    for number, task in enumerate(lesson.task):
        before_task, open_after = open_after, []
        for progress, made, position in before_task:
            assert progress == Progress(number)
            replied = progress
            for wrong in wrong_answers(rules, position, task.accepts):
                replied = follow(lesson, progress, seen(lesson, game, *made, wrong))
                assert replied == Progress(number, is_wrong=True, command=TakeBack(1)), wrong
                assert follow(lesson, replied, seen(lesson, game, *made)) == Progress(number, is_wrong=True)
            for right in accepted(task, rules, position):
                answered = follow(lesson, replied, seen(lesson, game, *made, right))
                line = (*made, right)
                if task.reply:
                    assert isinstance(answered.command, Play)
                    assert answered.command.move == task.reply
                    line = (*line, task.reply)
                    answered = follow(lesson, answered, seen(lesson, game, *line))
                open_after.append((answered, line, after(rules, position, right, task.reply)))
    assert {progress for progress, _, _ in open_after} == {Progress(number, is_done=True)}


def test_any_of_several_answers_leads_to_the_next_task() -> None:
    lesson = course("gottaz").find("escape")
    first, second = (task.accepts for task in lesson.task)
    assert (len(first), len(second)) == (2, 2)
    for answer, other in zip(first, second, strict=True):
        reached = follow(lesson, Progress(), seen(lesson, "gottaz", answer, lesson.task[0].reply))
        assert reached == Progress(1)
        won = follow(lesson, reached, seen(lesson, "gottaz", answer, lesson.task[0].reply, other))
        assert won == Progress(1, is_done=True)


def test_a_move_that_may_still_change_is_not_judged() -> None:
    lesson = course("fightopia").find("pawn")
    view = seen(lesson, "fightopia", "c3-c4", stage=Stage.PROVISIONAL)
    assert follow(lesson, Progress(), view) == Progress()


def walk(game: str, slug: str) -> None:
    """Play a lesson at a table: each time wrong first, then right."""
    table = LessonTable(game, slug)
    for number, task in enumerate(course(game).find(slug).task):
        assert table.lesson.task == number
        for wrong in wrong_answers(table.rules, table.position, task.accepts):
            open_position = table.view.position
            table.play(wrong)
            assert table.lesson.is_wrong, wrong
            table.put_right()
            assert (table.view.position, table.view.phase) == (open_position, Phase.WAITING)
            assert (table.lesson.is_wrong, table.view.fault) == (True, None)
        table.play(accepted(task, table.rules, table.position)[-1])
        table.carry_out()
        assert not table.lesson.is_wrong
    assert table.lesson.is_done


@pytest.mark.parametrize(("game", "slug"), [("fightopia", "shoot"), ("fightopia", "blocked-shot")])
def test_a_lesson_is_learned_at_a_table(game: str, slug: str) -> None:
    walk(game, slug)


@pytest.mark.long
@pytest.mark.parametrize(("game", "slug"), LESSONS)
def test_every_lesson_is_learned_at_a_table(game: str, slug: str) -> None:
    walk(game, slug)


def test_an_illegal_answer_gets_the_reason_of_the_referee() -> None:
    table = LessonTable("fightopia", "pawn")
    source, target = table.rules.grid.cells("c3 c5")
    table.rig.become(table.rig.pieces.lift(source))
    table.rig.advance(300)
    table.rig.become(table.rig.pieces.drop(target))
    table.rig.advance(2500)
    assert table.view.fault is not None
    assert table.view.fault.violation.rule == "pawn-shape"
    assert prompt(table.view, load("en", "fightopia", table.view.sides)).startswith("The pawn moves one cell")
    table.put_right()
    assert not table.lesson.is_wrong


def test_what_a_lesson_shows_on_lamps_display_page_and_by_voice() -> None:
    table = LessonTable("fightopia", "pawn")
    words = load("en", "fightopia", table.view.sides)
    lit = {table.rules.grid.name(cell): said for cell, said in meanings(table.view).items()}
    assert lit == {"c3": Meaning.LESSON, "d4": Meaning.LESSON}
    count = len(course("fightopia").slugs)
    assert text.render(table.view, words) == ("White to move", f"Lesson 1/{count}")
    shown = page.render(Shown(table.view), words)
    assert shown["prompt"] == "Move the pawn from c3 to d4."
    assert shown["lesson"] is not None
    assert shown["lesson"]["heading"] == f"Lesson 1 of {count}: The pawn"
    assert [said.text for said in voice.render(table.view, words)] == [
        f"{shown['lesson']['says']} {shown['prompt']}"
    ]
    table.play("c3-c4")
    wrong = "That was one cell, too. But the pawn is to go to d4."
    assert prompt(table.view, words) == wrong
    assert [said.text for said in voice.render(table.view, words)] == [wrong]
    table.put_right()
    assert text.render(table.view, words)[0] == "Try again"
    assert prompt(table.view, words) == f"{wrong} Move the pawn from c3 to d4."
    table.play("c3-d4")
    assert text.render(table.view, words)[0] == "Right!"
    assert prompt(table.view, words) == "Right. The lesson is done."
    assert page.render(Shown(table.view), words)["commands"] == ["repeat-lesson", "next-lesson", "new-game"]
    assert [said.text for said in voice.render(table.view, words)] == ["Right. The lesson is done."]


def test_a_press_after_a_lesson_leads_to_the_next_one() -> None:
    table = LessonTable("fightopia", "pawn")
    table.press()
    assert table.teacher.take_next() == ""
    table.play("c3-d4")
    table.press()
    assert table.teacher.take_next() == "giant"
    assert table.teacher.take_next() == ""


def test_no_gesture_ends_a_lesson() -> None:
    for gestures in Gestures:
        started = begin(
            Begin(GameSetup("chess", lesson=course("chess").slugs[0])),
            PlayOptions(GameSetup("chess"), gestures=gestures),
            "en",
        )
        assert started.header.gestures is Gestures.OFF
