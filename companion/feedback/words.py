# SPDX-License-Identifier: Apache-2.0
"""Words: the sentences of one game in one language, read strictly from `words/<language>/`.

Rule: a sentence missing at the table becomes a plain readable one; a table never stops for want of a word.
`common.toml` holds what all games share, `<game>.toml` the rest.
A language that has no file for a game borrows the English one; a game without any speaks in its slugs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Final

from companion.feedback.template import PLURALS, Filling, Noun, as_sentence, check, fill
from companion.model.errors import SettingsError
from companion.model.game import Argument, Cry, Outcome, Violation
from companion.model.pieces import Piece, Side
from companion.model.toml import build, parse

SHORT_COLUMNS: Final = 16
"""Width of the narrowest display: what `short` must fit."""
_FALLBACK: Final = "en"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is forbidden or a game has ended, or what is asked."""

    sentence: str
    short: str
    """For a display line: no gaps, at most `SHORT_COLUMNS` letters."""


@dataclass(frozen=True, slots=True)
class OptionWords:
    """A game's option and its values."""

    label: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GameWords:
    """What `<game>.toml` holds, by slug."""

    title: str
    rules: tuple[str, ...]
    """The rules in brief, a sentence each."""
    sides: Mapping[str, Noun] = field(default_factory=dict)
    kinds: Mapping[str, Noun] = field(default_factory=dict)
    nouns: Mapping[str, Noun] = field(default_factory=dict)
    """Whatever else violations speak of."""
    violations: Mapping[str, Reason] = field(default_factory=dict)
    terminations: Mapping[str, Reason] = field(default_factory=dict)
    """Reasons in the middle of a sentence, without a capital or full stop."""
    announcements: Mapping[str, str] = field(default_factory=dict)
    """Where the common ones do not fit this game."""
    options: Mapping[str, OptionWords] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prompts:
    """What the players are told to do next."""

    set_up: str
    turn: str
    lifted: str
    choose: str
    astray: str
    paused: str
    held: str
    adjourned: str
    draw_offered: str


@dataclass(frozen=True, slots=True)
class Notices:
    """What the players should know of the table besides the game."""

    turned: str
    turn_unclear: str
    blind: str
    leaders: str
    """By which gesture the game may be ended."""
    presses: str


@dataclass(frozen=True, slots=True)
class Guides:
    """One thing to put right; those with `owned` also say whose piece it is."""

    put: str
    put_owned: str
    carry: str
    carry_owned: str
    take_off: str
    take_off_owned: str
    faces: str
    """Said after putting or carrying a piece whose facing matters."""


@dataclass(frozen=True, slots=True)
class OutcomeWords:
    """How results are told."""

    win: str
    draw: str
    scores: str


@dataclass(frozen=True, slots=True)
class Display:
    """Lines for the two-line display: short, cut where a name is long, and best written in ASCII."""

    turn: str
    last: str
    put: str
    put_owned: str
    """For a piece that both sides have; the cell first, since a long name is cut."""
    carry: str
    take_off: str
    more: str
    lifted: str
    astray: str
    paused: str
    adjourned: str
    draw_offered: str
    begun: str
    turned: str
    """In its place, if the board lies turned."""
    leaders: str
    """In its place, if the game may be ended by leading pieces in the middle."""
    presses: str
    """In its place, if the game may be ended by presses of a button."""
    check: str
    escape: str
    win: str
    draw: str


@dataclass(frozen=True, slots=True)
class Typed:
    """What is said about what was typed at a terminal."""

    hint: str
    unknown: str
    no_answer: str
    no_side: str
    real_board: str
    not_now: str
    film: str
    """What may be typed while a kept game is watched; the letters are the same in all languages."""
    commands: Mapping[str, str]
    """What is typed for each command: a single word; the English ones are understood in every language."""


