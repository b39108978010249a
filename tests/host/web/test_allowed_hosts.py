# SPDX-License-Identifier: Apache-2.0
"""Printed addresses can be opened; a wildcard address prints the machine's own ones."""

from __future__ import annotations

import ipaddress
import socket

import pytest

from companion.host.web.allowed_hosts import own_addresses, urls
from companion.host.web.server import listen


def test_a_chosen_address_is_printed() -> None:
    with listen("127.0.0.1", 0) as listener:
        assert listener.urls() == (f"http://127.0.0.1:{listener.getsockname()[1]}/",)
    assert urls("https", "2001:db8::7", 443) == ("https://[2001:db8::7]:443/",)


@pytest.mark.parametrize("every", ["0.0.0.0", "::"])
def test_a_wildcard_address_prints_the_addresses_reachable_for_other_devices(every: str) -> None:
    found = urls("http", every, 8765, ["pi.example"])
    assert found[0] == "http://pi.example:8765/"
    assert found[-1] == "http://localhost:8765/"
    assert not [url for url in found if "0.0.0.0" in url or "[::]" in url]
    assert len(set(found)) == len(found)


def test_the_machines_own_addresses_can_be_bound_and_are_not_loopback() -> None:
    for address in own_addresses(is_six=True):
        of = ipaddress.ip_address(address)
        assert not of.is_loopback
        family = socket.AF_INET6 if of.version == 6 else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as own:
            own.bind((address, 0))  # refused by the system for foreign addresses
