# SPDX-License-Identifier: Apache-2.0
"""A real Mosquitto, opened by our script, lets each user use its own topics only."""

from __future__ import annotations

import asyncio
import re
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from companion.cli.main import main
from companion.host.hall.stations.broker_config import script
from companion.model.errors import SettingsError
from tests.brokers import Mosquitto, broker_beside
from tests.ports import free_port

T = TypeVar("T")


def opened_by_script(folder: Path, text: str, port: int) -> Mosquitto:
    """A broker with the configuration that *text* makes, on loopback only."""
    file = folder / "broker.sh"
    file.write_text(text)
    subprocess.run(["sh", str(file), str(folder)], check=True, env={"PATH": "/usr/sbin:/usr/bin:/bin"})
    broker = Mosquitto(folder)
    broker.port, broker.config = port, folder / "conf.d" / "companion.conf"
    settings = broker.config.read_text()
    assert f"listener {port}\n" in settings
    broker.config.write_text(
        "user root\n" + settings.replace(f"listener {port}\n", f"listener {port} 127.0.0.1\n")
    )
    return broker


class Client:
    """A client of the broker on loopback, which works only while it is asked."""

    def __init__(self, port: int, user: str | None, password: str | None) -> None:
        self._answers: list[bool] = []
        self._heard: list[tuple[str, bytes]] = []
        self._client = paho.Client(CallbackAPIVersion.VERSION2)
        if user is not None:
            self._client.username_pw_set(user, password)
        self._client.on_connect = lambda _c, _data, _flags, reason, _p: self._answers.append(
            not reason.is_failure
        )
        self._client.on_message = lambda _c, _data, said: self._heard.append(
            (said.topic, bytes(said.payload))
        )
        self._client.on_subscribe = lambda *_: self._answers.append(True)
        self._client.connect("127.0.0.1", port)
        self.is_admitted = self._next(self._answers)

    def _next(self, found: list[T]) -> T:
        while not found:
            self._client.loop(1)
        return found.pop(0)

    def subscribe(self, topic: str) -> None:
        """Return when the broker has answered."""
        self._client.subscribe(topic, qos=1)
        self._next(self._answers)

    def publish(self, topic: str, text: str) -> None:
        """Return when the broker has it, or has dropped it."""
        sent = self._client.publish(topic, text, qos=1)
        while not sent.is_published():
            self._client.loop(1)

    def heard(self) -> tuple[str, bytes]:
        """The next message."""
        return self._next(self._heard)

    def close(self) -> None:
        self._client.disconnect()


def test_a_broker_that_our_script_opens_has_a_user_for_each_station(tmp_path: Path) -> None:
    words = iter(("of-hall", "of-red", "of-blue"))
    port = free_port()
    text = script("club", ["red", "blue"], port, lambda: next(words))
    for name in ("red", "blue"):
        assert f"COMPANION_MQTT_PASSWORD=of-{name} companion hall table {name} GAME" in text
    with broker_beside(tmp_path) as usual, ExitStack() as later:
        usual.kill()
        broker = opened_by_script(tmp_path, text, port)
        later.callback(broker.kill)
        asyncio.run(broker.start())

        def client(user: str | None, password: str | None) -> Client:
            found = Client(port, user, password)
            later.callback(found.close)
            return found

        assert not client(None, None).is_admitted
        assert not client("red", "of-blue").is_admitted
        hall, red, blue = (client(user, f"of-{user}") for user in ("hall", "red", "blue"))
        assert all(each.is_admitted for each in (hall, red, blue))
        hall.subscribe("companion/club/up/+")
        for each in (red, blue):
            each.subscribe("companion/club/down/#")
            each.subscribe("companion/club/up/#")
        red.publish("companion/club/up/blue", "a stranger's")
        red.publish("companion/club/down/blue", "a stranger's")
        blue.publish("companion/club/up/blue", "its own")
        hall.publish("companion/club/down/red", "for red")
        hall.publish("companion/club/down/blue", "for blue")
        assert hall.heard() == ("companion/club/up/blue", b"its own")
        assert red.heard() == ("companion/club/down/red", b"for red")
        assert blue.heard() == ("companion/club/down/blue", b"for blue")


@pytest.mark.parametrize("name", ["hall", "a b", "red;reboot", "$x", "é"])
def test_a_name_that_is_no_stations_gets_no_user(name: str) -> None:
    with pytest.raises(SettingsError, match="cannot have a user at the broker"):
        script("club", [name])


def test_the_command_prints_the_script_with_new_passwords(capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for _ in range(2):
        assert main(["hall", "broker-config", "club", "red"]) == 0
        printed.append(capsys.readouterr().out)
    passwords = [re.findall(r"PASSWORD=(\S+)", text) for text in printed]
    assert len({*passwords[0], *passwords[1]}) == 4
    assert all(len(word) == 16 for word in passwords[0])
