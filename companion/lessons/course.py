# SPDX-License-Identifier: Apache-2.0
"""The lessons of a game, in `<game>.toml`; their sentences are in `words/<language>/<game>.toml`.

Rule: a file that the rules of its game contradict is refused with file, table and key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from companion import games
from companion.model.errors import NotationError, OptionError, SettingsError, UnknownName
from companion.model.game import AnyRules
from companion.model.notation import is_legal
from companion.model.phrase import Phrase
from companion.model.pieces import Side
from companion.model.toml import build, parse, text_of

Claim = Literal["", "captures", "checks", "escapes", "wins", "saves"]
"""What the accepted moves do, and no other move does.

They capture or destroy, announce a threat, win, or keep the opponent from winning next.
"""


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to do: the learner makes one of the accepted moves."""

    accepts: tuple[str, ...]
    """In the game's notation.

    After several answers to an earlier task, each of these is legal after at least one of them, and
    at least one of these after each of them.
    """
    reply: str = ""
    """The opponent's move after any of them; empty if the learner moves no more."""
    shows: tuple[str, ...] = ()
    """Cells whose lamps are lit while the task is open."""
    claim: Claim = ""
    reaches: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The cells that the piece on a cell may enter."""
    illegal: tuple[str, ...] = ()
    """Moves that the sentences call illegal."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A position with tasks; a task begins where the one before it ended."""

    slug: str
    task: tuple[Task, ...]
    position: str = ""
    """In the game's notation; empty for the start position."""
    options: Mapping[str, str] = field(default_factory=dict)

    def rules(self, game: str) -> AnyRules:
        """The rules of *game* under its options."""
        return games.find(game).rules(self.options)

    def start(self, rules: AnyRules) -> Any:
        """The position in which it begins."""
        return rules.read_position(self.position) if self.position else rules.initial()

    def side(self, rules: AnyRules) -> Side:
        """The side that the learner plays."""
        side: Side = self.start(rules).turn
        return side


@dataclass(frozen=True, slots=True)
class Course:
    """The lessons of a game in their order."""

    lesson: tuple[Lesson, ...]

    def find(self, slug: str) -> Lesson:
        """The lesson called *slug*. Raises `UnknownName`."""
        found = next((each for each in self.lesson if each.slug == slug), None)
        if found is None:
            raise UnknownName("there is no lesson {name!r}; lessons are {known}", name=slug, known=self.slugs)
        return found

    @property
    def slugs(self) -> tuple[str, ...]:
        """The names of the lessons."""
        return tuple(each.slug for each in self.lesson)

    def after(self, slug: str) -> str:
        """The lesson that follows *slug*; "" after the last one."""
        following = (*self.slugs, "")
        return following[following.index(slug) + 1]


@cache
def course(game: str) -> Course:
    """The lessons of *game*, a slug. Raises `UnknownName` and `SettingsError`."""
    file = Path(str(resources.files("companion.lessons") / f"{games.find(game).slug}.toml"))
    if not file.is_file():
        raise UnknownName("there are no lessons for {name}; there are for {known}", name=game, known=taught())
    return read(file, game)


@cache
def taught() -> tuple[str, ...]:
    """The slugs of the games that have lessons."""
    folder = resources.files("companion.lessons")
    return tuple(slug for slug in games.slugs() if (folder / f"{slug}.toml").is_file())


def lessons_of(game: str) -> tuple[str, ...]:
    """The slugs of the lessons of *game*; () if it has none. Raises `SettingsError`."""
    return course(game).slugs if game in taught() else ()


def read(file: Path, game: str) -> Course:
    """The lessons of *game* in *file*. Raises `SettingsError` with file, table and key."""
    found = build(Course, parse(text_of(file), str(file)), str(file))
    for number, lesson in enumerate(found.lesson):
        _Check(str(file), f"lesson[{number}]").lesson(lesson, game)
        if lesson.slug in found.slugs[:number]:
            raise _refused(
                str(file), f"lesson[{number}].slug", Phrase("{name!r} is there twice", name=lesson.slug)
            )
    return found


def _refused(source: str, key: str, reason: object) -> SettingsError:
    return SettingsError("{source}: {key}: {reason}", source=source, key=key, reason=reason)


@dataclass(frozen=True, slots=True)
class _Check:
    """A check of one lesson against the rules of its game."""

    source: str
    table: str

    def refuse(self, key: str, reason: object) -> SettingsError:
        """The error about *key*."""
        return _refused(self.source, f"{self.table}.{key}", reason)

    def lesson(self, lesson: Lesson, game: str) -> None:
        """Raise `SettingsError` unless every move of *lesson* is legal where it is made."""
        try:
            rules = lesson.rules(game)
        except OptionError as fault:
            raise self.refuse("options", fault) from fault
        try:
            position = lesson.start(rules)
        except NotationError as fault:
            raise self.refuse("position", fault) from fault
        if not lesson.task:
            raise self.refuse("task", Phrase("a lesson needs one task or more"))
        open_in = [position]
        for number, task in enumerate(lesson.task):
            open_in = self._task(rules, open_in, lesson, number, task)

    def _task(
        self, rules: AnyRules, open_in: Sequence[Any], lesson: Lesson, number: int, task: Task
    ) -> list[Any]:
        """The positions after *task*, which is open in any position of *open_in*."""
        key = f"task[{number}]"
        self._cells(rules, task, key)
        if not task.accepts:
            raise self.refuse(f"{key}.accepts", Phrase("a task needs one accepted move or more"))
        after, answered = [], []
        for place, text in enumerate(task.accepts):
            where = [each for each in open_in if is_legal(rules, each, text)]
            after += [
                self._after(rules, each, text, f"{key}.accepts[{place}]") for each in where or open_in[:1]
            ]
            answered += where
        unanswered = next((each for each in open_in if each not in answered), None)
        if unanswered is not None:
            at = rules.write_position(unanswered)
            raise self.refuse(
                f"{key}.accepts", Phrase("none of these moves is legal in {position}", position=at)
            )
        if task.reply:
            after = [self._after(rules, each, task.reply, f"{key}.reply") for each in after]
        if number + 1 < len(lesson.task) and any(each.turn != open_in[0].turn for each in after):
            raise self.refuse(f"{key}.reply", Phrase("the learner is not to move in the next task"))
        return after

    def _cells(self, rules: AnyRules, task: Task, key: str) -> None:
        """Raise `SettingsError` unless all cells of *task* exist."""
        named = {"shows": task.shows}
        named |= {f"reaches.{cell}": (cell, *cells) for cell, cells in task.reaches.items()}
        for name, cells in named.items():
            for cell in cells:
                try:
                    rules.grid.cell(cell)
                except NotationError as fault:
                    raise self.refuse(f"{key}.{name}", fault) from fault

    def _after(self, rules: AnyRules, position: Any, text: str, key: str) -> Any:
        """The position after the move *text*, which is to be written as in a record."""
        try:
            move = rules.read_move(position, text)
        except NotationError as fault:
            raise self.refuse(key, fault) from fault
        written = rules.write_move(position, move)
        if written != text:
            raise self.refuse(key, Phrase("write {move} instead of {text!r}", move=written, text=text))
        return rules.apply(position, move)
