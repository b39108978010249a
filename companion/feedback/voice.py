# SPDX-License-Identifier: Apache-2.0
"""Spoken messages: result, reason of an illegal move, question, CHECK! and ESCAPE!

Rule: they depend on the view alone. A speaker says the messages that are new since the view before,
so each is spoken once, and again only after it has disappeared in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.feedback.hints import advice_sentences
from companion.feedback.lesson_words import lesson_sentence, lesson_words, reply_sentence, task_sentence
from companion.feedback.prompts import (
    announcement_sentence,
    decided_sentence,
    drawn_to_begin,
    played_sentence,
    question_sentence,
)
from companion.feedback.words import Words
from companion.referee.values.view import LessonView, TableView


@dataclass(frozen=True, slots=True)
class Utterance:
    """One spoken message."""

    key: str
    """Identity of the message, independent of the language."""
    text: str


def render(view: TableView, words: Words) -> tuple[Utterance, ...]:
    """All present messages, the most important first."""
    if view.lesson is not None:
        return tuple(_taught(view.lesson, view, words))
    if view.outcome is not None:
        return (Utterance("outcome", words.outcome(view.outcome)),)
    return _said(view, words)


def _taught(lesson: LessonView, view: TableView, words: Words) -> Iterator[Utterance]:
    """The messages of a lesson, before those of its game."""
    place = f"{lesson.slug} {lesson.task}"
    if lesson.is_done:
        yield Utterance(f"done {place}", lesson_sentence(view, words))
        return
    if lesson.is_wrong:
        yield Utterance(f"wrong {place}", reply_sentence(lesson, view, words))
    yield from _said(view, words)
    if not lesson.is_wrong and view.decider is None:
        says = () if lesson.task else (lesson_words(lesson, view, words).says,)
        yield Utterance(f"task {place}", " ".join((*says, task_sentence(lesson, view, words))))


def _said(view: TableView, words: Words) -> tuple[Utterance, ...]:
    """The messages of a game that goes on."""
    said = []
    if view.fault is not None:
        wrong = view.fault.violation
        said.append(Utterance(f"fault {view.ply} {wrong}", words.sentence(wrong)))
    if view.question is not None:
        said.append(
            Utterance(
                f"question {view.question.ply} {view.question.aspect}",
                question_sentence(view.question, view, words),
            )
        )
    if view.decided is not None:
        said.append(Utterance(f"decided {view.ply}", played_sentence(view.decided, words)))
        to_do = "press" if view.decided.needs_press else next(iter(view.errands), None)
        if to_do is not None:
            said.append(Utterance(f"do {view.ply} {to_do}", decided_sentence(view.decided, view, words)))
    said += [Utterance(f"advice {view.advice}", text) for text in advice_sentences(view, words)]
    if (side := drawn_to_begin(view)) is not None:
        text = words.fill(words.common.notices.drawn, side=words.side(side))
        said.append(Utterance(f"drawn {side}", text))
    for each in view.announcements:
        text = f"{words.cry(each.cry)} {announcement_sentence(each, view, words)}"
        said.append(Utterance(f"{view.ply} {each}", text))
    return tuple(said)