@dataclass(frozen=True, slots=True)
class Common:
    """What `common.toml` holds."""

    name: str
    """The language, in itself."""
    plural: str
    """How it counts: a key of `PLURALS`."""
    forms: tuple[str, ...]
    """Forms that every noun of this language has."""
    comma: str
    conjunction: str
    directions: tuple[str, str, str, str, str, str, str, str]
    """Clockwise from the first player's forward."""
    compass: tuple[str, str, str, str, str, str, str, str]
    """The same in letters, for display lines."""
    cries: Mapping[str, str]
    announcements: Mapping[str, str]
    prompts: Prompts
    notices: Notices
    guides: Guides
    outcome: OutcomeWords
    questions: Mapping[str, Reason]
    """What is asked, by aspect."""
    display: Display
    typed: Typed
    told: Mapping[str, str]
    """What the terminal from which a game was begun is told besides."""
    sides: Mapping[str, Noun]
    """Sides that many games have."""
    kinds: Mapping[str, Noun]
    """Kinds that no game has: what is only known to be there."""
    options: Mapping[str, OptionWords]
    """Options that many games have."""
    violations: Mapping[str, Reason]
    terminations: Mapping[str, Reason]
    health: Mapping[str, str]
    """What a panel may complain of."""
    camera: Mapping[str, str]
    """How it stands with a camera, and what keeps it from seeing well."""
    labels: Mapping[str, str]
    """Buttons and headings of the page."""


@dataclass(frozen=True, slots=True)
class Words:
    """All that can be said about one game in one language."""

    language: str
    common: Common
    game: GameWords
    sides: tuple[str, ...]
    """Slugs of the sides in the order of the turns, as in `Rules.sides`."""

    def fill(self, template: str, **fillings: Filling) -> str:
        """*template*, one of this language, as a sentence."""
        return as_sentence(template, fillings, self.common.plural)

    def side(self, side: Side) -> Noun:
        """The name of *side*."""
        slug = self.sides[side]
        return self.game.sides.get(slug) or self.common.sides.get(slug) or Noun(_plain(slug))

    def several(self, sides: Sequence[Side]) -> Noun:
        """One noun for *sides*: its forms are the forms of all of them, listed."""
        nouns = [self.side(side) for side in sides]
        if len(nouns) == 1:
            return nouns[0]

        def listed(form: str) -> str:
            return self.listed([getattr(noun, form) or noun.name for noun in nouns])

        return Noun(
            **{form: listed(form) for form in ("name", "the", "acc", "gen", "dat", "short")}, many=True
        )

    def piece(self, piece: Piece) -> Noun:
        """The name of *piece*, which knows its side's."""
        known = self.game.kinds.get(piece.kind) or self.common.kinds.get(piece.kind)
        kind = known or Noun(_plain(piece.kind))
        if piece.side is None:
            return kind
        owner = self.side(piece.side)
        return dataclasses.replace(kind, side=owner.own or owner.name)

    def pose(self, pose: str) -> Noun:
        """The name of a pose: which face is up, or lying there as a wreck."""
        return self.game.nouns.get(pose) or Noun(_plain(pose))

    def sentence(self, violation: Violation) -> str:
        """The rule that *violation* breaks, in words a player understands."""
        reason = _reason(violation.rule, self.game.violations, self.common.violations)
        return self.fill(reason.sentence, rule=_plain(violation.rule), **self._fillings(violation.arguments))

    def short(self, violation: Violation) -> str:
        """The rule that *violation* breaks, in `SHORT_COLUMNS` letters."""
        return _reason(violation.rule, self.game.violations, self.common.violations).short

    def option(self, name: str) -> OptionWords | None:
        """The words for the option *name*, or None if there are none."""
        return self.game.options.get(name) or self.common.options.get(name)

    def cry(self, cry: Cry) -> str:
        """What is called out."""
        return self.common.cries[cry]

    def announcement(self, cry: Cry) -> str:
        """The template that tells who could win next turn, with the gaps `side`, `causes` and `targets`."""
        return self.game.announcements.get(cry) or self.common.announcements[cry]

    def outcome(self, outcome: Outcome) -> str:
        """Who has won and why, with the points where the game counts them."""
        told = self.common.outcome.win if outcome.winners else self.common.outcome.draw
        reason = _reason(outcome.termination, self.game.terminations, self.common.terminations).sentence
        losers = [side for side in range(len(self.sides)) if side not in outcome.winners]
        names = {"winner": self.several(outcome.winners), "loser": self.several(losers)}
        because = fill(reason, {"rule": _plain(outcome.termination), **names}, self.common.plural)
        text = self.fill(told, reason=because, **names)
        if outcome.scores:
            points = self.comma(
                f"{self.side(side).name} {score}" for side, score in enumerate(outcome.scores)
            )
            text = f"{text} {self.fill(self.common.outcome.scores, scores=points)}"
        return text

    def short_termination(self, outcome: Outcome) -> str:
        """Why the game has ended, in `SHORT_COLUMNS` letters."""
        return _reason(outcome.termination, self.game.terminations, self.common.terminations).short

    def comma(self, items: Iterable[str]) -> str:
        """*items* one after another."""
        return self.common.comma.join(items)

    def listed(self, items: Sequence[str]) -> str:
        """*items* as in a sentence: `a, b and c`."""
        first = [self.comma(items[:-1])] if len(items) > 1 else []
        return self.common.conjunction.join([*first, *items[-1:]])

    def _fillings(self, arguments: Iterable[tuple[str, Argument]]) -> dict[str, Filling]:
        """*arguments* with slugs and pieces turned into nouns."""
        return {name: self._filling(argument) for name, argument in arguments}

    def _filling(self, argument: Argument) -> Filling:
        """A piece or known slug as a noun, anything else as it is."""
        if isinstance(argument, Piece):
            return self.piece(argument)
        if isinstance(argument, str):
            tables = (self.game.kinds, self.game.sides, self.game.nouns, self.common.sides)
            return next((table[argument] for table in tables if argument in table), argument)
        return argument


