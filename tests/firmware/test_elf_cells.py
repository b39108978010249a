# SPDX-License-Identifier: Apache-2.0
"""Switches of the shipped panels on the real firmware.

Each cell alone, bounce, order, buttons and lever.
"""

import random
from collections.abc import Iterator, Sequence

import pytest

from companion.link.panel import load_panel
from companion.link.protocol_gen import (
    INPUT_BUTTON,
    INPUT_LEVER,
    GetSnapshot,
    GetSnapshotReply,
    Health,
    Heartbeat,
    Stats,
    StatsReply,
)
from tests.firmware.boards import PANELS, Board, board
from tests.firmware.simulator import Simulator
from tests.firmware.talk import Talk

pytestmark = pytest.mark.firmware
DEBOUNCE_MS = 4
CHATTER_EXTRA_MS = 12
BOUNCES_MS = (0, 0.75, 1.5, 2.25, 3.0)
"""Changes of a contact that bounces as long as ordinary ones do."""
MATRICES = [name for name in PANELS if load_panel(name).wiring.startswith("matrix")]
START_MS = 120
"""By then the largest panel has its unique id, dark LEDs, and has sent BOOT."""


def greeted(sim: Simulator) -> Talk:
    talk = Talk(sim)
    talk.listen(START_MS)
    talk.hello()
    talk.notices.clear()
    return talk


def link_lines(sim: Simulator, cell: int) -> list[int]:
    """The cells that the panel reports when a piece is put on *cell*, in order."""
    talk = greeted(sim)
    sim.cell(cell, True)
    talk.listen(30)
    return sorted(edge.input for edge in talk.edges())


@pytest.fixture(params=PANELS)
def panel(request: pytest.FixtureRequest) -> Board:
    return board(str(request.param))


@pytest.fixture
def talk() -> Iterator[Talk]:
    with board("8x8").powered() as sim:
        yield greeted(sim)


def test_each_cell_is_reported_alone_in_order_and_to_the_millisecond(panel: Board) -> None:
    cells = list(range(panel.panel.cells))
    random.Random(4).shuffle(cells)
    with panel.powered() as sim:
        talk = greeted(sim)
        truth = []
        for is_closed in (True, False):
            for cell in cells:
                truth.append((cell, is_closed, sim.ms))
                sim.cell(cell, is_closed)
                talk.listen(2)
        talk.listen(30)
        heard = talk.edges()
        assert [(edge.input, edge.is_closed) for edge in heard] == [(cell, level) for cell, level, _ in truth]
        assert [edge.number for edge in heard] == list(range(1, len(truth) + 1))
        late_ms = [edge.t_ms - ms for edge, (_, _, ms) in zip(heard, truth, strict=True)]
        assert max(late_ms) - min(late_ms) < 2.5, "stamps follow the first raw change"
        assert not talk.damaged


def test_simultaneous_changes_of_all_cells_are_reported(panel: Board) -> None:
    with panel.powered() as sim:
        talk = greeted(sim)
        for is_closed in (True, False):
            talk.notices.clear()
            for cell in range(panel.panel.cells):
                sim.cell(cell, is_closed)
            talk.listen(600)
            heard = talk.edges()
            assert sorted(edge.input for edge in heard) == list(range(panel.panel.cells))
            assert all(edge.is_closed is is_closed for edge in heard)
        beats = [notice for notice in talk.notices if isinstance(notice, Heartbeat)]
        assert not any(beat.health & Health.EDGES_LOST for beat in beats)


@pytest.mark.parametrize("is_closed", [True, False])
def test_a_bouncing_contact_is_one_edge_stamped_with_its_first_touch(talk: Talk, *, is_closed: bool) -> None:
    sim = talk.board
    if not is_closed:
        sim.cell(9, True)
        talk.listen(20)
        talk.notices.clear()
    reference = sim.ms
    for step in range(5):  # each level lasts longer than a scan period: the first touch is surely seen
        sim.cell(9, is_closed == (step % 2 == 0))
        talk.listen(1.1)
    talk.listen(20)
    sim.cell(10, True)
    after = sim.ms
    talk.listen(20)
    first, second = talk.edges()
    assert (first.input, first.is_closed) == (9, is_closed)
    assert second.t_ms - first.t_ms == pytest.approx(after - reference, abs=1.5)


def test_a_touch_shorter_than_the_debounce_time_is_no_edge(talk: Talk) -> None:
    for _ in range(20):
        talk.board.cell(30, True)
        talk.listen(DEBOUNCE_MS - 1.5)
        talk.board.cell(30, False)
        talk.listen(DEBOUNCE_MS + 2)
    assert talk.edges() == []


def test_a_touch_longer_than_the_debounce_time_is_two_edges(talk: Talk) -> None:
    talk.board.cell(30, True)
    talk.listen(DEBOUNCE_MS + 2)
    talk.board.cell(30, False)
    talk.listen(20)
    closed, opened = talk.edges()
    assert (closed.input, closed.is_closed, opened.input, opened.is_closed) == (30, True, 30, False)
    assert opened.t_ms - closed.t_ms in (5, 6, 7)


