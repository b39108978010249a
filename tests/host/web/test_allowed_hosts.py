# SPDX-License-Identifier: Apache-2.0
"""The addresses that are printed can be opened: where pages are served at all addresses, the machine's own are named."""

from __future__ import annotations

import ipaddress
import socket

import pytest

from companion.host.web.allowed_hosts import own_addresses, urls
from companion.host.web.server import listen


def test_an_address_that_was_chosen_is_the_one_that_is_named() -> None:
    with listen("127.0.0.1", 0) as listener:
        assert listener.urls() == (f"http://127.0.0.1:{listener.getsockname()[1]}/",)
    assert urls("https", "2001:db8::7", 443) == ("https://[2001:db8::7]:443/",)


@pytest.mark.parametrize("every", ["0.0.0.0", "::"])
def test_all_addresses_are_named_by_those_that_other_devices_can_open(every: str) -> None:
    found = urls("http", every, 8765, ["pi.example"])
    assert found[0] == "http://pi.example:8765/"
    assert found[-1] == "http://localhost:8765/"
    assert not [url for url in found if "0.0.0.0" in url or "[::]" in url]
    assert len(set(found)) == len(found)


def test_the_machines_own_addresses_are_its_own_and_can_be_reached_from_elsewhere() -> None:
    for address in own_addresses(is_six=True):
        of = ipaddress.ip_address(address)
        assert not of.is_loopback
        family = socket.AF_INET6 if of.version == 6 else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as own:
            own.bind((address, 0))  # which the system refuses for any address that is not its own
