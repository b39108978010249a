# SPDX-License-Identifier: Apache-2.0
"""A terminal's screen: the board, the state beside it, the prompt below it.

Rule: it depends on view and surroundings alone, fits the given size,
and loses nothing without colour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len, chop_cells
from rich.text import Text

from companion.feedback import letters, lights
from companion.feedback.lesson_words import heading, lesson_words
from companion.feedback.letters import Letters
from companion.feedback.notices import notices
from companion.feedback.prompts import announcement_sentence, choice_label, guide_sentence, prompt, written
from companion.feedback.words import Words
from companion.referee.values.events import Stage
from companion.referee.values.view import ClockView, Phase, TableView

LEAST_BESIDE: Final = 16
"""Columns beside the board below which pieces are written with one letter."""
_GAP: Final = 1
_LEAST_HIGH: Final = 14
"""Minimum of lines used beside a low board, if the screen has them."""
_POINTED: Final = "▸"
"""Mark of the answer selected by two quick presses."""
_GUIDES: Final = 3
"""Largest number of corrections shown at once."""
_RUNNING: Final = "◂"
_UNSURE: Final = "…"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Text that a view does not contain."""

    link: str
    """State of the panel and other sensors, in a line."""
    said: Sequence[str]
    """Earlier messages, the latest last."""
    hint: str
    """Help for the input line."""
    now_ms: int
    players: Sequence[str] = ()
    """Names of the players, by side; empty if unknown."""
    is_flipped: bool = False
    """True to draw the board as the player opposite sees it."""


@dataclass(frozen=True, slots=True)
class Size:
    """Size of a terminal."""

    columns: int
    rows: int


def render(
    view: TableView, words: Words, written: Sequence[Letters], around: Surroundings, size: Size
) -> list[Text]:
    """The lines of the screen, at most `size.rows`, each at most `size.columns` wide.

    *written* are abbreviations of the pieces, the longest first:
    the first that leaves space beside the board is used.
    Lines that do not fit below the board are shown beside it.
    """
    board, room = _board(view, written, size, is_flipped=around.is_flipped)
    free = max(size.rows - len(board), 1)
    now = [line for text in _now(view, words) for line in _wrapped(text, size.columns)]
    link = [Text(line, style="dim") for line in wrapped(around.link, room or size.columns)]
    hint = [Text(line) for line in wrapped(around.hint, size.columns)]
    if room == 0:
        now = [*_summary(view, words, around, size), *now, *link]
    elif len(now) > free:
        now = [*_wrapped(Text(" ").join(_now(view, words)), size.columns)]
    below = [*now[:free], *(hint if len(now) + len(hint) <= free else [])]
    if room == 0:
        return [*board, *below][: size.rows]
    left_over = [part for line in now[free:] for part in _wrapped(line, room)]
    beside = [*_state(view, words, around), *_hands(view, words, written, room), *link, *left_over]
    board += [Text()] * (min(size.rows - len(below), _LEAST_HIGH) - len(board))
    return [*_beside(board, beside, view, words, around, Size(room, size.rows)), *below][: size.rows]


def noteworthy(view: TableView, words: Words) -> list[str]:
    """Messages about *view* that should remain readable, one sentence each."""
    said = [
        f"{words.cry(each.cry)} {announcement_sentence(each, view, words)}" for each in view.announcements
    ]
    if view.fault is not None:
        said.append(words.sentence(view.fault.violation))
    if view.draw_offered_by is not None:
        said.append(words.fill(words.common.prompts.draw_offered, side=words.side(view.draw_offered_by)))
    if view.outcome is not None:
        said.append(words.outcome(view.outcome))
    return said


