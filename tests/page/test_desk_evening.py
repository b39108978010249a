# SPDX-License-Identifier: Apache-2.0
"""An evening of forty boards, eighty players and seven rounds, with two arbiters.

The program is the real one, killed once; whole games are played at its tables. The presses and
keys of each act are printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.counted import Counted, state_of, written
from tests.page.desks import PASSWORD, companion, play
from tests.page.table_hands import play_games
from tests.ports import free_port
from tests.programs import Program

pytestmark = pytest.mark.browser

BOARDS, PLAYERS, ROUNDS = 40, 79, 7
HALF = BOARDS // 2
PATIENCE_MS = 120_000
"""For what all boards do at once, on a machine with much else to do."""
ANNOUNCED = {"is": "Opened", "key": "open", "name": "Open", "format": "swiss", "game": "close-quarters"}

ASK = """async ([path, body]) => {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${sessionStorage.getItem("token")}` };
  const reply = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(await reply.text());
}"""


def hall(folder: Path, port: int) -> tuple[Program, dict[str, str]]:
    """A hall with its boards, and the addresses of their tables."""
    named = [f"--board=b{number}=close-quarters" for number in range(1, BOARDS + 1)]
    program = companion(folder, "hall", f"--http-port={port}", "--clock=15", *named)
    assert program.stdout is not None
    tables: dict[str, str] = {}
    while len(tables) < BOARDS:
        line = program.stdout.readline()
        assert line, "the hall ended"
        if "the table is at" in line:
            tables[line.partition(":")[0]] = line.split()[-1]
    return program, tables


@contextmanager
def desk_of(browser: Browser, port: int, name: str) -> Iterator[Page]:
    """The desk of arbiter *name*."""
    context = browser.new_context(locale="en-GB", viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.on("pageerror", lambda fault: pytest.fail(str(fault)))
    page.goto(f"http://127.0.0.1:{port}/arbiter")
    log_in(page, name)
    yield page
    context.close()


def log_in(page: Page, name: str) -> None:
    """Log *name* in, and wait for the boards."""
    page.locator("input[type=password]").wait_for()
    page.locator("input").first.fill(name)
    page.locator("input[type=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator(".tile")).to_have_count(BOARDS)


def round_begins(hands: Counted, number: int, tables: int) -> None:
    """Pair round *number* of so many *tables*, seat it and start its clocks."""
    desk = hands.desk
    hands.press(desk.get_by_role("button", name="Pair the next round"))
    hands.done(
        "pair a round",
        lambda: expect(desk.locator("#tournaments h4").first).to_have_text(f"Round {number}"),
    )
    hands.press(desk.get_by_role("button", name="Seat at the boards…"))
    hands.press(desk.get_by_role("button", name="Do it"))
    last = desk.locator(".tile .who").nth(tables - 1)
    hands.done("seat a round", lambda: expect(last).not_to_be_empty(timeout=PATIENCE_MS))
    expect(desk.locator('.tile[title^="Table "][data-state="ready"]')).to_have_count(
        tables, timeout=PATIENCE_MS
    )
    hands.type("s")
    hands.type("\n")
    hands.done(
        "start all clocks",
        lambda: expect(desk.locator('[title^="Table "][data-state="thinking"]')).to_have_count(
            tables, timeout=PATIENCE_MS
        ),
    )


def tile_of(desk: Page, table: int) -> str:
    """The board at which *table* plays."""
    found = desk.locator(f'.tile[title^="Table {table} "]').get_attribute("data-board")
    assert found is not None
    return found


def games(hands: Counted, tables: dict[str, str], played: range) -> None:
    """Play a whole game at each table of *played*, and confirm what the boards report."""
    desk = hands.desk
    boards = {tile_of(desk, table): table % 2 for table in played}
    play_games(tables, boards)
    expect(desk.locator('.round tr[data-state="reported"]')).to_have_count(len(boards), timeout=PATIENCE_MS)
    hands.type("c")
    expect(desk.get_by_role("dialog")).to_contain_text(str(len(boards)))
    hands.type("\n")
    hands.done(
        "confirm all results",
        lambda: expect(desk.locator('.round tr[data-state="reported"]')).to_have_count(0),
    )


def incidents(ana: Counted, ben: Counted, tables: dict[str, str], browser: Browser) -> None:
    """An illegal move, a flag, a forfeit and a wrong result at four tables."""
    desk = ana.desk
    boards = [tile_of(desk, table) for table in range(1, 5)]
    at_table = browser.new_page()
    at_table.goto(tables[boards[0]])
    play(at_table, "a1-d3")
    expect(desk.locator("#alarms .urgency-3")).to_contain_text("illegal move")
    at_table.close()
    ana.type("g")
    ana.done("go to an alarm", lambda: expect(ben.desk.locator("#alarms .taken")).to_have_count(1))
    ana.press(desk.get_by_role("button", name="Let it stand"))
    ana.press(desk.get_by_role("button", name="Do it"))
    ana.done("let a position stand", state_of(desk, boards[0], "thinking"))
    ana.type("1-\n")
    ana.done("enter a result", state_of(desk, boards[0], "decided"))

    ben.type("2 t\n")
    ben.desk.get_by_label("Seconds").fill("-900")  # what is written is not counted
    ben.type("\n")
    ben.done("take time until the flag falls", state_of(ben.desk, boards[1], "flag"))
    reported = ben.desk.locator('.round tr[data-state="reported"]')
    expect(reported).to_have_count(1)  # the book has it a moment after the tile
    ben.type("2 c\n")
    ben.done("confirm a result", state_of(desk, boards[1], "decided"))
    ben.type("3+-\n")
    ben.done("enter a forfeit", state_of(desk, boards[2], "decided"))
    ben.type("4+\n")
    ben.done("enter a result", state_of(ben.desk, boards[3], "decided"))
    ben.type("u")
    ben.done(
        "undo",
        lambda: expect(ben.desk.locator(f'[data-board="{boards[3]}"]')).not_to_have_attribute(
            "data-state", "decided"
        ),
    )
    ben.type("4-\n")
    ben.done("enter a result", state_of(ben.desk, boards[3], "decided"))
    ben.type("4=\n")
    ben.desk.get_by_label("Remark").fill("both sheets say so")
    ben.type("\n")
    ben.done("change a result", written(ben.desk, "½:½ · both sheets say so"))


@pytest.mark.long
@pytest.mark.timeout(900)
def test_two_arbiters_run_seven_rounds_with_few_presses(browser: Browser, tmp_path: Path) -> None:
    for name in ("Ana", "Ben"):
        companion(tmp_path, "hall", "admit", name, "--password", PASSWORD).communicate()
    port = free_port()
    program, tables = hall(tmp_path, port)
    try:
        with desk_of(browser, port, "Ana") as ana_desk, desk_of(browser, port, "Ben") as ben_desk:
            ana, ben = Counted(ana_desk), Counted(ben_desk)
            ana_desk.evaluate(ASK, ["api/acts", ANNOUNCED])
            names = "".join(f"Player {number:02},{2200 - 9 * number}\n" for number in range(PLAYERS))
            ana_desk.evaluate(ASK, ["api/tournaments/open/players", {"csv": f"name,rating\n{names}"}])
            expect(ana_desk.get_by_text(f"Players: {PLAYERS}")).to_be_visible()
            ana_desk.get_by_label("Players as a table").fill("name\nLate Entry\n")
            ana.press(ana_desk.get_by_role("button", name="Enter", exact=True))
            ana.done(
                "enter a player",
                lambda: expect(ana_desk.get_by_text(f"Players: {PLAYERS + 1}")).to_be_visible(),
            )
            for number in range(1, ROUNDS + 1):
                count = BOARDS if number <= 4 else BOARDS - 1  # two players have left
                round_begins(ana, number, count)
                first = 1
                if number == 1:
                    incidents(ana, ben, tables, browser)
                    first = 5
                if number == 3:
                    games(ana, tables, range(first, HALF + 1))
                    first = HALF + 1
                    program.kill()  # the power is cut in the middle of a round
                    program.communicate()
                    expect(ana_desk.locator("#link")).to_have_attribute("data-state", "lost")
                    program, tables = hall(tmp_path, port)
                    for hands in (ana, ben):  # who was logged in is so still
                        expect(hands.desk.locator("#link")).to_have_attribute("data-state", "connected")
                        expect(hands.desk.locator('.tile[data-state="decided"]')).to_have_count(HALF)
                        expect(hands.desk.locator('[title^="Table "][data-state="thinking"]')).to_have_count(
                            HALF
                        )
                games(ben if number % 2 else ana, tables, range(first, count + 1))
                for hands in (ana, ben):
                    expect(hands.desk.locator('.tile[data-state="decided"]')).to_have_count(count)
                if number == 4:
                    leave(ben, "Player 10", "Player 11")
            print("\nact: presses, keys")
            for act, (presses, keys) in sorted((ana.acts | ben.acts).items()):
                print(f"{act}: {presses}, {keys}")
            assert (ana.exceeding(), ben.exceeding()) == ({}, {})
            assert ana_desk.evaluate("document.documentElement.scrollHeight") == 900
    finally:
        program.terminate()
        program.communicate()


def leave(hands: Counted, *names: str) -> None:
    """Withdraw the players *names*, whose list is open since the beginning."""
    desk = hands.desk
    players = desk.locator("#tournaments details", has_text=re.compile(r"^Players"))
    if not players.evaluate("(list) => list.open"):
        players.locator("summary").click()
    for name in names:
        hands.press(desk.get_by_role("button", name=f"Withdraw: {name}"))
        hands.press(desk.get_by_role("button", name="Do it"))
        hands.done("withdraw a player", written(desk, f"withdrawn · open · {name}"))