def languages() -> tuple[str, ...]:
    """Codes of the languages there are words for, sorted."""
    return tuple(
        sorted(folder.name for folder in _folder().iterdir() if folder.joinpath("common.toml").is_file())
    )


def load(language: str, game: str, sides: Sequence[str]) -> Words:
    """The words for *game* (a slug) in *language* (a code such as `de`), for its *sides* in turn order.

    Read once for all tables. Raises `SettingsError` for an unknown language or a file that does not say what it must.
    """
    return _load(language, game, tuple(sides))


@cache
def _load(language: str, game: str, sides: tuple[str, ...]) -> Words:
    """The same."""
    if language not in languages():
        raise SettingsError(f"there are no words in {language!r}; languages are {', '.join(languages())}")
    common = read_common(language)
    spoken = next((code for code in (language, _FALLBACK) if _file(code, game).is_file()), None)
    if spoken is None:
        return Words(language, common, GameWords(title=_plain(game).capitalize(), rules=()), sides)
    forms = common if spoken == language else read_common(spoken)
    return Words(language, common, read_game(spoken, game, forms), sides)


def read_common(language: str) -> Common:
    """What all games share in *language*. Raises `SettingsError`."""
    file = _file(language, "common")
    common = build(Common, parse(file.read_text(encoding="utf-8"), file.name), f"{language}/{file.name}")
    if common.plural not in PLURALS:
        raise SettingsError(f"{language}/{file.name}: plural must be one of {', '.join(PLURALS)}")
    _check_all(common, common, f"{language}/{file.name}")
    return common


def read_game(language: str, game: str, common: Common) -> GameWords:
    """What *game* says in the language of *common*. Raises `SettingsError`."""
    file = _file(language, game)
    words = build(GameWords, parse(file.read_text(encoding="utf-8"), file.name), f"{language}/{file.name}")
    _check_all(words, common, f"{language}/{file.name}")
    return words


def texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every template in *value* (words or a part of them) with the key it stands under."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from texts(item, f"{path}.{key}".lstrip("."))
    elif dataclasses.is_dataclass(value) and not isinstance(value, Noun):
        for entry in dataclasses.fields(value):
            yield from texts(getattr(value, entry.name), f"{path}.{entry.name}".lstrip("."))


def _check_all(words: Common | GameWords, common: Common, source: str) -> None:
    """Raise `SettingsError` unless all templates are well formed and all nouns have the language's forms."""
    for key, template in texts(words):
        try:
            check(template, common.plural)
        except ValueError as fault:
            raise SettingsError(f"{source}: {key}: {fault}") from fault
    named = {**words.sides, **words.kinds, **(words.nouns if isinstance(words, GameWords) else {})}
    for slug, noun in named.items():
        missing = [form for form in common.forms if not getattr(noun, form)]
        if missing:
            raise SettingsError(f"{source}: {slug} has no form {missing[0]!r}")


def _reason(slug: str, own: Mapping[str, Reason], shared: Mapping[str, Reason]) -> Reason:
    """The game's words for *slug*, else the common ones, else those for the unknown."""
    return own.get(slug) or shared.get(slug) or shared["unknown"]


def _plain(slug: str) -> str:
    """*slug* with blanks for hyphens."""
    return slug.replace("-", " ")


def _folder() -> Traversable:
    """Where the languages live."""
    return resources.files("companion.feedback") / "words"


def _file(language: str, name: str) -> Traversable:
    """The file *name* of *language*, which need not exist."""
    return _folder() / language / f"{name}.toml"
