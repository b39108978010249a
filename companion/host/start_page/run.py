# SPDX-License-Identifier: Apache-2.0
"""Runs the program of one table: start page, table, devices and page.

Its rule: it only wires the parts; what they do is elsewhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import sys
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from companion.feedback.words import load
from companion.host.clock import monotonic
from companion.host.coach.coach import Coach, coached
from companion.host.coach.results import follow_wishes
from companion.host.desktop import has_screen
from companion.host.devices.eboards import eboard_at
from companion.host.devices.panels import AUTO, serial_ports
from companion.host.devices.ports import OpenPort, serial_line
from companion.host.gc_tuning import sweep_rarely
from companion.host.online.elsewhere import GamesElsewhere, go_on
from companion.host.opponent.engine_player import EnginePlayer
from companion.host.opponent.installed import find_engine
from companion.host.opponent.thinker import MoveSource, Thinker
from companion.host.play.board_menu import follow_menu
from companion.host.play.computer import Computer, played_by_computer
from companion.host.play.eboard_search import EboardsAround, resolved
from companion.host.play.reports import keep_ended, lead, report_link
from companion.host.play.start import PlayOptions, begin, new_game_request, resume
from companion.host.start_page.device_finder import DeviceFinder
from companion.host.start_page.home import Home
from companion.host.start_page.join import as_text, for_phones, for_this_computer
from companion.host.start_page.local_certificate import authority_file, folder, keep_renewed
from companion.host.start_page.phone_camera import is_phone_wanted
from companion.host.start_page.web import make_home_app
from companion.host.tasks import Show, guarded, leaf, running, stopping
from companion.host.text.error_translation import translate
from companion.host.web import server
from companion.host.web.allowed_hosts import Listener
from companion.model.phrase import Phrase

if TYPE_CHECKING:
    from companion.host.devices.profiles import Camera
    from companion.host.terminal.screen import Terminal

_SEEDS: Final = 1 << 31


def play(play_options: PlayOptions, say: Callable[[str], None]) -> None:
    """Play the game of *play_options* until Ctrl-C or SIGTERM.

    *say* gets the messages, unless the game is played in the terminal. Raises `CompanionError`, and
    `KeyboardInterrupt` on systems without signal handlers in the event loop.
    """
    play_options = replace(play_options, port=resolved(play_options.port))
    _check_engine(play_options, say)
    joined = None
    if play_options.online or play_options.resume:
        from companion.host.online.join import going_on, join

        play_options = going_on(play_options, say)
        joined = join(play_options, say)
    if play_options.resume:
        started = resume(play_options)
    else:
        request = new_game_request(play_options) if joined is None else joined.request
        started = begin(request, play_options, play_options.language)
    terminal, inform = None, say
    if play_options.terminal:
        from rich.console import Console

        from companion.host.terminal.screen import Terminal

        terminal = Terminal(Console(highlight=False))
        inform = terminal.note
    home = _home(play_options, inform)
    home.joined = joined
    with _listeners(play_options, inform) as listeners:
        home.start(started, is_patient=play_options.camera is None)
        _run(home, listeners, inform, terminal)


def wait_for_games(play_options: PlayOptions, inform: Callable[[str], None]) -> None:
    """Serve the start page until Ctrl-C or SIGTERM; games begin there.

    *inform* gets the messages. Raises like `play`.
    """
    _check_engine(play_options, inform)
    with _listeners(play_options, inform) as listeners:
        _run(_home(play_options, inform), listeners, inform, None)


def _check_engine(play_options: PlayOptions, inform: Callable[[str], None]) -> None:
    """Tell what a named engine lacks. Raises `OpponentError` without UCI."""
    if play_options.engine is not None:
        from companion.host.opponent.engine import check_engine

        missing = asyncio.run(check_engine(play_options.engine))
        if missing is not None:
            _shower(play_options, inform)(missing)


def _shower(play_options: PlayOptions, inform: Callable[[str], None]) -> Show:
    """Return what translates a message for *inform*."""
    return lambda said: inform(translate(said, play_options.language))


def _home(play_options: PlayOptions, inform: Callable[[str], None]) -> Home:
    """Return the home of a program that looks for the devices of this machine."""

    def ports() -> Sequence[tuple[str, OpenPort]]:
        listed = list(serial_ports())
        named = play_options.port
        is_eboard = eboard_at(named)[0] is not None  # greeting one may disturb it
        if not is_eboard and named not in (None, AUTO, *(name for name, _ in listed)):
            listed.append((str(named), serial_line(str(named))))
        return listed

    return Home(
        play_options,
        inform,
        lambda changed: DeviceFinder(
            ports, _look_for_cameras, monotonic(), changed, play_options.intervals, EboardsAround(monotonic())
        ),
    )


def _look_for_cameras() -> tuple[Sequence[Camera], Sequence[str]]:
    """Return the connected cameras; none without their libraries. Raises `CameraUnavailable`."""
    if importlib.util.find_spec("cv2") is None:
        return (), ()
    from companion.host.devices.profiles import plugged_cameras

    return plugged_cameras()


def _run(home: Home, listeners: _Listeners, inform: Callable[[str], None], terminal: Terminal | None) -> None:
    """Run *home* until it is stopped, and close its game."""
    try:
        asyncio.run(_serve(home, listeners, inform, terminal))
    except BaseExceptionGroup as group:
        raise leaf(group) from None
    finally:
        if home.table is not None:
            home.factory.close(home.table.current)


@dataclass(frozen=True, slots=True)
class _Listeners:
    """Sockets; None for what is not served."""

    page: Listener | None
    boards: Listener | None


@contextlib.contextmanager
def _listeners(play_options: PlayOptions, inform: Callable[[str], None]) -> Iterator[_Listeners]:
    """Yield the sockets of the program. Raises `SettingsError` for that of the page."""
    with contextlib.ExitStack() as stack:
        page = None
        if play_options.page:
            page = server.listen_for_page(play_options.http_address, play_options.http_port)
            stack.enter_context(page)
        boards = None
        if play_options.board_service.on:
            from companion.host.online.board_service import listening

            service = listening(play_options.board_service, inform, play_options.language)
            boards = stack.enter_context(service)
        yield _Listeners(page, boards)


async def _serve(
    home: Home, listeners: _Listeners, inform: Callable[[str], None], terminal: Terminal | None
) -> None:
    """Run the tasks of one program until they are stopped."""
    sweep_rarely()
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(home.reviewer.close)
        urls = () if listeners.page is None else await _serve_page(home, listeners.page, stack)
        if listeners.boards is not None:
            from companion.host.online.board_service import serving_boards

            service = serving_boards(lambda: home.table, listeners.boards, home.play_options.board_service)
            words, address = (
                load(home.play_options.language, "", ()),
                await stack.enter_async_context(service),
            )
            inform(words.fill(words.common.status["boards-at"], address=address))
        playing = asyncio.create_task(home.run(), name="table")
        show = _shower(home.play_options, inform)
        helpers = {Phrase("the tasks beside the table"): _report(home, inform)}
        if home.joined is not None and home.table is not None:
            helpers[Phrase("the game elsewhere")] = home.joined.play(home.table, inform)
        if urls:
            helpers[Phrase("the search for boards and cameras")] = home.finder.run()
        beside = [asyncio.create_task(guarded(what, work, show), name=what) for what, work in helpers.items()]
        with stopping(playing):
            if urls:
                await _announce(home, urls, inform)
            if terminal is not None and home.table is not None:
                from companion.host.terminal.screen import play_at

                await play_at(terminal, home.table, playing)
            await asyncio.wait({playing})
        for task in beside:
            task.cancel()
        await asyncio.wait(beside)
        if not playing.cancelled():
            playing.result()


async def _serve_page(home: Home, listener: Listener, stack: contextlib.AsyncExitStack) -> tuple[str, ...]:
    """Serve the page of *home* until *stack* is closed; return its URLs."""
    certificate = home.play_options.certificate
    urls = listener.urls("https" if certificate else "http")
    home.addresses = for_phones(urls)
    if certificate is not None and Path(certificate.chain).parent == folder():
        home.authority = authority_file()
        names = home.play_options.http_address.split(",")[1:]
        await stack.enter_async_context(running(keep_renewed(names), "certificate"))
    app = make_home_app(home)
    await stack.enter_async_context(server.serving_app(app, listener, certificate=certificate))
    return urls


async def _announce(home: Home, urls: Sequence[str], inform: Callable[[str], None]) -> None:
    """Say where the page is, with a code for phones, and open it."""
    if home.table is None:
        words = load(home.play_options.language, "", ())
        said = words.common.status["start-at"]
    else:
        words = home.table.pipeline.words
        said = words.common.status["table-at"]
    inform(words.fill(said, address=words.comma(urls)))
    phone = f"{(home.addresses or tuple(urls))[0]}camera" if is_phone_wanted(home) else ""
    if phone:
        said = Phrase("The phone that watches the board opens {address}", address=phone)
        inform(translate(said, home.play_options.language))
    if home.addresses and sys.stdout.isatty() and not home.play_options.terminal:
        inform(as_text(phone or home.addresses[0]))
    if home.play_options.browser and has_screen():
        await asyncio.to_thread(webbrowser.open, for_this_computer(urls))


def _move_source(engine: str | None, inform: Callable[[str], None]) -> MoveSource:
    """Return what decides the computer's moves: our own search, in chess also an *engine*.

    Without a named one, the engine that is installed.
    """
    path = engine or find_engine()
    return EnginePlayer(path, Thinker(), inform) if path else Thinker()


async def _report(home: Home, inform: Callable[[str], None]) -> None:
    """Report the link of the table, store its games, and play the computer's sides."""
    table, play_options = await home.wait_for_table(), home.play_options
    show = _shower(play_options, inform)
    computer = Computer(play_options.pick(_SEEDS), _move_source(play_options.engine, show))
    coach = Coach(table, inform)
    async with (
        played_by_computer(table, computer, inform),
        coached(coach),
        asyncio.TaskGroup() as group,
    ):
        for what, work in {
            Phrase("the report of the board's connection"): report_link(table, inform),
            Phrase("the coach"): follow_wishes(table, home.results),
            Phrase("the lessons"): lead(table, inform),
            Phrase("the menu on the board"): follow_menu(
                table, inform, GamesElsewhere(play_options), home.reviewer
            ),
            Phrase("the game elsewhere"): go_on(table, play_options, inform),
            Phrase("the storing of games"): keep_ended(table, play_options.store, inform),
        }.items():
            group.create_task(guarded(what, work, show), name=what)