def test_a_chattering_cell_is_reported_and_delays_no_other(talk: Talk) -> None:
    sim = talk.board
    closed_ms = 0
    for step in range(400):
        sim.cell(5, step % 2 == 0)
        if step == 150:
            sim.cell(20, True)
            closed_ms = sim.now_ms
        talk.listen(0.7)  # no multiple of the scans' distance, or each may see the same level
        if closed_ms and any(edge.input == 20 for edge in talk.edges()):
            break
    assert sim.now_ms - closed_ms < 100
    sim.cell(5, False)
    talk.listen(1200)
    reply = talk.ask(Stats())
    assert isinstance(reply, StatsReply)
    assert reply.chatter > 0
    assert reply.chatter_input == 5
    beats = [notice for notice in talk.notices if isinstance(notice, Heartbeat)]
    assert any(beat.health & Health.CHATTER for beat in beats)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in (2, 3))])
def test_a_contact_that_chatters_for_tens_of_milliseconds_is_one_edge(talk: Talk, seed: int) -> None:
    chance = random.Random(seed)
    wanted = []
    for _ in range(20):
        cell = chance.randrange(64)
        for is_closed in (True, False):
            wanted.append((cell, is_closed))
            left_ms, level = chance.uniform(20, 60), is_closed
            while left_ms > 0:
                talk.board.cell(cell, level)
                pause_ms = min(left_ms, chance.expovariate(1 / 1.2))
                talk.listen(pause_ms)
                left_ms, level = left_ms - pause_ms, not level
            talk.board.cell(cell, is_closed)
            talk.listen(60)
    assert [(edge.input, edge.is_closed) for edge in talk.edges()] == wanted


def heard_after(talk: Talk, cell: int, changes: Sequence[tuple[float, bool]]) -> list[tuple[bool, float]]:
    """The level of each edge of *cell*, with the ms until its report."""
    talk.listen(100)
    talk.notices.clear()
    begun_ms, left, heard = talk.board.ms, [*changes], list[tuple[bool, float]]()
    while talk.board.ms - begun_ms < changes[-1][0] + 60:
        while left and talk.board.ms - begun_ms >= left[0][0]:
            talk.board.cell(cell, left.pop(0)[1])
        talk.listen(0.25)
        heard += [(edge.is_closed, talk.board.ms - begun_ms) for edge in talk.edges() if edge.input == cell]
        talk.notices.clear()
    return heard


def chatter(chance: random.Random, during_ms: float, *, is_closed: bool) -> list[tuple[float, bool]]:
    """Changes of a contact that chatters, with pauses of 1.2 ms on average."""
    changes, at_ms, level = list[tuple[float, bool]](), 0.0, is_closed
    while at_ms < during_ms:
        changes.append((at_ms, level))
        at_ms, level = at_ms + chance.expovariate(1 / 1.2), not level
    return [*changes, (during_ms, is_closed)]


def report_ms(panel: Board) -> float:
    """The longest time from a contact's rest to its report."""
    return DEBOUNCE_MS + 1.5 + 2 * panel.panel.scan_period_us / 1000


def test_a_clean_contact_and_one_that_bounces_for_three_milliseconds_are_reported_at_once(
    panel: Board,
) -> None:
    chance = random.Random(6)
    with panel.powered() as sim:
        talk = greeted(sim)
        for turn in range(12):
            is_closed = turn % 2 == 0
            (clean,) = heard_after(talk, 5, [(chance.random(), is_closed)])
            assert clean[0] is is_closed
            assert DEBOUNCE_MS <= clean[1] <= report_ms(panel) + 1
            bounces = [(at_ms, is_closed == (step % 2 == 0)) for step, at_ms in enumerate(BOUNCES_MS)]
            (bounced,) = heard_after(talk, 7, bounces)
            assert bounced[0] is is_closed
            assert DEBOUNCE_MS <= bounced[1] <= BOUNCES_MS[-1] + report_ms(panel)


def test_a_contact_that_chatters_is_reported_once_when_it_rests(panel: Board) -> None:
    chance = random.Random(2)
    with panel.powered() as sim:
        talk = greeted(sim)
        for turn in range(8):
            is_closed, during_ms = turn % 2 == 0, chance.uniform(20, 60)
            (heard,) = heard_after(talk, 5, chatter(chance, during_ms, is_closed=is_closed))
            assert heard[0] is is_closed
            assert heard[1] <= during_ms + CHATTER_EXTRA_MS + report_ms(panel)


def test_a_hand_that_lifts_again_after_80_milliseconds_is_followed_without_delay(panel: Board) -> None:
    with panel.powered() as sim:
        talk = greeted(sim)
        for pause_ms in (80, 40, 26):  # the last one is just longer than what may be chatter
            changes = [(pause_ms * step, step % 2 == 0) for step in range(4)]
            heard = heard_after(talk, 5, changes)
            assert [level for level, _ in heard] == [level for _, level in changes]
            for (_, heard_ms), (at_ms, _) in zip(heard, changes, strict=True):
                assert DEBOUNCE_MS <= heard_ms - at_ms <= report_ms(panel) + 0.5


