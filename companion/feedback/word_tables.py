# SPDX-License-Identifier: Apache-2.0
"""What the tables of word files hold: `common.toml` and `<game>.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from companion.feedback.language import Language
from companion.feedback.template import Noun

SHORT_COLUMNS: Final = 16
"""Width of the narrowest display, the limit of `short`."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Text of a rule, of the end of a game, or of a question."""

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
    """Content of `<game>.toml`, by slug."""

    title: str
    rules: tuple[str, ...]
    """The rules in brief, one sentence each."""
    sides: Mapping[str, Noun] = field(default_factory=dict)
    kinds: Mapping[str, Noun] = field(default_factory=dict)
    nouns: Mapping[str, Noun] = field(default_factory=dict)
    """Other arguments of violations, and parts of composed names."""
    composed: Mapping[str, Noun] = field(default_factory=dict)
    """Names of faces and pieces that are not listed.

    `face` has the gaps `ability` and `strength`, `pair` the gaps `weak` and `strong`.
    """
    violations: Mapping[str, Reason] = field(default_factory=dict)
    terminations: Mapping[str, Reason] = field(default_factory=dict)
    """Reasons within a sentence, without a capital or full stop."""
    announcements: Mapping[str, str] = field(default_factory=dict)
    """Replacements of common ones that do not fit this game."""
    moves: Mapping[str, str] = field(default_factory=dict)
    """Replacements of common ones, and what removes a piece of a kind, as `falls-tank`.

    Also `goes-leap` and the like, for far ways of an ability, and replacements of `hints`.
    """
    counts: Mapping[str, str] = field(default_factory=dict)
    """Limits that are counted, with the gaps `count`, `left` and `limit`."""
    options: Mapping[str, OptionWords] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prompts:
    """Instructions for the players."""

    set_up: str
    set_up_again: str
    turn: str
    lifted: str
    immobile: str
    """Before the reason why a lifted piece cannot move."""
    joint: str
    """Before what remains of a move of several pieces."""
    choose: str
    illegal: str
    paused: str
    held: str
    adjourned: str
    draw_offered: str
    computer_decides: str
    elsewhere_decides: str
    computer_plays: str
    elsewhere_plays: str
    for_computer: str
    """Before the next thing to do for the computer's move."""
    for_elsewhere: str
    amiss: str
    """Before what has to be put right, as hands have done something else."""
    press_when_done: str


@dataclass(frozen=True, slots=True)
class Notices:
    """Notices beside the game."""

    drawn: str
    """The side that was drawn to begin."""
    claim: str
    """The way in which the side to move claims a draw."""
    claim_by: str
    """The way in which it claims one with its next move."""
    turned: str
    turn_unclear: str
    standins: str
    """The chess pieces that stand in for those of the game."""
    standins_lead: str
    """The same before pictures of the pieces."""
    standins_lacking: str
    """Those of which one chess set has too few."""
    blind: str
    leaders: str
    """The gesture that ends the game."""
    presses: str
    clock_move: str
    """The event that starts the first clock."""
    clock_press: str


@dataclass(frozen=True, slots=True)
class Guides:
    """Corrections of the board; those with `owned` also name the owner of a piece."""

    put: str
    put_owned: str
    carry: str
    carry_owned: str
    take_off: str
    take_off_owned: str
    turn: str
    """For a piece that stays on its cell."""
    faces: str
    """Added after a piece whose facing matters is put or carried."""


@dataclass(frozen=True, slots=True)
class OutcomeWords:
    """Texts of results."""

    win: str
    draw: str
    scores: str


@dataclass(frozen=True, slots=True)
class Display:
    """Lines for the two-line display: short, ASCII where possible.

    They are cut where a name is long.
    """

    turn: str
    last: str
    put: str
    put_owned: str
    """For a piece that both sides have.

    The cell is first, since a long name is cut.
    """
    carry: str
    take_off: str
    decides: str
    """While a side decides its move elsewhere."""
    plays: str
    """Its move, while it is carried out."""
    turn_piece: str
    press_when_done: str
    hint: str
    """The cells of a hint, as far as they are shown."""
    warning: str
    task: str
    """In a puzzle, before the move."""
    missed: str
    """After a move that gives the win of a puzzle away."""
    more: str
    lifted: str
    illegal: str
    paused: str
    adjourned: str
    draw_offered: str
    claim: str
    """Replaces the last move if the side to move may claim a draw."""
    counted: str
    """The last move, with the moves or turns that are left."""
    begun: str
    drawn: str
    """Replaces it if the first side was drawn."""
    turned: str
    """Replaces it if the board lies turned."""
    leaders: str
    """Replaces it if leading pieces in the middle end the game."""
    presses: str
    """Replaces it if presses of a button end the game."""
    check: str
    escape: str
    win: str
    draw: str


@dataclass(frozen=True, slots=True)
class Typed:
    """Replies to lines typed at a terminal."""

    hint: str
    unknown: str
    no_answer: str
    no_side: str
    real_board: str
    not_now: str
    record_usage: str
    """Syntax for correcting the record."""
    position_usage: str
    """Syntax for setting up a position."""
    replay: str
    """Keys while a kept game is replayed; the letters are the same in all languages."""
    page: str
    """Shown below a text of several pages."""
    about: Mapping[str, str]
    """The effect of each command, half a sentence."""
    commands: Mapping[str, str]
    """The word typed for each command.

    A single word; the English ones are accepted in every language.
    """


@dataclass(frozen=True, slots=True)
class Common:
    """Content of `common.toml`."""

    language: Language
    directions: tuple[str, str, str, str, str, str, str, str]
    """Clockwise from the first player's forward."""
    compass: tuple[str, str, str, str, str, str, str, str]
    """The same in letters, for display lines."""
    cries: Mapping[str, str]
    announcements: Mapping[str, str]
    prompts: Prompts
    notices: Notices
    guides: Guides
    moves: Mapping[str, str]
    """What pieces do by a move: parts of a sentence, one with its subject."""
    hints: Mapping[str, str]
    """Hints, warnings, and the reasons for moves."""
    outcome: OutcomeWords
    questions: Mapping[str, Reason]
    """Questions, by aspect."""
    display: Display
    account: Mapping[str, str]
    """Why a ply was decided as it was."""
    causes: Mapping[str, str]
    """The rows of the referee's table of costs, as nouns."""
    typed: Typed
    status: Mapping[str, str]
    """Messages on the terminal from which a game was started."""
    sides: Mapping[str, Noun]
    """Sides that many games have."""
    kinds: Mapping[str, Noun]
    """Kinds of unknown pieces."""
    options: Mapping[str, OptionWords]
    """Options that many games have."""
    violations: Mapping[str, Reason]
    terminations: Mapping[str, Reason]
    health: Mapping[str, str]
    """Health problems of a panel."""
    camera: Mapping[str, str]
    """State of a camera, and causes of poor visibility."""
    start: Mapping[str, str]
    """Texts of the start page."""
    lessons: Mapping[str, str]
    """Texts of all lessons; those with `short` are for a display line."""
    menu: Mapping[str, str]
    """Texts of the menu on the board; those named short are for a display line."""
    labels: Mapping[str, str]
    """Buttons and headings of the page."""
