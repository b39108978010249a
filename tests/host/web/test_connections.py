# SPDX-License-Identifier: Apache-2.0
"""Limits on connections: which are kept under load, and for how long."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.host.web.connections import (
    ANSWER_S,
    BODY_S,
    CLOSE_S,
    HEAD_S,
    IDLE_S,
    Connection,
    Connections,
    Room,
    Stage,
)


@dataclass
class Transport:
    """A connection that records its closing."""

    is_aborted: bool = False
    is_ending: bool = False

    def abort(self) -> None:
        self.is_aborted = True

    def is_closing(self) -> bool:
        return self.is_aborted or self.is_ending


@dataclass
class Server:
    """A connection table with its own clock."""

    room: Room = field(default_factory=lambda: Room(most=8, per_address=4, reserved=2))
    now_s: float = 0.0

    def __post_init__(self) -> None:
        self.table = Connections(self.room, lambda: self.now_s)

    def enter(self, address: str = "a") -> Connection:
        return self.table.enter(address, Transport())

    def asking(self, address: str = "a", *, is_trusted: bool = False, has_body: bool = False) -> Connection:
        connection = self.enter(address)
        connection.begin(address, is_trusted=is_trusted, has_body=has_body)
        return connection

    def wait(self, seconds: float) -> None:
        self.now_s += seconds
        self.table.sweep()


def is_closed(connection: Connection) -> bool:
    assert isinstance(connection.transport, Transport)
    return connection.transport.is_aborted


def test_a_new_connection_replaces_the_oldest_silent_one_of_its_address() -> None:
    server = Server()
    entered = [server.enter() for _ in range(6)]
    assert [is_closed(each) for each in entered] == [True, True, False, False, False, False]
    assert not is_closed(server.enter("b"))
    assert len(server.table) == 5


def test_the_connection_with_the_fewest_requests_is_closed_first() -> None:
    server = Server()
    asking, idle, half, silent = (
        server.asking(),
        server.asking(),
        server.asking(has_body=True),
        server.enter(),
    )
    idle.answered()
    last = [server.enter()]
    for expected in (half, silent, *last):
        assert is_closed(expected) == (expected is half)
    for expected in (silent, last[0]):
        last.append(server.enter())
        assert is_closed(expected)
    assert not is_closed(idle)
    assert not is_closed(asking)


def test_the_address_with_most_connections_loses_one_when_all_places_are_taken() -> None:
    server = Server()
    many, few = [server.enter("many") for _ in range(4)], [server.enter(each) for each in "abcd"]
    new = server.enter("new")
    assert [is_closed(each) for each in (*many, *few, new)] == [True, *[False] * 8]


def test_spectators_leave_places_free_and_are_never_closed_for_others() -> None:
    server = Server()
    watching = [server.enter(str(number)) for number in range(8)]
    assert [each.watch(each.address) for each in watching] == [True] * 6 + [False] * 2
    for number in range(20):
        server.enter(f"more {number}")
    assert not any(is_closed(each) for each in watching[:6])
    assert len(server.table) == 8


def test_spectators_are_limited_by_address_also_behind_a_proxy() -> None:
    server = Server()
    lines = [server.enter("proxy") for _ in range(4)]
    assert all(each.watch("behind") for each in lines)
    assert not server.enter("proxy").watch("behind")
    assert server.enter("proxy").watch("another")


def test_an_arbiter_is_never_closed_for_others_whatever_the_address() -> None:
    server = Server()
    arbiter = server.asking(is_trusted=True)
    desk = server.asking()
    desk.trust()
    for number in range(100):
        server.enter("a" if number % 2 else f"b{number}")
    arbiter.answered()
    for number in range(100):
        server.enter("a" if number % 2 else f"b{number}")
    assert not is_closed(arbiter)
    assert not is_closed(desk)
    again = server.asking()
    arbiter.begin("a", is_trusted=False, has_body=False)
    assert arbiter.stage == again.stage == Stage.ASKING, "each request shows its own token"


@pytest.mark.parametrize(
    ("has_body", "is_answered", "patience_s"),
    [(True, False, BODY_S), (False, False, ANSWER_S), (False, True, IDLE_S)],
)
def test_incomplete_requests_unread_answers_and_idle_connections_are_closed_in_time(
    *, has_body: bool, is_answered: bool, patience_s: float
) -> None:
    server = Server()
    connection = server.asking(has_body=has_body)
    if is_answered:
        connection.answered()
    server.wait(patience_s - 0.1)
    assert not is_closed(connection)
    server.wait(0.2)
    assert is_closed(connection)
    assert len(server.table) == 0


def test_silent_connections_are_closed_in_time_but_not_spectators_or_complete_requests() -> None:
    server = Server()
    silent, watching, asking = server.enter(), server.enter(), server.asking(has_body=True)
    assert watching.watch("a")
    asking.complete()
    server.wait(HEAD_S + 0.1)
    server.wait(BODY_S)
    assert [is_closed(each) for each in (silent, watching, asking)] == [True, False, False]


def test_a_closing_connection_that_reads_nothing_is_aborted() -> None:
    server = Server()
    watching = server.enter()
    assert watching.watch("a")
    assert isinstance(watching.transport, Transport)
    watching.transport.is_ending = True
    server.wait(0)
    assert not is_closed(watching)
    server.wait(CLOSE_S)
    assert is_closed(watching)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["enter", "ask", "body", "arbiter", "whole", "answered", "watch", "leave", "wait"]
            ),
            st.sampled_from("abc"),
            st.integers(0, 20),
        ),
        max_size=120,
    )
)
def test_connections_never_exceed_the_places(
    steps: list[tuple[str, str, int]],
) -> None:
    server = Server()
    known: list[Connection] = []
    for what, address, number in steps:
        chosen = known[number % len(known)] if known else server.enter(address)
        match what:
            case "enter":
                known.append(server.enter(address))
            case "ask" | "body" | "arbiter":
                chosen.begin(address, is_trusted=what == "arbiter", has_body=what == "body")
            case "whole":
                chosen.complete()
            case "answered":
                chosen.answered()
            case "watch":
                chosen.watch(address)
            case "leave":
                chosen.leave()
            case "wait":
                server.wait(number)
        table = server.table
        assert len(table) <= server.room.most
        assert len(table) == sum(table.count(stage) for stage in Stage)
        assert table.count(Stage.WATCHING) <= server.room.most - server.room.reserved
        for each in "abc":
            passing = sum(table.count(stage, each) for stage in (Stage.SILENT, Stage.IDLE, Stage.ASKING))
            assert passing <= server.room.per_address
            assert table.count(Stage.WATCHING, each) <= server.room.per_address
