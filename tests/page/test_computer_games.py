# SPDX-License-Identifier: Apache-2.0
"""Whole games against the computer at the virtual table, in a real Chromium."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.feedback.words import load
from companion.games import find, slugs
from companion.host.virtual_table.set_up import pieces_for
from companion.opponent.levels import levels
from companion.opponent.player import choose
from companion.opponent.puzzles import puzzles
from tests.host.opponent.test_engine import program
from tests.opponent.test_search import FORCED
from tests.page.test_every_game import Player

from .conftest import Start

pytestmark = pytest.mark.browser

MOST_PLIES = 400
WEAKEST = {"chess": 2, "fightopia": 1, "martian-chess": 1}
"""Levels up to here take long to win against random moves."""
PERSONS_NODES = 300
OVER = "body[data-phase=finished]"
QUICK = ("close-quarters", 3)
WON = {slug: (text, plies) for slug, text, plies in FORCED if plies <= 3} | {
    "martian-chess": (puzzles("martian-chess", 2)[0].position, 3)
}
"""A position for each game, and the plies in which the side to move wins."""
Person = Callable[[Player, int], str]
"""Returns the text of a legal move for the ply."""


@pytest.fixture
def page(browser: Browser, start: Start) -> Iterator[Page]:
    """A page, closed before the programs end; an error in its console fails the test."""
    del start
    complaints: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 860})
    opened = context.new_page()
    opened.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    opened.on("pageerror", lambda fault: complaints.append(str(fault)))
    yield opened
    context.close()
    assert not complaints


def sat_down(page: Page, slug: str, text: str = "") -> Player:
    """A player at the start of a game, which is *text* or the usual one."""
    rules = find(slug).rules()
    position = rules.read_position(text) if text else rules.initial()
    return Player(page, rules, load("en", slug, rules.sides), position, pieces_for(rules, position))


def at_random(seed: int) -> Person:
    """A person who makes random moves."""
    chance = Random(seed)

    def move(player: Player, ply: int) -> str:
        del ply
        rules, position = player.rules, player.position
        return chance.choice(sorted(rules.write_move(position, each) for each in rules.legal_moves(position)))

    return move


def strong(slug: str) -> Person:
    """A person who wins against the lower levels."""
    level = replace(levels(slug)[-1], nodes=PERSONS_NODES)
    past: list[Any] = []

    def move(player: Player, ply: int) -> str:
        rules, position = player.rules, player.position
        found = choose(rules, position, level, ply, past=past)
        past.append(position)
        return rules.write_move(position, found.move)

    return move


def mated_by_a_fool() -> Person:
    """A person who plays White as if to be mated in two."""
    return lambda _, ply: ("f3", "g4")[ply // 2]


def answered(player: Player, ply: int) -> bool:
    """Wait for the computer's move *ply*, and note it; False if it claims a draw."""
    said = player.page.locator("#moves li").nth(ply)
    expect(said.or_(player.page.locator(OVER)).first).to_be_attached()
    if not said.count():
        return False
    expect(said).to_have_class(re.compile("announced|settled"))
    player.made(said.inner_text().strip())
    player.pieces = pieces_for(player.rules, player.position)
    return True


def play(player: Player, person: Person, computer: int, ply: int = 0, most: int = MOST_PLIES) -> int:
    """Play until the end, or *most* plies, against the side *computer*; the plies played."""
    while player.rules.status(player.position) is None and ply < most:
        if player.position.turn == computer:
            if not answered(player, ply):
                break
        else:
            player.play(person(player, ply))
        ply += 1
    return ply


def ended(player: Player) -> tuple[int, ...]:
    """The winners of a game that has ended on the page; none in a draw."""
    expect(player.page.locator(OVER)).to_be_attached()
    outcome = player.rules.status(player.position)
    return () if outcome is None else outcome.winners


@pytest.mark.long
@pytest.mark.parametrize("slug", slugs())
def test_the_computer_wins_at_the_page_whatever_is_replied(page: Page, start: Start, slug: str) -> None:
    text, plies = WON[slug]
    player = sat_down(page, slug, text)
    computer, number = player.position.turn, len(levels(slug))
    name = player.rules.sides[computer]
    page.goto(start("--computer", name, "--level", str(number), "--position", text, game=slug).address)
    assert play(player, at_random(1), computer, most=plies) == plies
    assert ended(player) == (computer,)


@pytest.mark.timeout(1800)  # some games have two hundred plies
@pytest.mark.parametrize(
    ("slug", "level"),
    [
        pytest.param(slug, each.number, marks=() if (slug, each.number) == QUICK else pytest.mark.long)
        for slug in slugs()
        for each in levels(slug)
    ],
)
def test_a_whole_game_is_played_against_a_level(page: Page, start: Start, slug: str, level: int) -> None:
    page.goto(start("--computer", "2", "--level", str(level), game=slug).address)
    is_weak = level <= WEAKEST.get(slug, 0)
    player = sat_down(page, slug)
    play(player, strong(slug) if is_weak else at_random(level), 1)
    ended(player)


@pytest.mark.long
def test_an_engine_that_crashes_in_mid_game_is_started_again(
    page: Page, start: Start, tmp_path: Path
) -> None:
    engine = program(tmp_path, "plays/plays once/plays", "e7e5/d8h4")
    page.goto(start("--computer", "2", "--level", "8", "--engine", str(engine), game="chess").address)
    player = sat_down(page, "chess")
    play(player, mated_by_a_fool(), 1)
    assert ended(player) == (1,)
    expect(page.locator("#moves li")).to_have_text(["f3", "e5", "g4", "Qh4#"])
    assert (tmp_path / "log.starts").read_text() == "..."  # the first time for its name


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere an engine reads the end of its input")
def test_a_game_goes_on_after_a_kill_while_the_computer_thinks(
    browser: Browser, start: Start, tmp_path: Path
) -> None:
    page, person = browser.new_page(), mated_by_a_fool()
    engine = str(program(tmp_path, "plays/says that it thinks and hangs/plays", "e7e5/d8h4"))
    os.mkfifo(tmp_path / "log.thinks")
    first = start("--computer", "2", "--level", "8", "--engine", engine, game="chess")
    page.goto(first.address)
    player = sat_down(page, "chess")
    play(player, person, 1, most=1)
    with (tmp_path / "log.thinks").open() as thinks:
        assert thinks.readline() == "it thinks\n"
        first.stop(signal.SIGKILL)
        assert thinks.read() == "", "the engine ends with its table"
    page.goto(start("--resume", "--engine", engine, game="chess").address)
    expect(page.locator("#far .name")).to_have_text("Computer (The strongest) · Black")
    play(player, person, 1, 1)
    assert ended(player) == (1,)
    page.close()


@pytest.mark.long
def test_a_game_goes_on_against_its_level_after_a_kill(browser: Browser, start: Start) -> None:
    page, person = browser.new_page(), at_random(5)
    program = start("--computer", "weapons", "--level", "2")
    page.goto(program.address)
    player = sat_down(page, "close-quarters")
    ply = play(player, person, 1, most=2)
    program.stop(signal.SIGKILL)
    page.goto(start("--resume").address)
    expect(page.locator("#moves li")).to_have_count(ply)
    expect(page.locator("#far .name")).to_have_text("Computer (Amateur) · Weapons")
    play(player, person, 1, ply)
    ended(player)
    page.close()
