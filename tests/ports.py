# SPDX-License-Identifier: Apache-2.0
"""Ports for servers that cannot be told to take any."""

from __future__ import annotations

import random
import socket


def free_port() -> int:
    """A port of the loopback that nobody has, and that no system gives to whoever asks for any port meanwhile."""
    for port in random.SystemRandom().sample(range(20_000, 32_000), 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("all ports are taken")
