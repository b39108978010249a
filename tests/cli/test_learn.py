# SPDX-License-Identifier: Apache-2.0
"""`companion learn`: lessons in a real terminal, their list, and mistaken names."""

from __future__ import annotations

import os
import re
import signal
import ssl
import sys
from pathlib import Path
from subprocess import PIPE

import pytest
from websockets.sync.client import connect

from companion.cli.main import main
from companion.feedback.lights import LampLevel, palette
from companion.host.journal.journal import read as read_journal
from companion.host.journal.lessons import note_done
from companion.model.observation import SensorKind
from tests.page_reader import PageReader
from tests.programs import Program
from tests.terminals import ScreenOf

pytestmark = pytest.mark.usefixtures("own_folder")


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are another thing there")
def test_lessons_are_learned_by_typing_and_the_next_sitting_goes_on_there(own_folder: Path) -> None:
    with ScreenOf("learn", "fightopia", "--terminal") as seen:
        for typed, then in (
            ("c3-c5", "The pawn moves one cell in any direction: not from c3 to c5."),
            ("right", "Move the pawn from c3 to d4."),
            ("c3-c4", "That was one cell, too. But the pawn is to go to d4."),
            ("c3-d4", "Right. The lesson is done."),
            ("next", "its lower left cell goes from c3 to d4."),
        ):
            seen.until(lambda: "White" in seen.text and "Set up" not in seen.text and "…" not in seen.text)
            seen.type(typed)
            seen.until(lambda then=then: then in " ".join(seen.text.split()))  # type: ignore[misc]
        seen.type("quit")
        assert seen.wait() == 0
    assert not list(own_folder.rglob("*.jsonl"))
    with ScreenOf("learn", "fightopia", "--terminal") as seen:
        seen.until(lambda: "The giant" in seen.text)
        seen.type("quit")
        assert seen.wait() == 0


def test_the_list_says_which_lessons_are_done(capsys: pytest.CaptureFixture[str]) -> None:
    note_done("fightopia", "giant")
    assert main(["learn", "fightopia", "--list"]) == 0
    rows = [line.split(maxsplit=3) for line in capsys.readouterr().out.splitlines()]
    assert ["fightopia", "giant", "✓", "The giant"] in rows
    assert ["fightopia", "pawn", "The", "pawn"] in rows


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name a game, or list the lessons with --list"),
        (["fightopia", "queen"], "there is no lesson 'queen'; lessons are pawn"),
        (["halma"], "there is no game 'halma'"),
    ],
)
def test_mistaken_names_are_answered_with_the_known_ones(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", *words]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_lamps_sensor_and_https_are_those_of_play(own_folder: Path) -> None:
    words = [
        "learn",
        "fightopia",
        "--https",
        "--lamps=quiet",
        "--sensor=occupancy",
        "--no-browser",
        "--http-port=0",
    ]
    said = {**os.environ, "XDG_DATA_HOME": str(own_folder), "PYTHONUNBUFFERED": "1"}
    with Program("companion", words, stdout=PIPE, env=said) as program:
        assert program.stdout is not None
        address = next(found[0] for line in program.stdout if (found := re.search(r"https://\S+", line)))
        trusted = ssl.create_default_context(
            cafile=own_folder / "companion" / "certificates" / "authority.pem"
        )
        with connect(f"{address.replace('http', 'ws', 1)}ws", ssl=trusted) as line:
            state = next(
                each for each in map(PageReader().take, line) if each.get("lamps", {}).get("palette")
            )
        quiet = [[*look.rgb, *look.rgb2, look.period_ms, look.phase_ms] for look in palette(LampLevel.QUIET)]
        assert state["lamps"]["palette"][: len(quiet)] == quiet
        (journal,) = own_folder.rglob("*.jsonl")
        assert read_journal(journal).header.sensor is SensorKind.OCCUPANCY
        program.send_signal(signal.SIGINT)
        program.stdout.read()