def test_a_reversal_that_may_be_chatter_is_reported_in_order_once_it_lasts(panel: Board) -> None:
    with panel.powered() as sim:
        talk = greeted(sim)
        (closed, opened) = heard_after(talk, 5, [(0, True), (12, False)])
        assert (closed[0], opened[0]) == (True, False)
        assert closed[1] <= report_ms(panel) + 0.5
        assert DEBOUNCE_MS + CHATTER_EXTRA_MS <= opened[1] - 12 <= CHATTER_EXTRA_MS + report_ms(panel) + 0.5
        assert [level for level, _ in heard_after(talk, 5, [(0, True), (8, False), (20, True)])] == [True]


def test_a_contact_of_twice_the_debounce_time_is_two_edges_also_soon_after_another(talk: Talk) -> None:
    begun_ms = talk.board.now_ms
    for _ in range(2):
        talk.board.cell(30, True)
        talk.listen(2 * DEBOUNCE_MS)
        talk.board.cell(30, False)
        talk.listen(50)
    heard = [(edge.is_closed, edge.t_ms - begun_ms) for edge in talk.edges()]
    assert [is_closed for is_closed, _ in heard] == [True, False, True, False]
    assert [after_ms for _, after_ms in heard] == pytest.approx([0, 8, 58, 66], abs=30)
    assert heard[1][1] - heard[0][1] == pytest.approx(8, abs=1)


@pytest.mark.parametrize("name", MATRICES)
def test_the_slowest_column_of_the_data_sheets_is_waited_for_twice_as_long(name: str) -> None:
    slow = board(name)
    column = slow.topology.column
    full = column.rise_us(closed=slow.panel.sensor_rows)
    with slow.powered(column=column.rising_in(2 * full)) as sim:
        assert link_lines(sim, cell=0) == [0]


@pytest.mark.parametrize("name", MATRICES)
def test_the_settling_time_of_a_column_is_that_of_the_panel(name: str) -> None:
    exact = board(name)
    with exact.powered(column=exact.topology.column.rising_in(exact.panel.settle_us)) as sim:
        assert link_lines(sim, cell=exact.panel.cells - 1 - exact.panel.files) == [
            exact.panel.cells - 1 - exact.panel.files
        ]


@pytest.mark.parametrize("name", MATRICES)
def test_a_column_that_rises_more_slowly_than_the_panel_waits_shows_a_piece_on_the_next_rank_too(
    name: str,
) -> None:
    slow = board(name)
    with slow.powered(column=slow.topology.column.rising_in(slow.panel.settle_us + 5)) as sim:
        assert link_lines(sim, cell=0) == [0, slow.panel.files]


def test_buttons_and_lever_share_the_order_and_numbers_of_cells(panel: Board) -> None:
    with panel.powered() as sim:
        talk = greeted(sim)
        truth: list[tuple[int, bool]] = []
        for place, button in enumerate(panel.buttons):
            for level in (0, None):
                sim.pin(button, level)
                truth.append((INPUT_BUTTON + place, level == 0))
                talk.listen(3)
                sim.cell(place, level == 0)
                truth.append((place, level == 0))
                talk.listen(8)
        if panel.panel.lever:
            for level in (0, 1):
                sim.pin(panel.lever, level)
                truth.append((INPUT_LEVER, level == 0))
                talk.listen(8)
        talk.listen(20)
        assert [(edge.input, edge.is_closed) for edge in talk.edges()] == truth
        assert [edge.number for edge in talk.edges()] == list(range(1, len(truth) + 1))


def test_the_snapshot_says_which_cells_are_closed(panel: Board) -> None:
    chosen = random.Random(8).sample(range(panel.panel.cells), panel.panel.cells // 3)
    with panel.powered() as sim:
        for cell in chosen:
            sim.cell(cell, True)
        talk = greeted(sim)
        state = b""
        while True:
            reply = talk.ask(GetSnapshot(len(state)))
            assert isinstance(reply, GetSnapshotReply)
            state += reply.state
            if len(state) >= reply.total:
                break
        closed = {bit for bit in range(panel.panel.cells) if state[bit // 8] >> bit % 8 & 1}
        assert closed == set(chosen)
        assert reply.sequence == 0
        assert talk.edges() == [], "what is closed at the start is no edge"


def test_a_board_on_which_every_cell_reads_closed_is_complained_of(panel: Board) -> None:
    with panel.powered() as sim:
        for cell in range(panel.panel.cells):
            sim.cell(cell, True)
        talk = Talk(sim)
        talk.listen(1500)
        beats = [notice for notice in talk.notices if isinstance(notice, Heartbeat)]
        assert beats[-1].health & Health.SELF_TEST


def test_a_column_shorted_to_ground_is_complained_of() -> None:
    direct = board("4x8")
    with direct.powered() as sim:
        sim.pin("PC2", 0)
        sim.reset()
        talk = Talk(sim)
        talk.listen(1500)
        beats = [notice for notice in talk.notices if isinstance(notice, Heartbeat)]
        assert beats[-1].health & Health.SELF_TEST
