# SPDX-License-Identifier: Apache-2.0
"""Prepares a game to play, new or resumed, and its journal."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from companion import __version__, games
from companion.feedback.lights import LampLevel
from companion.feedback.words import Words, load
from companion.host.clock import Clock, RecordingClock, local_time, monotonic
from companion.host.devices.camera import CameraOptions, CameraSetup, set_up_camera
from companion.host.devices.eboards import eboard_at
from companion.host.game_info import control_of, position_of
from companion.host.journal import files
from companion.host.journal import journal as journals
from companion.host.journal.journal import Continued, Header, Journal, JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.records.replay import restored, session_of
from companion.host.records.unfinished import to_resume
from companion.host.retry import USUAL, Intervals
from companion.host.settings import BoardServiceSettings
from companion.host.table.catalogue import words_with_players
from companion.host.table.table_game import Begin
from companion.host.web.server import Certificate
from companion.lessons.course import Lesson, course
from companion.lessons.teacher import Teacher
from companion.model.absent import PlayedBy
from companion.model.errors import OptionError, UnknownName
from companion.model.game import AnyRules, Game, HasBox
from companion.model.lots import Pick, drawn
from companion.model.observation import SensorKind
from companion.model.pieces import Side
from companion.opponent.levels import find_level, usual_level
from companion.referee.inference.costs import DEFAULT, Costs
from companion.referee.session.session import Session
from companion.referee.values.controls import NONE, write_control
from companion.referee.values.gestures import Gestures
from companion.referee.values.timing import DEFAULT_TIMING, Timing
from companion.sensing.devices import is_recorded

LOOPBACK: Final = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class OnlineOptions:
    """Which game with people elsewhere is wanted."""

    place: str
    """`lichess`, the address of a server with the same interface, `new`, or a code."""
    via: str = ""
    """How another table is reached; empty for the usual way."""
    opponent: str = "anyone"
    """`anyone`, `computer` with a level after a colon, or a name."""
    days: int | None = None
    """Days for each move, in correspondence."""
    colour: str = "random"
    is_rated: bool = False
    number: str = ""
    """The game to go on with; empty for another."""


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """Options from the command line and the settings."""

    setup: GameSetup
    """Of a new game; of a resumed one only the game counts."""
    port: str | None = None
    """Serial device, URL, or `auto`;

    None for a virtual table, or with a camera for no panel.
    """
    at: str = ""
    """The panel's cell under the game's first cell; empty to find it."""
    virtual_panel: str = ""
    """Name of a virtual table's panel; empty for the one that fits."""
    camera: CameraOptions | None = None
    journal: Path | None = None
    folder: Path | None = None
    """Folder of the journals; None for the default."""
    resume: bool = False
    may_have_ended: bool = False
    """Resume *journal* also after its game: another table does not know the end."""
    record: int | None = None
    """Number of the stored game to resume; None for the newest."""
    language: str = "en"
    http_address: str = LOOPBACK
    http_port: int | None = None
    """None for the default port, or any port if that is taken."""
    certificate: Certificate | None = None
    """Of the page; None for plain HTTP."""
    browser: bool = True
    store: str | None = None
    """URL of the store; None for the default."""
    lamps: LampLevel = LampLevel.FULL
    usual_clock: str = NONE
    """Time control of a setup without one, if the game's options have none."""
    broken: tuple[str, ...] = ()
    """Names of cells whose switches are ignored."""
    gestures: Gestures = Gestures.OFF
    """Gestures with which the players may end a game at the board."""
    costs: Costs = DEFAULT
    """Table of costs of new games, for the tracker."""
    timing: Timing = DEFAULT_TIMING
    """Timing of new games; a resumed one keeps that of its journal."""
    sensor: SensorKind | None = None
    """What the virtual table senses of its pieces; None for `usual_sensor`."""
    computer: tuple[str, ...] = ()
    """Names of the sides that the computer plays in new games."""
    level: str = ""
    """Level of the computer in new games: number or slug; empty for the usual one."""
    warned: tuple[str, ...] = ()
    """Names of the sides that are warned of moves that lose at once."""
    engine: str | None = None
    """Program that plays chess for the computer; None for one that is installed."""
    terminal: bool = False
    """Show the table in the terminal, too."""
    page: bool = True
    """Serve the page."""
    analysis: bool = False
    """Show on the page who wins with best play, in games that can be analysed."""
    pick: Pick = secrets.randbelow
    """Draws what the options leave to chance."""
    intervals: Intervals = USUAL
    """Intervals of the table's retries."""
    online: OnlineOptions | None = None
    """A game with people elsewhere; None for one at the table."""
    board_service: BoardServiceSettings = field(default_factory=BoardServiceSettings)
    """Service by which pages and programs of this computer read the board."""


