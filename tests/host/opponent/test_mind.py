# SPDX-License-Identifier: Apache-2.0
"""The process that thinks foresees questions, and answers them as if they were asked."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest

from companion.games import find, slugs
from companion.host.opponent.mind import Mind, Work, questions_ahead
from companion.host.opponent.protocol import LEVELS, QUIT, REST, STOP
from companion.host.opponent.thinker import Ahead, SearchInput, Thinker
from companion.host.opponent.worker import serve
from companion.opponent.levels import find_level
from companion.opponent.player import choose

CHESS = find("chess").rules()
LONG_MS = 3_600_000


def ahead_of(slug: str, *levels: int, most_ms: int = LONG_MS) -> dict[str, Any]:
    rules = find(slug).rules()
    return {
        "game": slug,
        "options": dict(rules.options),
        "position": rules.write_position(rules.initial()),
        "past": [],
        "most_ms": most_ms,
        LEVELS: list(levels),
        "seed": 5,
    }


def served(lines: list[str]) -> list[dict[str, Any]]:
    """The answers to *lines*; each is sent when the mind is idle."""
    mind, answers = Mind(), io.StringIO()

    def when_idle() -> Iterator[str]:
        for line in lines:
            yield line
            assert mind.is_idle.wait(60)

    serve(when_idle(), answers, mind)
    return [json.loads(line) for line in answers.getvalue().splitlines()]


@pytest.mark.parametrize("slug", slugs())
def test_an_answer_that_was_found_ahead_is_that_of_the_question(slug: str) -> None:
    rules = find(slug).rules()
    ahead = ahead_of(slug, 0, 2)
    likeliest, *_ = questions_ahead(ahead, lambda: False)
    (found,) = served([json.dumps(ahead), json.dumps({**likeliest, "most_ms": 0})])
    position = rules.read_position(likeliest["position"])
    past = [rules.read_position(text) for text in likeliest["past"]]
    usual = choose(rules, position, find_level(slug, "2"), 6, past=past)
    assert (found["move"], found["nodes"]) == (rules.write_move(position, usual.move), usual.nodes)
    assert found["ms"] == 0


def test_the_question_itself_is_foreseen_where_the_computer_is_to_move() -> None:
    ahead = ahead_of("close-quarters", 3, 0)
    (question,) = questions_ahead(ahead, lambda: False)
    assert question == {**{key: ahead[key] for key in ahead if key != LEVELS}, "level": "3"}


def test_replies_after_which_the_computer_does_not_move_are_left_out() -> None:
    martian = find("martian-chess").rules({"players": "3"})
    ahead = {**ahead_of("martian-chess", 0, 0, 3), "options": dict(martian.options)}
    ahead["position"] = martian.write_position(martian.initial())
    assert [*questions_ahead(ahead, lambda: False)] == []


def foreseen(mind: Mind) -> Work:
    work = mind.next()
    assert work is not None
    assert work.is_foreseen
    return work


def thinking_ahead() -> tuple[Mind, Work]:
    """A mind that thinks about the likeliest reply."""
    mind = Mind()
    mind.take(json.dumps(ahead_of("chess", 0, 8)))
    return mind, foreseen(mind)


def test_a_question_that_is_thought_about_already_is_not_begun_again() -> None:
    mind, work = thinking_ahead()
    mind.take(json.dumps({**work.question, "most_ms": 5000}))
    assert not work.limits.is_over()
    mind.keep(work, {"move": "e5", "ms": 77})
    asked = mind.next()
    assert asked is not None
    assert not asked.is_foreseen
    assert mind.ready(asked.question) == {"move": "e5", "ms": 0}
    assert mind.ready(asked.question) is None


def after(work: Work) -> str:
    """The line for thinking ahead while the reply of *work* is made."""
    question = {name: value for name, value in work.question.items() if name != "level"}
    return json.dumps({**question, LEVELS: [0, 8]})


def test_what_was_found_for_a_reply_is_kept_while_it_is_made() -> None:
    mind, work = thinking_ahead()
    mind.keep(work, {"move": "e5", "ms": 77})
    other = foreseen(mind)
    mind.take(after(work))
    assert other.limits.is_over()
    mind.take(json.dumps({**work.question, "most_ms": 5000}))
    asked = mind.next()
    assert asked is not None
    assert mind.ready(asked.question) == {"move": "e5", "ms": 0}


def test_the_search_for_a_reply_goes_on_while_it_is_made() -> None:
    mind, work = thinking_ahead()
    mind.take(after(work))
    assert not work.limits.is_over()
    mind.keep(work, {"move": "e5", "ms": 77})
    mind.take(json.dumps(work.question))
    asked = mind.next()
    assert asked is not None
    assert mind.ready(asked.question) == {"move": "e5", "ms": 0}


def test_no_more_answers_are_kept_than_can_be_asked_for() -> None:
    mind, first = thinking_ahead()
    for number in range(100):
        mind.keep(Work({**first.question, "seed": number}, first.limits, is_foreseen=True), {"ms": 1})
    assert mind.ready({**first.question, "seed": 0}) is None
    mind.keep(first, {"ms": 1})
    assert mind.ready(first.question) == {"ms": 0}


@pytest.mark.parametrize("line", [REST, QUIT, json.dumps({**ahead_of("chess", 0, 8), "level": "1"})])
def test_other_news_end_what_is_foreseen(line: str) -> None:
    mind, work = thinking_ahead()
    mind.take(line)
    assert work.limits.is_over()
    mind.keep(work, {"move": "e5", "ms": 77})
    assert mind.ready(work.question) is None


def test_to_stop_is_for_questions_that_are_asked() -> None:
    mind, work = thinking_ahead()
    mind.take(STOP)
    assert not work.limits.is_over()
    mind.take(json.dumps(work.question))
    mind.take(STOP)
    assert work.limits.is_over()
    assert not work.limits.is_dropped


def test_a_question_ends_what_was_foreseen_before_it() -> None:
    mind, work = thinking_ahead()
    mind.take(json.dumps({**work.question, "position": work.question["past"][0]}))
    asked = mind.next()
    assert asked is not None
    assert not asked.is_foreseen
    mind.take(QUIT)
    assert asked.limits.is_over()
    assert mind.next() is None


def test_the_process_leaves_what_it_foresees_for_a_question() -> None:
    """`tests/opponent/test_search.py` counts the positions until a search has ended."""
    end = CHESS.read_position("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")

    async def ask() -> bool:
        thinker = Thinker()
        try:
            assert await thinker.proves(SearchInput(CHESS, end), 0, 1)
            thinker.think_ahead(Ahead(SearchInput(CHESS, CHESS.initial(), most_ms=LONG_MS), (0, 8), 1))
            return await thinker.proves(SearchInput(CHESS, end), 0, 1)
        finally:
            await thinker.kill()

    assert asyncio.run(ask())


def test_a_process_whose_search_is_not_wanted_is_ended() -> None:
    async def cancel() -> None:
        thinker = Thinker()
        search = asyncio.create_task(thinker.analyse(SearchInput(CHESS, CHESS.initial(), most_ms=LONG_MS)))
        await asyncio.sleep(0)
        search.cancel()
        await asyncio.gather(search, return_exceptions=True)
        await thinker.kill()  # returns when the process has ended

    asyncio.run(cancel())
