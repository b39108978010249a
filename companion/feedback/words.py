# SPDX-License-Identifier: Apache-2.0
"""Words: the sentences of one game in one language.

Rule: a sentence missing at run time is replaced by a plain readable one;
a table never stops for it.
A language without a file for a game uses the English one; a game without any uses its slugs.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from companion.feedback.template import FORMS, Filling, Noun, as_sentence, fill
from companion.feedback.word_tables import Common, GameWords, OptionWords, Reason
from companion.feedback.wordfiles import ENGLISH, has_game, read_common, read_game
from companion.model.game import Argument, CallOut, Count, Outcome, Violation
from companion.model.pieces import STANDING, Piece, Side

_FACE: Final = re.compile(r"([a-z]+)-(\d)")
"""A face in the slug of a piece: its ability and its strength."""
_MOST_CELLS: Final = 2
"""Of a piece, that are named."""


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """All texts about one game in one language.

    Compared by identity: what is composed of them is kept by it.
    """

    language: str
    common: Common
    game: GameWords
    sides: tuple[str, ...]
    """Slugs of the sides in the order of the turns, as in `Rules.sides`."""
    players: tuple[str, ...] = ()
    """Names of the players by side, for results; "" or missing where unknown."""

    def of_players(self, names: Iterable[str]) -> Words:
        """These words, with the *names* of the players by side in results."""
        return dataclasses.replace(self, players=tuple(names))

    def fill(self, template: str, **fillings: Filling) -> str:
        """*template*, one of this language, filled as a sentence."""
        return as_sentence(template, fillings, self.common.language)

    def clause(self, template: str, **fillings: Filling) -> str:
        """*template*, one of this language, filled as a part of a sentence."""
        return fill(template, fillings, self.common.language)

    def side(self, side: Side) -> Noun:
        """The name of *side*."""
        slug = self.sides[side]
        return self.game.sides.get(slug) or self.common.sides.get(slug) or Noun(_plain(slug))

    def several(self, sides: Sequence[Side]) -> Noun:
        """One noun for *sides*, whose forms list those of all sides."""
        return self._together({self.side(side): 1 for side in sides})

    def _player(self, side: Side) -> Noun:
        """The player of *side* with the side, or the side alone."""
        name, noun = "".join(self.players[side : side + 1]), self.side(side)
        return Noun(f"{name} ({noun.name})") if name else noun

    def _players(self, sides: Sequence[Side]) -> Noun:
        """One noun for the players of *sides*."""
        return self._together({self._player(side): 1 for side in sides})

    def pieces(self, pieces: Sequence[Piece], cells: Sequence[str] = ()) -> Noun:
        """One noun for *pieces* on the board: equal ones once, with their number.

        Each is named with its own of *cells*, if there are as many.
        """
        nouns = [*map(self.standing, pieces)]
        if len(cells) == len(nouns):
            nouns = [self._placed(noun, cell) for noun, cell in zip(nouns, cells, strict=True)]
        return self._together(Counter(nouns))

    def _placed(self, noun: Noun, cell: str) -> Noun:
        """*noun* with the cell that it is on."""
        template = self.common.moves["placed"]
        return Noun(
            **{
                form: self.clause(template, piece=getattr(noun, form) or noun.name, cell=cell)
                for form in ("name", *FORMS)
            },
            many=noun.many,
        )

    def _together(self, nouns: Mapping[Noun, int]) -> Noun:
        """One noun for all *nouns*, each with its number, if that is more than one."""
        if [*nouns.values()] == [1]:
            return next(iter(nouns))

        def listed(form: str) -> str:
            return self.listed(
                [
                    (getattr(noun, form) or noun.name) + (f" ({count})" if count > 1 else "")
                    for noun, count in nouns.items()
                ]
            )

        return Noun(**{form: listed(form) for form in ("name", *FORMS)}, many=True)

    def piece(self, piece: Piece) -> Noun:
        """The name of *piece*, with that of its side."""
        kind = self._kind(piece.kind)
        if piece.side is None:
            return kind
        owner = self.side(piece.side)
        return dataclasses.replace(kind, side=owner.own or owner.name)

    def standing(self, piece: Piece) -> Noun:
        """The name of *piece* on the board: its face that is up, if any."""
        is_composed = self.game.composed and piece.pose != STANDING
        return self.pose(piece.pose) if is_composed else self.piece(piece)

    def kind(self, kind: str) -> str:
        """The name of a kind of piece, without its owner."""
        return self._kind(kind).name

    def _kind(self, kind: str) -> Noun:
        """The noun of a kind of piece."""
        known = self.game.kinds.get(kind) or self.common.kinds.get(kind)
        return known or self._composed(kind) or Noun(_plain(kind))

    def pose(self, pose: str) -> Noun:
        """The name of a pose: the face that is up, or a wreck."""
        return self.game.nouns.get(pose) or self._composed(pose) or Noun(_plain(pose))

    def _composed(self, slug: str) -> Noun | None:
        """The noun of a face such as `leap-5`, or of a piece with two faces.

        None if the game has no such names.
        """
        parts = _FACE.findall(slug)
        abilities = [self.game.nouns.get(ability) for ability, _ in parts]
        if not self.game.composed or "-".join(map("-".join, parts)) != slug or None in abilities:
            return None
        faces = [
            self._filled("face", ability=noun, strength=int(strength))
            for noun, (_, strength) in zip(filter(None, abilities), parts, strict=True)
        ]
        return faces[0] if len(faces) == 1 else self._filled("pair", weak=faces[0], strong=faces[1])

    def _filled(self, name: str, **fillings: Filling) -> Noun:
        """The composed noun called *name*, with its gaps filled."""
        template = self.game.composed[name]
        forms = {form: self.clause(getattr(template, form), **fillings) for form in ("name", *FORMS)}
        return Noun(**forms, many=False)

    def sentence(self, violation: Violation) -> str:
        """The rule that *violation* breaks, as a sentence for players."""
        reason = _reason(violation.rule, self.game.violations, self.common.violations)
        return self.fill(reason.sentence, rule=_plain(violation.rule), **self._fillings(violation.arguments))

    def short(self, violation: Violation) -> str:
        """The rule that *violation* breaks, in `SHORT_COLUMNS` letters."""
        return _reason(violation.rule, self.game.violations, self.common.violations).short

    def noun(self, slug: str) -> Noun:
        """The noun of the game called *slug*."""
        return self.game.nouns[slug]

    def option(self, name: str) -> OptionWords | None:
        """The words for the option *name*, or None if there are none."""
        return self.game.options.get(name) or self.common.options.get(name)

    def cry(self, cry: CallOut) -> str:
        """The text of an announcement."""
        return self.common.cries[cry]

    def announcement(self, cry: CallOut) -> str:
        """The template for a threat, with the gaps `side`, `causes` and `targets`."""
        return self.game.announcements.get(cry) or self.common.announcements[cry]

    def outcome(self, outcome: Outcome) -> str:
        """Winner and reason, with the points where the game counts them."""
        template = self.common.outcome.win if outcome.winners else self.common.outcome.draw
        reason = _reason(outcome.termination, self.game.terminations, self.common.terminations).sentence
        losers = [side for side in range(len(self.sides)) if side not in outcome.winners]
        names = {"winner": self._players(outcome.winners), "loser": self._players(losers)}
        because = fill(reason, {"rule": _plain(outcome.termination), **names}, self.common.language)
        text = self.fill(template, reason=because, **names)
        if outcome.scores:
            points = self.comma(
                f"{self._player(side).name} {score}" for side, score in enumerate(outcome.scores)
            )
            text = f"{text} {self.fill(self.common.outcome.scores, scores=points)}"
        return text

    def count(self, count: Count) -> str:
        """How far *count* is from its limit, as a sentence."""
        template = self.game.counts.get(count.name) or f"{_plain(count.name)}: {{left}}"
        return self.fill(template, count=count.limit - count.left, left=count.left, limit=count.limit)

    def short_termination(self, outcome: Outcome) -> str:
        """The reason for the end of the game, in `SHORT_COLUMNS` letters."""
        return _reason(outcome.termination, self.game.terminations, self.common.terminations).short

    def termination(self, slug: str) -> str:
        """The reason for the end of a game on the board, inside a sentence."""
        return _reason(slug, self.game.terminations, self.common.terminations).sentence

    def comma(self, items: Iterable[str]) -> str:
        """*items*, separated by commas."""
        return self.common.language.comma.join(items)

    def listed(self, items: Sequence[str]) -> str:
        """*items* as in a sentence: `a, b and c`."""
        return self.common.language.listed(items)

    def cells(self, names: Sequence[str]) -> str:
        """The cells of one piece; a large one is named by its first cell."""
        return self.listed(names) if len(names) <= _MOST_CELLS else names[0]

    def _fillings(self, arguments: Iterable[tuple[str, Argument]]) -> dict[str, Filling]:
        """*arguments* with slugs and pieces turned into nouns."""
        return {name: self._filling(argument) for name, argument in arguments}

    def _filling(self, argument: Argument) -> Filling:
        """A piece or known slug as a noun, other values unchanged."""
        if isinstance(argument, Piece):
            return self.piece(argument)
        if isinstance(argument, str):
            tables = (self.game.kinds, self.game.sides, self.game.nouns, self.common.sides)
            return next((table[argument] for table in tables if argument in table), argument)
        return argument


def load(language: str, game: str, sides: Sequence[str]) -> Words:
    """The words for *game* in *language*, with its *sides*.

    *game* is a slug, *language* a code such as `de`.

    *sides* are in turn order. Read once for all tables.
    Raises `SettingsError` for an unknown language or an invalid file.
    """
    return _load(language, game, tuple(sides))


@cache
def _load(language: str, game: str, sides: tuple[str, ...]) -> Words:
    """Cached implementation of `load`."""
    common = read_common(language)
    spoken = next((code for code in (language, ENGLISH) if has_game(code, game)), None)
    if spoken is None:
        return Words(language, common, GameWords(title=_plain(game).capitalize(), rules=()), sides)
    forms = common if spoken == language else read_common(spoken)
    return Words(language, common, read_game(spoken, game, forms), sides)


def _reason(slug: str, own: Mapping[str, Reason], shared: Mapping[str, Reason]) -> Reason:
    """The game's words for *slug*, else the common ones, else those for unknown slugs."""
    return own.get(slug) or shared.get(slug) or shared["unknown"]


def _plain(slug: str) -> str:
    """*slug* with blanks for hyphens."""
    return slug.replace("-", " ")
