# SPDX-License-Identifier: Apache-2.0
"""The way of a game's setup: from a page to the table and a rematch."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from companion.host.codec import decode, encode
from companion.host.hall.core.wire import Wanted
from companion.host.journal import journal
from companion.host.journal.setup import GameSetup
from companion.host.play.game_factory import TableGameFactory
from companion.host.play.start import PlayOptions, begin, new_game_request
from companion.host.start_page.requests import Play
from companion.host.start_page.web import understand_start
from companion.host.table.table import Table
from companion.host.table.table_game import Again, Begin
from companion.host.web.table_page import understand
from companion.referee.values.events import GameBegan


def stations(form: Mapping[str, object], folder: Path) -> Iterator[tuple[str, GameSetup]]:
    """What each holder makes of *form*, as a page sends it; files are in *folder*."""
    store = f"sqlite:///{folder}/store.sqlite"
    play_options = PlayOptions(GameSetup("close-quarters"), folder=folder, store=store)
    factory = TableGameFactory(play_options, lambda _said: None)
    first = factory.first(begin(new_game_request(play_options), play_options, "en"))

    request = understand(json.dumps({"is": "Begin", **form}), Table(first, factory))
    assert isinstance(request, Begin)
    yield "request of the table's page", request.setup

    yield "command line", new_game_request(replace(play_options, setup=request.setup)).setup

    wish = understand_start(json.dumps({"is": "Play", **form}))
    assert isinstance(wish, Play)
    yield "request of the start page", wish.request.setup

    order: Wanted = decode(Wanted, json.loads(json.dumps(encode(Wanted, request))))
    assert isinstance(order, Begin)
    yield "order of a hall", order.setup

    made = factory.create(request, first)
    yield "table", made.setup

    made.journal.write([GameBegan(0, made.pipeline.view.position)])
    made.journal.close()
    yield "header", journal.read(made.journal.path).header.setup

    resumed = factory.resume(made.journal.path, made.setup.game, None, "en")
    yield "resumed table", resumed.setup

    again = factory.create(Again(keeps_sides=True), resumed)
    yield "rematch", again.setup
    for each in (first, resumed, again):
        each.journal.close()


if __name__ == "__main__":
    found = stations(json.loads(sys.argv[1]), Path(sys.argv[2]))
    print(json.dumps({station: encode(GameSetup, setup) for station, setup in found}))
