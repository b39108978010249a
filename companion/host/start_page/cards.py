# SPDX-License-Identifier: Apache-2.0
"""The games as cards: what each needs, and a picture of its board. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, Literal

from companion import games
from companion.feedback import page
from companion.feedback.lesson_words import course_words
from companion.feedback.page import Json
from companion.feedback.page_types import RegionState
from companion.feedback.wordfiles import ENGLISH, read_common
from companion.feedback.words import load
from companion.host.game_info import words_of
from companion.host.journal.lessons import read_done
from companion.host.records.records import rules_of
from companion.host.watch.drawing import BoardDrawing, style, tag
from companion.lessons.course import course, lessons_of
from companion.model.game import AnyRules, HasRegions
from companion.model.notation import GameRecord, replay
from companion.model.toml import build, parse
from companion.opponent.puzzles import Puzzle, lengths
from companion.opponent.puzzles import games as with_puzzles

if TYPE_CHECKING:
    from companion.feedback.rulebook import Part

_MOST_PICTURES: Final = 500
"""Of boards that are kept in memory."""


@dataclass(frozen=True, slots=True)
class GameFacts:
    """What people want to know of a game before they choose it."""

    players: tuple[int, int]
    """The least and the most."""
    minutes: tuple[int, int]
    sensing: Literal["switches", "asks", "camera"]
    """What its board must sense."""
    position: str = ""
    """The position on its card; empty for the start."""


@cache
def facts() -> dict[str, GameFacts]:
    """Return what is known of the games; a game may be missing. Raises `SettingsError`."""
    file = resources.files("companion.host.start_page") / "games.toml"
    tables = parse(file.read_text(encoding="utf-8"), file.name)
    return {slug: build(GameFacts, table, file.name, slug) for slug, table in tables.items()}


@cache
def cards(language: str) -> list[Json]:
    """Return the cards of all games in *language*. Raises `SettingsError`."""
    return [_card(slug, language) for slug in games.slugs()]


def _card(slug: str, language: str) -> Json:
    """Return the card of one game."""
    words, grid, known = words_of(slug, language), games.find(slug).rules().grid, facts().get(slug)
    said = read_common(language).start
    facts_said = [words.fill(said["cells"], size=_size(grid.files, grid.ranks, len(grid)))]
    if known is not None:
        facts_said = [
            words.fill(said["players"], players=_span(known.players)),
            words.fill(said["minutes"], minutes=_span(known.minutes)),
            *facts_said,
            said[f"sensing-{known.sensing}"],
        ]
    return {
        "slug": slug,
        "title": words.game.title,
        "about": words.game.rules[0],
        "facts": facts_said,
        "lessons": list(lessons_of(slug)),
    }


def _span(ends: tuple[int, int]) -> str:
    """Return a number, or two with a dash."""
    return "–".join(map(str, dict.fromkeys(ends)))


def _size(files: int, ranks: int, cells: int) -> str:
    """Return the size of a board, in cells where it is no rectangle."""
    return f"{files} × {ranks}" if files else str(cells)


def puzzle_json(puzzle: Puzzle, language: str) -> Json:
    """Return what the start page shows of *puzzle*. Raises `SettingsError`."""
    words, rules = words_of(puzzle.game, language), games.find(puzzle.game).rules()
    side = words.side(rules.read_position(puzzle.position).turn)
    return {
        "game": puzzle.game,
        "number": puzzle.number,
        "title": words.game.title,
        "task": words.fill(words.common.start["puzzle-task"], side=side, count=puzzle.moves),
        "lengths": {slug: lengths(slug) for slug in with_puzzles()},
    }


@lru_cache(_MOST_PICTURES)
def picture(slug: str, position: str = "") -> str:
    """Return the board of a game in *position*, or as on its card, as SVG.

    Raises `CompanionError`.
    """
    rules = games.find(slug).rules()
    text = position or _shown(slug)
    return drawn(rules, rules.read_position(text) if text else rules.initial())


def last_picture(record: GameRecord) -> str:
    """Return the board after the last move of *record*, as SVG. Raises `CompanionError`."""
    rules = rules_of(record)
    *_, (position, _) = replay(rules, record)
    return drawn(rules, position)


def drawn(rules: AnyRules, position: Any) -> str:
    """Return the board by *rules* in *position*, as SVG."""
    words = load(ENGLISH, rules.slug, rules.sides)
    drawing = BoardDrawing(page.table(rules.grid, games.find(rules.slug).options, words))
    box = " ".join(f"{side:g}" for side in drawing.bounds)
    entries = rules.placement(position).entries
    standing = [{**page.piece_json(piece, words), "cells": list(cells)} for piece, cells in entries]
    return tag(
        "svg",
        {"xmlns": "http://www.w3.org/2000/svg", "viewBox": box},
        f"<style>{style()}</style>",
        *drawing.board(_regions(rules)),
        *drawing.pieces(standing),
    )


def _regions(rules: AnyRules) -> list[RegionState]:
    return page.regions_json(rules.regions()) if isinstance(rules, HasRegions) else []


def _shown(slug: str) -> str:
    """Return the position on the card of the game; "" for the start."""
    known = facts().get(slug)
    return known.position if known else ""


def rules_json(slug: str, language: str) -> list[Json]:
    """Return the rules of a game under its default options, part by part.

    Raises `UnknownName` and `SettingsError`.
    """
    from companion.feedback import rulebook

    game = games.find(slug)
    words, book = words_of(slug, language), rulebook.load(language, slug)
    is_whole = book is not None and rulebook.has_rulebook(language, slug)
    parts: list[Json] = [] if is_whole else [{"kind": "text", "text": said} for said in words.game.rules]
    if book is not None:
        parts += map(_part, rulebook.explained(book, game.rules(), game.options, words))
    return parts


def _part(part: Part) -> Json:
    """Return *part* of a rulebook for the page."""
    from companion.feedback import rulebook

    match part:
        case rulebook.Heading(text):
            return {"kind": "heading", "text": text}
        case rulebook.Picture(position=position):
            return {"kind": "picture", "text": position}
    return {"kind": "text", "text": str(part)}


def lessons_json(slug: str, language: str) -> Json:
    """Return the lessons of a game, and which of them are done. Raises `SettingsError`."""
    words, said, done = words_of(slug, language), course_words(language, slug).lessons, read_done().of(slug)
    lessons = [{"slug": each, "title": said[each].title, "done": each in done} for each in course(slug).slugs]
    count = sum(each["done"] is True for each in lessons)
    return {
        "lessons": lessons,
        "progress": words.fill(words.common.lessons["progress"], done=count, count=len(lessons)),
    }
