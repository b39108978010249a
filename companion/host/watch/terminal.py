# SPDX-License-Identifier: Apache-2.0
"""Replay of a stored game in the terminal, with pause, steps, jumps and speed.

Its rule: input is read by lines, as at a table's terminal, so that it works everywhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rich.console import Console
from rich.text import Text

from companion.feedback import letters
from companion.feedback.letters import Letters
from companion.feedback.lights import Meaning
from companion.feedback.screen import Size, wrapped
from companion.feedback.words import Words
from companion.host.records.frames import Scene, changed, letters_of, scenes
from companion.host.records.records import outcome_of, rules_of
from companion.host.terminal.display import FullScreen, can_draw
from companion.host.terminal.keyboard import Lines, keyboard
from companion.model.grid import Grid
from companion.model.notation import GameRecord

FASTEST_S, SLOWEST_S = 0.1, 60.0


@dataclass(frozen=True, slots=True)
class Playback:
    """State of a replay."""

    last: int
    """Index of the last scene; the first is 0."""
    at: int = 0
    is_playing: bool = True
    seconds: float = 1.5
    """Interval between two scenes."""

    def typed(self, line: str) -> Playback | None:
        """Return the state after input *line*; None to leave. Unknown input changes nothing."""
        word = line.strip().casefold()
        if word.isdecimal():
            return self.to(int(word))
        obeyed: dict[str, Callable[[], Playback | None]] = {
            "": lambda: replace(self, is_playing=False) if self.is_playing else self.to(self.at + 1),
            "n": lambda: self.to(self.at + 1),
            "b": lambda: self.to(self.at - 1),
            "p": self.played,
            "+": lambda: replace(self, seconds=max(self.seconds / 2, FASTEST_S)),
            "-": lambda: replace(self, seconds=min(self.seconds * 2, SLOWEST_S)),
            "q": lambda: None,
        }
        return obeyed.get(word, lambda: self)()

    def to(self, scene: int) -> Playback:
        """Return the state stopped at *scene*, or at the nearest valid one."""
        return replace(self, at=min(max(scene, 0), self.last), is_playing=False)

    def played(self) -> Playback:
        """Toggle pause; after the last scene, restart."""
        if self.is_playing:
            return replace(self, is_playing=False)
        return replace(self, is_playing=True, at=0 if self.at == self.last else self.at)

    def ticked(self) -> Playback:
        """Advance by one scene if playing; stop at the last."""
        if not self.is_playing:
            return self
        following = min(self.at + 1, self.last)
        return replace(self, at=following, is_playing=following < self.last)


@dataclass(frozen=True, slots=True)
class GameReplay:
    """A stored game prepared for replay."""

    grid: Grid
    words: Words
    written: Letters
    scenes: tuple[Scene, ...]
    ending: str
    """Text below the last scene."""

    @classmethod
    def of(cls, record: GameRecord, words: Words) -> GameReplay:
        """Prepare *record*. Raises `CompanionError` if the game's rules reject it."""
        outcome = outcome_of(record)
        ending = record.result if outcome is None else words.outcome(outcome)
        return cls(rules_of(record).grid, words, letters_of(record, words), scenes(record), ending)

    def picture(self, number: int, columns: int = 80) -> list[Text]:
        """Return the board of scene *number*, with its changed cells marked, and its move."""
        scene = self.scenes[number]
        occupied = scene.placement.occupancy
        said = {
            cell: Meaning.LAST_TO if occupied >> cell & 1 else Meaning.LAST_FROM
            for cell in changed(self.scenes, number)
        }
        lines = letters.board(self.grid, scene.placement, self.written, said, columns=columns)
        captions = [scene.caption, *([self.ending] if number == len(self.scenes) - 1 else [])]
        return [*lines, *(Text(line, style="bold") for text in captions for line in wrapped(text, columns))]

    def screen(self, playback: Playback, size: Size) -> list[Text]:
        """Return the picture at *playback*, its state, and the commands."""
        sign = "▶" if playback.is_playing else "■"
        state = f"{sign} {playback.at}/{playback.last} · {playback.seconds:g} s"
        below = [
            Text(line, style="dim")
            for text in (state, self.words.common.typed.replay)
            for line in wrapped(text, size.columns)
        ]
        return [*self.picture(playback.at, size.columns)[: size.rows - len(below)], *below]


def watch(record: GameRecord, words: Words, console: Console, seconds: float) -> None:
    """Replay *record* on *console*, *seconds* per move; print all boards if it is no terminal.

    Raises `CompanionError` if the game's rules reject it.
    """
    replay = GameReplay.of(record, words)
    if can_draw(console):
        asyncio.run(_watch(replay, console, seconds))
        return
    for number in range(len(replay.scenes)):
        lines = (line.plain.rstrip() for line in replay.picture(number, console.width))
        console.print("\n".join(lines), markup=False, soft_wrap=True, highlight=False)


async def _watch(replay: GameReplay, console: Console, seconds: float) -> None:
    """Run the replay of *replay* on a terminal."""
    lines: Lines = asyncio.Queue()
    keyboard(lines)
    playback: Playback | None = Playback(len(replay.scenes) - 1, seconds=max(seconds, FASTEST_S))
    with FullScreen(console) as display:
        while playback is not None:
            display.show(replay.screen(playback, display.size()), ())
            for line in await _typed(lines, playback.seconds):
                display.typed()
                playback = None if line is None else playback.typed(line)
                break
            else:
                playback = playback.ticked()


async def _typed(lines: Lines, seconds: float) -> Sequence[str | None]:
    """Return the next line; none within *seconds*."""
    try:
        async with asyncio.timeout(seconds):
            return [await lines.get()]
    except TimeoutError:
        return []