@dataclass(frozen=True, slots=True)
class StartedGame:
    """A game prepared from the play options."""

    game: Game
    rules: AnyRules
    words: Words
    session: Session
    clock: Clock
    header: Header
    resumed: Journal | None = None
    camera_setup: CameraSetup | None = None
    teacher: Teacher | None = None
    """The teacher of a lesson; None in a game."""


def new_game_request(play_options: PlayOptions) -> Begin:
    """Return the request for the game that *play_options* name.

    Raises `UnknownName` for an unknown side or level.
    """
    setup, rules = play_options.setup, play_options.setup.rules
    if play_options.computer:
        said = play_options.level
        level = find_level(setup.game, said).number if said else usual_level(setup.game)
        played = named_sides(rules, play_options.computer, play_options.language)
        numbers = tuple(level if side in played else 0 for side in range(len(rules.sides)))
        by = tuple(PlayedBy.COMPUTER if number else PlayedBy.TABLE for number in numbers)
        setup = replace(setup, played_by=by, levels=numbers)
    return Begin(_warning(setup, rules, play_options))


def _warning(setup: GameSetup, rules: AnyRules, play_options: PlayOptions) -> GameSetup:
    """Return *setup* with the warnings of *play_options*, if any. Raises `UnknownName`."""
    if not play_options.warned:
        return setup
    return replace(
        setup, warned=tuple(sorted(named_sides(rules, play_options.warned, play_options.language)))
    )


def named_sides(rules: AnyRules, names: Sequence[str], language: str) -> frozenset[Side]:
    """Return the sides called *names*, or by number. Raises `UnknownName`."""
    words = load(language, rules.slug, rules.sides)
    named = {str(number): side for side, number in enumerate(range(1, len(rules.sides) + 1))}
    named |= {slug: side for side, slug in enumerate(rules.sides)}
    named |= {words.side(side).name.casefold(): side for side in range(len(rules.sides))}
    unknown = next((name for name in names if name.casefold() not in named), None)
    if unknown is not None:
        raise UnknownName(
            "{game} has no side {name!r}: its sides are {known}",
            game=words.game.title,
            name=unknown,
            known=rules.sides,
        )
    return frozenset(named[name.casefold()] for name in names)


def begin(request: Begin, play_options: PlayOptions, language: str, order: str = "") -> StartedGame:
    """Prepare a new game, for a hall's *order*.

    Raises `CompanionError`.

    Random options are drawn here, once; the journal's header keeps the result.
    """
    setup = request.setup
    teacher = Teacher(course(setup.game), setup.lesson) if setup.lesson else None
    setup = setup if teacher is None else _taught(setup, teacher.lesson)
    game, rules = games.find(setup.game), setup.rules
    if not setup.position:
        rules = game.rules(drawn(rules.options, len(rules.sides), play_options.pick))
    setup.check_sides(rules)
    control = control_of(rules, setup.control or None, play_options.usual_clock)
    setup = replace(
        setup.levelled(),
        options=tuple(rules.options.items()),
        control=write_control(control),
        position=_start(rules, setup.position),
    )
    words = words_with_players(setup, rules.sides, language)
    camera_setup = _camera_setup(play_options, game, rules)
    header = Header(
        format=journals.FORMAT,
        program=__version__,
        began=local_time().isoformat(timespec="seconds"),
        setup=setup,
        timing=play_options.timing,
        sensor=_sensor(play_options, rules, camera_setup),
        control=control,
        gestures=Gestures.OFF if teacher else play_options.gestures,
        order=order,
        costs=play_options.costs.differences(),
    )
    session, clock = session_of(header, rules), _clock(play_options)
    return StartedGame(game, rules, words, session, clock, header, camera_setup=camera_setup, teacher=teacher)