def clock_time(left_ms: int) -> str:
    """A clock's time for display: tenths in the last ten seconds.

    >>> clock_time(305_000), clock_time(9_440), clock_time(3_600_000), clock_time(-5)
    ('5:05', '0:09.4', '1:00:00', '0:00.0')
    """
    left_ms = max(left_ms, 0)
    if left_ms < 10_000:
        return f"0:{left_ms // 100 / 10:04.1f}"
    minutes, seconds = divmod(-(-left_ms // 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def left_now(clock: ClockView, now_ms: int) -> int:
    """Time left on *clock* at *now_ms*."""
    return clock.left_ms - (now_ms - clock.at_ms if clock.is_running else 0)


def wrapped(text: str, columns: int) -> list[str]:
    """*text* in lines of at most *columns*, broken at blanks if possible.

    >>> wrapped("The Sword moves to a cell.", 10)
    ['The Sword', 'moves to a', 'cell.']
    """
    lines = [""]
    for word in text.split():
        for number, part in enumerate(chop_cells(word, columns)):
            joined = f"{lines[-1]} {part}" if lines[-1] and not number else part
            if lines[-1] and (number or cell_len(joined) > columns):
                lines.append(part)
            else:
                lines[-1] = joined
    return lines


def _board(
    view: TableView, written: Sequence[Letters], size: Size, *, is_flipped: bool
) -> tuple[list[Text], int]:
    """The board with lamps as marks, and the columns beside it; 0 if too few."""
    said = lights.meanings(view)
    lines: list[Text] = []
    for each in written:
        lines = letters.board(
            view.grid, view.placement, each, said, view.occupied, size.columns, is_flipped=is_flipped
        )
        room = size.columns - max(line.cell_len for line in lines) - _GAP
        if room >= LEAST_BESIDE:
            return lines, room
    return lines, 0


def _beside(
    board: list[Text], state: list[Text], view: TableView, words: Words, around: Surroundings, room: Size
) -> list[Text]:
    """*board* with the state, last moves and messages to its right.

    As far as there is *room*.
    """
    wide = max(line.cell_len for line in board) + _GAP
    free = max(len(board) - len(state) - 2, 0)
    log = [Text(line, style="dim") for text in around.said for line in wrapped(text, room.columns)]
    moves = _moves(view, words, room.columns)
    log = _last(log, max(free // 2, free - len(moves)))
    column = [*state, Text(), *_last(moves, free - len(log)), Text(), *log]
    lines = []
    for number, line in enumerate(board):
        other = column[number].copy() if number < len(column) else Text()
        other.truncate(room.columns)
        lines.append(line + Text(" " * (wide - line.cell_len)) + other)
    return lines


def _summary(view: TableView, words: Words, around: Surroundings, size: Size) -> list[Text]:
    """The state and the last round in two lines, for narrow screens."""
    state = "  ".join(line.plain.strip() for line in _state(view, words, around))
    moves = [line.plain for line in _moves(view, words, size.columns)[-1:]]
    return [Text(wrapped(line, size.columns)[0], style="dim") for line in (state, *moves)]


def _last(lines: list[Text], count: int) -> list[Text]:
    """The last *count* of *lines*."""
    return lines[max(len(lines) - count, 0) :]


def _state(view: TableView, words: Words, around: Surroundings) -> Iterator[Text]:
    """The game, and a line for each side with its clock and turn mark."""
    yield Text(words.game.title, style="bold")
    for side in range(len(view.sides)):
        is_turn = side == view.turn and view.phase not in (Phase.FINISHED, Phase.SETTING_UP)
        clock = view.clocks[side] if side < len(view.clocks) else None
        parts = [_RUNNING if is_turn else " ", words.side(side).name]
        if side < len(around.players) and around.players[side]:
            parts.append(f"({around.players[side]})")
        if clock is not None:
            parts.append(clock_time(left_now(clock, around.now_ms)))
            parts += [f"+{clock.spans}"] if clock.spans else []
        if view.scores:
            parts.append(f"· {view.scores[side]}")
        yield Text(" ".join(parts), style="bold" if is_turn else "")


def _hands(view: TableView, words: Words, written: Sequence[Letters], columns: int) -> Iterator[Text]:
    """Pieces in hand of each side, with their number.

    In short with all faces, else in letters.
    """
    for side, hand in enumerate(view.hands):
        counted = Counter(words.piece(piece).short or written[0].write(piece, view.grid) for piece in hand)
        held = " ".join(text if count == 1 else f"{count}×{text}" for text, count in counted.items())
        said = f"{words.side(side).name}: {held or words.common.labels['none']}"
        yield from (Text(line) for line in wrapped(said, columns))


def _moves(view: TableView, words: Words, columns: int) -> list[Text]:
    """The moves, one round per line if it fits, else one move per line."""
    sides = len(view.sides)
    rounds: dict[int, list[str]] = {}
    for move in view.record:
        unsure = _UNSURE if move.stage is Stage.PROVISIONAL else ""
        rounds.setdefault(move.ply // sides, []).append(written(move, words) + unsure)
    lines = [words.common.labels["stood"]] if view.is_start_amended else []
    for number, moves in rounds.items():
        line = f"{number + 1}. {' '.join(moves)}"
        lines += [line] if cell_len(line) <= columns else [f"{number + 1}. {move}" for move in moves]
    return [Text(line) for line in lines]


def _now(view: TableView, words: Words) -> Iterator[Text]:
    """The present messages: lesson, announcements, prompt, corrections, choices, offer."""
    if view.lesson is not None:
        yield Text(heading(view.lesson, view, words), style="bold")
        yield Text(lesson_words(view.lesson, view, words).says)
    for each in view.announcements:
        yield Text(f"{words.cry(each.cry)} {announcement_sentence(each, view, words)}", style="bold red")
    yield Text(prompt(view, words), style="bold")
    for guide in view.errands[:_GUIDES]:
        yield Text(f"→ {guide_sentence(guide, view, words)}")
    if len(view.errands) > _GUIDES:
        yield Text(words.fill(words.common.display.more, count=len(view.errands) - _GUIDES))
    if view.question is not None:
        labels = [choice_label(choice, view.question.aspect, view, words) for choice in view.question.choices]
        shown = (
            f"{_POINTED if number == view.pointed else ''}[{number + 1}] {label.name}"
            for number, label in enumerate(labels)
        )
        yield Text("  ".join(shown))
    if view.draw_offered_by is not None:
        yield Text(words.fill(words.common.prompts.draw_offered, side=words.side(view.draw_offered_by)))
    for notice in notices(view, words):
        yield Text(notice)


def _wrapped(text: Text, columns: int) -> list[Text]:
    """*text* in lines of at most *columns*, in its style."""
    return [Text(line, style=text.style) for line in wrapped(text.plain, columns)]
