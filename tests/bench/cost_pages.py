# SPDX-License-Identifier: Apache-2.0
"""What a table's page costs: bytes, and time in a real Chromium.

All is measured over the DevTools protocol, at a virtual table of the real program. Contexts have no
service worker, like the page on a telephone in the house, which is no secure origin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import Any, Final, NamedTuple

from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.bench.against import AgainstFailed, Tree
from tests.bench.cost_tables import PLAY, Pair, Trees, pair, running, waits_for_move

TANKS: Final = ("play", "tank-chess", "-o", "map=companion-20", "--no-browser", "--http-port", "0")
MOVES: Final = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6")
PIECES: Final = 32
SLOWER: Final = 4
"""How much slower the browser's processor is made."""
LINE: Final = {
    "offline": False,
    "latency": 100,
    "downloadThroughput": 1.6e6 / 8,
    "uploadThroughput": 1.6e6 / 8,
}
"""A slow line: ms, and bytes a second."""
BOARDS: Final = 3
CHANGES: Final = 20
CHANGE_S: Final = 0.5
"""From one change of the page to the next."""
REST_S: Final = 1.5
SHOWN: Final = f"""
const seen = new MutationObserver(() => {{
  if (document.querySelectorAll(".pieces .piece").length < {PIECES}) return;
  seen.disconnect();
  requestAnimationFrame(() => setTimeout(() => console.log("all pieces", performance.now())));
}});
seen.observe(document, {{ subtree: true, childList: true }});
"""
"""Says in the console when the frame with all pieces is finished."""


@dataclass
class Traffic:
    """What a page has loaded, by the DevTools protocol."""

    sizes: dict[str, float] = field(default_factory=dict)
    """Bytes of each request, with headers."""
    cached: set[str] = field(default_factory=set)
    """Requests that the browser has answered itself."""
    sockets: list[str] = field(default_factory=list)
    """Addresses of the WebSockets that were opened."""
    received: int = 0
    """Bytes of what the WebSockets have received, without headers and uncompressed."""
    sent: int = 0
    """Messages that they have sent, without pings."""

    @property
    def requests(self) -> int:
        """The number of requests and WebSockets that went to the program."""
        return len(self.sizes.keys() - self.cached) + len(self.sockets)

    @property
    def kilobytes(self) -> float:
        """What the requests have transferred."""
        return sum(self.sizes.values()) / 1000


def watched(devtools: CDPSession) -> Traffic:
    """The traffic of a page from now on."""
    traffic = Traffic()

    def asked(event: dict[str, Any]) -> None:
        traffic.sizes.setdefault(event["requestId"], 0)

    def answered(event: dict[str, Any]) -> None:
        if event["response"].get("fromDiskCache"):
            traffic.cached.add(event["requestId"])

    def received(event: dict[str, Any]) -> None:
        said = event["response"]
        is_text = said["opcode"] == 1  # others are in base64
        traffic.received += (
            len(said["payloadData"].encode()) if is_text else len(said["payloadData"]) * 3 // 4
        )

    def sent(event: dict[str, Any]) -> None:
        traffic.sent += event["response"]["payloadData"] != "ping"

    listeners: dict[str, Callable[..., None]] = {
        "requestWillBeSent": asked,
        "requestServedFromCache": lambda event: traffic.cached.add(event["requestId"]),
        "responseReceived": answered,
        "loadingFinished": lambda event: traffic.sizes.update(
            {event["requestId"]: event["encodedDataLength"]}
        ),
        "webSocketCreated": lambda event: traffic.sockets.append(event["url"]),
        "webSocketFrameReceived": received,
        "webSocketFrameSent": sent,
    }
    for name, listener in listeners.items():
        devtools.on(f"Network.{name}", listener)
    devtools.send("Network.enable")
    return traffic


class Opened(NamedTuple):
    """An empty page with a tool to look into it."""

    page: Page
    devtools: CDPSession


@contextmanager
def fresh(browser: Browser) -> Iterator[Opened]:
    """A page with an empty cache of its own."""
    size = {"width": 1280, "height": 800}
    context = browser.new_context(viewport=size, service_workers="block")  # type: ignore[arg-type]
    page = context.new_page()
    try:
        yield Opened(page, context.new_cdp_session(page))
    finally:
        context.close()


def middle(page: Page, selector: str) -> tuple[float, float]:
    """The point in the middle of the first *selector*."""
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def cell(page: Page, square: str) -> tuple[float, float]:
    """The point in the middle of a square of chess."""
    return middle(page, f"[data-cell='{'abcdefgh'.index(square[0]) + 8 * (int(square[1]) - 1)}']")


def lift_and_put_back(page: Page, point: tuple[float, float], count: int) -> None:
    """Click at *point*, *count* times: each lifts the piece there or puts it back."""
    page.mouse.move(*point)
    for _ in range(count):
        page.mouse.down()
        page.mouse.up()
        page.wait_for_timeout(1000 * CHANGE_S)