def _taught(setup: GameSetup, lesson: Lesson) -> GameSetup:
    """Return *setup* with what *lesson* decides.

    If the lesson replies, it plays the other sides.
    """
    rules = lesson.rules(setup.game)
    own = lesson.side(rules)
    by = {own: PlayedBy.TABLE} if any(task.reply for task in lesson.task) else {}
    return replace(
        setup,
        options=tuple(lesson.options.items()),
        players=(),
        control=NONE,
        position=lesson.position,
        played_by=tuple(by.get(side, PlayedBy.ELSEWHERE) for side in range(len(rules.sides))) if by else (),
    )


def _start(rules: AnyRules, wanted: str) -> str:
    """Return *wanted* in canonical notation. Raises `CompanionError` if it cannot be played."""
    if not wanted:
        return ""
    position = position_of(rules, wanted)
    if rules.status(position) is not None:
        raise OptionError(
            "the game is over in the position {value!r}: begin with another",
            option="position",
            value=wanted,
            allowed=(),
        )
    return rules.write_position(position)


def resume(play_options: PlayOptions) -> StartedGame:
    """Prepare the newest unfinished game. Raises `CompanionError`."""
    game = games.find(play_options.setup.game)
    resumed = to_resume(
        play_options.setup.game,
        play_options.folder or files.folder(),
        play_options.journal,
        play_options.record,
        play_options.store,
        may_have_ended=play_options.may_have_ended,
    )
    header = resumed.header
    rules = header.setup.rules
    words = words_with_players(header.setup, rules.sides, play_options.language)
    camera_setup = _camera_setup(play_options, game, rules)
    kind = _sensor(play_options, rules, camera_setup)
    session = restored(resumed, rules, kind)
    clock = _clock(play_options, resumed.last_ms + 1)
    header = replace(header, setup=_warning(resumed.setup, rules, play_options))
    return StartedGame(game, rules, words, session, clock, header, resumed, camera_setup)


def _clock(play_options: PlayOptions, start_ms: int = 0) -> Clock:
    """Return the clock of a game: that of the film, if only a film watches."""
    camera = play_options.camera
    if camera is None or play_options.port is not None or not is_recorded(camera.source):
        return monotonic(start_ms)
    return RecordingClock(start_ms)


def _camera_setup(play_options: PlayOptions, game: Game, rules: AnyRules) -> CameraSetup | None:
    """Return the camera's setup, if one is used. Raises `CompanionError` if it is unusable."""
    return None if play_options.camera is None else set_up_camera(play_options.camera, game, rules.options)


def _sensor(play_options: PlayOptions, rules: AnyRules, camera_setup: CameraSetup | None) -> SensorKind:
    """Return what the camera or panel senses of the pieces."""
    if camera_setup is not None:
        return camera_setup.kind
    eboard, _ = eboard_at(play_options.port)
    if eboard is not None:
        return eboard.kind(rules)
    return (
        SensorKind.OCCUPANCY if play_options.port is not None else play_options.sensor or usual_sensor(rules)
    )


def usual_sensor(rules: AnyRules) -> SensorKind:
    """Return what a virtual table senses of its pieces by default.

    The side, so that a wrong capture is noticed; the identity if pieces have no owner; faces and
    facings if pieces have several. A promotion is asked about, so nobody has to find a second
    queen.
    """
    if isinstance(rules, HasBox) and any(len(figure.faces) > 1 for figure in rules.box()):
        return SensorKind.IDENTITY_FACING
    entries = rules.placement(rules.initial()).entries
    return SensorKind.IDENTITY if any(piece.side is None for piece, _ in entries) else SensorKind.SIDE


def open_journal(started: StartedGame, play_options: PlayOptions, path: Path | None = None) -> JournalWriter:
    """Open the journal of *started* at *path*, or in the folder of *play_options*.

    That of a lesson or puzzle is in a folder of its own: it is no game to go on with.
    Raises `JournalError`.
    """
    now = local_time()
    setup = started.header.setup
    if setup.is_exercise:
        among = (play_options.folder or files.folder()) / ("puzzles" if setup.puzzle else "lessons")
        return JournalWriter.create(files.fresh_path(started.game.slug, now, among), started.header)
    if started.resumed is not None:
        return JournalWriter.append(
            started.resumed,
            Continued(
                started.clock(), __version__, now.isoformat(timespec="seconds"), sensor=started.session.kind
            ),
        )
    return JournalWriter.create(
        path or files.fresh_path(started.game.slug, now, play_options.folder), started.header
    )
