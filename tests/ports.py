# SPDX-License-Identifier: Apache-2.0
"""Free ports for servers that need a fixed port."""

from __future__ import annotations

import random
import socket


def free_port() -> int:
    """A free port on loopback, outside the range of ephemeral ports."""
    for port in random.SystemRandom().sample(range(20_000, 32_000), 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("all ports are taken")
