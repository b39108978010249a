# SPDX-License-Identifier: Apache-2.0
"""Two halls of one name at one broker warn, and stop when one has gone."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from companion.host.hall.keys.keyring import HallKeys
from companion.host.hall.stations.other_halls import OtherHalls
from companion.host.retry import Intervals
from tests.brokers import mosquitto
from tests.host.hall.halls import hall_at, until

SILENT_MS = 30_000


class Hearer:
    """A hall's view of the others, with a manual clock."""

    def __init__(self) -> None:
        self.now_ms = 0
        self.shown = False
        self.others = OtherHalls("own", lambda: self.now_ms, self.show, Intervals(halls_s=10))

    def show(self, are_others: bool) -> None:
        self.shown = are_others


@pytest.fixture
def hearer() -> Hearer:
    return Hearer()


def test_a_new_hall_is_answered_once_and_shown_until_it_goes(hearer: Hearer) -> None:
    assert hearer.others.receive("here other")
    assert not hearer.others.receive("here other")
    assert hearer.shown
    hearer.others.receive("gone third")
    assert hearer.shown
    hearer.others.receive("gone other")
    assert not hearer.shown


def test_a_silent_hall_counts_as_gone(hearer: Hearer) -> None:
    hearer.others.receive("here other")
    hearer.now_ms += SILENT_MS
    hearer.others.receive("here other")
    hearer.now_ms += SILENT_MS
    hearer.others.look()
    assert hearer.shown
    hearer.now_ms += 1
    hearer.others.look()
    assert not hearer.shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "here",
        "here ",
        "here own",
        "gone own",
        "here a b",
        "here a\n",
        f"here {'a' * 33}",
        "here <b>",
        "x a",
    ],
)
def test_own_and_unknown_messages_are_ignored(text: str, hearer: Hearer) -> None:
    assert not hearer.others.receive(text)
    assert not hearer.shown


def test_many_invented_halls_are_not_remembered(hearer: Hearer) -> None:
    for number in range(100):
        hearer.others.receive(f"here {number}")
    for number in range(8):
        assert hearer.shown
        hearer.others.receive(f"gone {number}")
    assert not hearer.shown


def test_two_halls_of_one_name_warn_at_both_desks_until_one_has_gone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        one, two = tmp_path / "one", tmp_path / "two"
        stores = [f"sqlite:///{folder}/hall.sqlite" for folder in (one, two)]
        async with mosquitto(tmp_path) as broker:
            url = f"mqtt://127.0.0.1:{broker.port}/club"
            async with hall_at(one, stores[0], url, HallKeys(one, "club")) as first:
                async with hall_at(two, stores[1], url, HallKeys(two, "club")) as second:
                    for hall in (first, second):
                        await until(lambda hall=hall: bool(hall.faults.get("another hall")), "both warn")  # type: ignore[misc]
                        (fault,) = hall.faults["another hall"]
                        assert fault.startswith(
                            f"another hall at the broker 127.0.0.1:{broker.port} is named club"
                        )
                await until(lambda: not first.faults["another hall"], "the other has gone")
                async with hall_at(two, stores[1], url, HallKeys(two, "club")) as second:
                    await until(lambda: bool(first.faults["another hall"]), "it is back")
                    broker.kill()
                    await until(lambda: bool(first.faults.get("broker")), "the broker is lost")
                    assert not first.faults["another hall"], "nobody knows now"

    asyncio.run(scenario())
    assert sum("is named club, too" in record.getMessage() for record in caplog.records) >= 2
