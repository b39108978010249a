# SPDX-License-Identifier: Apache-2.0
"""Plays a game: assembles table, pipeline, journal, panel and page, and shuts them down.

Its rule: it only wires the parts; what they do is elsewhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import webbrowser
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from rich.console import Console

from companion.host.desktop import has_screen
from companion.host.gc_tuning import sweep_rarely
from companion.host.play.board_search import resolved
from companion.host.play.computer import Computer, played_by_computer
from companion.host.play.game_factory import TableGameFactory
from companion.host.play.reports import keep_ended, report_link
from companion.host.play.start import PlayOptions, begin, new_game_request, resume
from companion.host.table.table import Table
from companion.host.tasks import leaf, stopping
from companion.host.terminal.screen import Terminal, play_at
from companion.host.web import server
from companion.host.web.allowed_hosts import Listener

_SEEDS: Final = 1 << 31


def play(play_options: PlayOptions, console: Console) -> None:
    """Play until Ctrl-C or SIGTERM;

    *console* gets the messages for the player at the terminal.

    Raises `CompanionError`, and `KeyboardInterrupt` on systems without signal handlers in the event
    loop.
    """
    play_options = replace(play_options, port=resolved(play_options.port))
    started = (
        resume(play_options)
        if play_options.resume
        else begin(new_game_request(play_options), play_options, play_options.language)
    )
    terminal = Terminal(console) if play_options.terminal else None
    inform = terminal.note if terminal else partial(console.print, soft_wrap=True, markup=False)
    game_factory = TableGameFactory(play_options, inform)
    with _listener(play_options) as listener:
        table = Table(game_factory.first(started), game_factory, intervals=play_options.intervals)
        try:
            asyncio.run(_play(play_options, table, listener, inform, terminal))
        except BaseExceptionGroup as group:
            raise leaf(group) from None
        finally:
            game_factory.close(table.current)


@contextlib.contextmanager
def _listener(play_options: PlayOptions) -> Iterator[Listener | None]:
    """Yield the socket of the page; None if no page is served. Raises `SettingsError`."""
    if not play_options.page:
        yield None
        return
    with server.listen_for_page(play_options.http_address, play_options.http_port) as listener:
        yield listener


async def _play(
    play_options: PlayOptions,
    table: Table,
    listener: Listener | None,
    inform: Callable[[str], None],
    terminal: Terminal | None,
) -> None:
    """Run the tasks of one table until they are stopped."""
    sweep_rarely()
    async with contextlib.AsyncExitStack() as stack:
        if listener is not None:
            address = await stack.enter_async_context(server.serving(table, listener))
            words = table.pipeline.words
            inform(words.fill(words.common.status["table-at"], address=words.comma(listener.urls())))
            if play_options.browser and has_screen():
                await asyncio.to_thread(webbrowser.open, address)
        computer = Computer(play_options.level, play_options.pick(_SEEDS))
        await stack.enter_async_context(played_by_computer(table, computer, inform))
        playing = asyncio.create_task(table.run(), name="table")
        link_task = asyncio.create_task(report_link(table, inform), name="link report")
        keeping = asyncio.create_task(keep_ended(table, play_options.store, inform), name="game store")
        with stopping(playing):
            if terminal is not None:
                await play_at(terminal, table, playing)
            await asyncio.wait({playing})
        link_task.cancel()
        keeping.cancel()
        if not playing.cancelled():
            playing.result()