def loads(page: Page, address: str) -> tuple[Callable[[], object], Callable[[], object]]:
    """A first visit of *address*, and a reload."""
    return partial(page.goto, address), partial(page.reload)


# --- the measurements ---


def visit(tree: Tree, browser: Browser) -> dict[str, float]:
    """Kilobytes of a first visit; kilobytes and requests of a reload."""
    with running(tree, *PLAY) as program, fresh(browser) as (page, devtools):
        traffics = []
        for load in loads(page, program.address):
            traffics.append(watched(devtools))
            load()
            expect(page.locator(".pieces .piece")).to_have_count(PIECES)
            page.wait_for_load_state("networkidle")
            devtools.detach()
            devtools = page.context.new_cdp_session(page)
    first, again = traffics
    return {
        "first-visit": first.kilobytes,
        "reload": again.kilobytes,
        "reload-requests": again.requests,
    }


def visits(trees: Trees, browser: Browser) -> dict[str, Pair]:
    """The first visit of the page and its reload in both trees."""
    now, before = (visit(tree, browser) for tree in trees)
    return {name: Pair(now[name], before[name]) for name in now}


def first_boards(trees: Trees, browser: Browser) -> dict[str, Pair]:
    """Ms until the page shows all pieces, slow machine and line; medians."""
    found: list[list[tuple[float, float]]] = [[], []]
    with running(trees[0], *PLAY) as now, running(trees[1], *PLAY) as before:
        for _ in range(BOARDS):
            for program, times in zip((now, before), found, strict=True):
                times.append(shown_ms(browser, program.address))
    first, again = ((median(times) for times in zip(*each, strict=True)) for each in found)
    pairs = map(pair, zip(first, again, strict=True))
    return dict(zip(("first-board", "reload-board"), pairs, strict=True))


def shown_ms(browser: Browser, address: str) -> tuple[float, float]:
    """Ms until *address* shows all pieces: first visit, and reload."""
    with fresh(browser) as (page, devtools):
        page.add_init_script(SHOWN)
        devtools.send("Network.enable")
        devtools.send("Network.emulateNetworkConditions", LINE)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        times = []
        for load in loads(page, address):
            with page.expect_console_message(lambda said: "all pieces" in said.text) as said:
                load()
            times.append(float(said.value.text.split()[-1]))
            page.wait_for_load_state("networkidle")
    return times[0], times[1]


def metrics(devtools: CDPSession) -> dict[str, float]:
    """What the browser has spent on a page, in seconds."""
    return {each["name"]: each["value"] for each in devtools.send("Performance.getMetrics")["metrics"]}


def change(tree: Tree, browser: Browser) -> tuple[float, float]:
    """Ms of style and script, and of layout, for a change of the largest board."""
    with running(tree, *TANKS) as program, fresh(browser) as (page, devtools):
        page.goto(program.address)
        waits_for_move(page)
        devtools.send("Performance.enable")
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        point = middle(page, ".pieces .piece.side-0")
        held = page.locator(".hand .piece")
        page.mouse.click(*point)
        expect(held).to_have_count(1)
        page.mouse.click(*point)
        expect(held).to_have_count(0)
        page.wait_for_timeout(1000 * REST_S)
        traffic, before = watched(devtools), metrics(devtools)
        lift_and_put_back(page, point, CHANGES)
        after = metrics(devtools)
        expect(held).to_have_count(0)
    if traffic.sent < CHANGES:
        raise AgainstFailed(f"the page in {tree.name} has sent {traffic.sent} of {CHANGES} changes")
    spent = {name: 1000 * (after[name] - before[name]) / CHANGES for name in after}
    return spent["RecalcStyleDuration"] + spent["ScriptDuration"], spent["LayoutDuration"]


def changes(trees: Trees, browser: Browser) -> Pair:
    """Style and script of a change in both trees."""
    (now, layout), (before, old_layout) = (change(tree, browser) for tree in trees)
    return Pair(now, before, f"layout {layout:.1f} ms, before {old_layout:.1f} ms")


def bytes_a_move(trees: Trees, browser: Browser) -> Pair:
    """Kilobytes that the page receives for a whole move made by clicking, in both trees."""
    return pair(received_a_move(tree, browser) for tree in trees)


def received_a_move(tree: Tree, browser: Browser) -> float:
    """Kilobytes that the page receives from the first click to the announcement."""
    with running(tree, *PLAY) as program, fresh(browser) as (page, devtools):
        traffic = watched(devtools)
        page.goto(program.address)
        waits_for_move(page)
        expect(page.locator(".pieces .piece")).to_have_count(PIECES)
        begun = traffic.received
        for number, move in enumerate(MOVES, 1):
            page.mouse.click(*cell(page, move[:2]))
            expect(page.locator(".hand .piece")).to_have_count(1)
            page.mouse.click(*cell(page, move[2:]))
            expect(page.locator("#moves li.announced, #moves li.settled")).to_have_count(number)
        page.wait_for_timeout(1000 * REST_S)
    return (traffic.received - begun) / 1000 / len(MOVES)
