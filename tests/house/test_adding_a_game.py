# SPDX-License-Identifier: Apache-2.0
"""One test names every file and row that a game lacks, all at once.

Every game needs words in every language, counts of move sequences and a playthrough. Without the
rest it can be played: it is searched by its rules alone, its card says how large its board is, its
rules are shown in brief. A row in the README presents a game, and then the rest is asked for, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from companion.feedback.wordfiles import ENGLISH, languages, read_common, read_game
from companion.feedback.words import load
from companion.games import _template, find, slugs
from companion.model.game import Game
from companion.opponent.find import knowledge_of
from tests.games.support import boards, module, sources
from tests.readme import PRESENTED
from tests.words import called_with

ROOT: Final = Path(__file__).resolve().parents[2]
WORDS: Final = "companion/feedback/words/{language}/{slug}.toml"
NEEDED: Final = ("tests/games/perft/{slug}.toml", "tests/games/playthroughs/{slug}.txt")
NEEDED_TO_PRESENT: Final = (
    "companion/lessons/{slug}.toml",
    "companion/opponent/puzzles/{slug}.toml",
    "docs/images/{slug}.png",
    "tests/host/table/claims/{module}.py",
    "tests/referee/golden/views/{slug}.txt",
)
TRANSLATED_TO_PRESENT: Final = (
    "companion/feedback/rulebooks/{language}/{slug}.toml",
    "companion/lessons/words/{language}/{slug}.toml",
)
ROWS_TO_PRESENT: Final = (
    ("companion/host/start_page/games.toml", "[{slug}]"),
    ("companion/opponent/levels.toml", "[games.{slug}]"),
    ("tests/games/drawn_options.py", '"{slug}": '),
    ("tests/host/table/test_drop_reasons.py", '"{slug}": '),
    ("tests/page/readme_picture.py", '"{slug}": '),
)
"""A file, and how the row in it begins."""
LEAST_WEIGHTS: Final = 4


def lacking(game: Game, *, is_presented: bool) -> list[str]:
    """The files and rows that *game* lacks, each with its path."""
    return [*_lacking_to_play(game), *(_lacking_to_present(game) if is_presented else ())]


def _lacking_to_play(game: Game) -> Iterator[str]:
    for language in languages():
        path = WORDS.format(language=language, slug=game.slug)
        if (ROOT / path).is_file():
            yield from (f"{path}: {row}" for row in _missing_words(language, game))
        else:
            yield path
    yield from _missing_files(NEEDED, game)


def _lacking_to_present(game: Game) -> Iterator[str]:
    yield from _missing_files(NEEDED_TO_PRESENT, game)
    for language in languages():
        yield from _missing_files(TRANSLATED_TO_PRESENT, game, language)
    for path, row in ROWS_TO_PRESENT:
        yield from _missing_row(path, row.format(slug=game.slug))
    for board in boards(game):
        yield from _missing_row("companion/model/tags.py", f'"{board}"')
    if len(knowledge_of(game.rules()).weight) < LEAST_WEIGHTS:
        yield f"companion/opponent/{module(game)}.py: {LEAST_WEIGHTS} weights at least"


def _missing_files(paths: tuple[str, ...], game: Game, language: str = ENGLISH) -> Iterator[str]:
    for path in (each.format(slug=game.slug, module=module(game), language=language) for each in paths):
        if not (ROOT / path).is_file():
            yield path


def _missing_row(path: str, row: str) -> Iterator[str]:
    if row not in (ROOT / path).read_text(encoding="utf-8"):
        yield f"{path}: {row}"


def _missing_words(language: str, game: Game) -> Iterator[str]:
    """The rows that the words of *game* lack: what its source names, and its options."""
    rules, common, files = game.rules(), read_common(language), sources(game)
    words, spoken = read_game(language, game.slug, common), load(language, game.slug, rules.sides)
    kinds = {piece.kind for piece, _ in rules.placement(rules.initial()).entries}
    rows = {
        "sides": (set(rules.sides), {*words.sides, *common.sides}),
        "kinds": (kinds, {*words.kinds}),
        "violations": (
            called_with(files, "Violation.of", 0) | called_with(files, "Violation", 0),
            {*words.violations, *common.violations},
        ),
        "terminations": (called_with(files, "Outcome", 1), {*words.terminations, *common.terminations}),
        "counts": (called_with(files, "Count", 0), {*words.counts}),
    }
    for table, (wanted, found) in rows.items():
        yield from (f"[{table}] {name}" for name in sorted(wanted - found))
    for option in game.options:
        named = spoken.option(option.name)
        values = set() if named is None else {*named.values}
        missing = sorted(set(option.values) - {"file"} - values)
        if named is None or missing:
            yield f"[options.{option.name}] {', '.join(missing)}"


@pytest.mark.parametrize("slug", slugs())
def test_a_game_has_every_file_and_row_that_it_needs(slug: str) -> None:
    missing = lacking(find(slug), is_presented=slug in PRESENTED)
    if missing:
        pytest.fail("\n".join([f"{slug} lacks:", *missing]), pytrace=False)


def test_what_a_new_game_lacks_is_named_at_once() -> None:
    """The game to copy has no row and no file under its own name."""
    missing = lacking(_template.GAME, is_presented=True)
    assert missing[: len(languages())] == [
        f"companion/feedback/words/{code}/runners.toml" for code in languages()
    ]
    assert {
        "tests/games/perft/runners.toml",
        "companion/feedback/rulebooks/ja/runners.toml",
        "companion/host/start_page/games.toml: [runners]",
        'companion/model/tags.py: "runners 2x4"',
        "companion/opponent/runners.py: 4 weights at least",
    } <= {*missing}
    assert lacking(_template.GAME, is_presented=False) == missing[: len(languages()) + len(NEEDED)]


def test_a_row_that_the_words_lack_is_named() -> None:
    """The rules of chess call for other words than those of the game to copy."""

    class Named(type(_template.GAME)):  # type: ignore[misc]
        """The game to copy, with the words of chess."""

        slug = "chess"

    rows = list(_missing_words("en", Named()))
    assert {"[sides] first", "[kinds] runner", "[options.reach] 1, 2"} <= {*rows}
