# SPDX-License-Identifier: Apache-2.0
"""What the boot ROM of a Pico makes of a UF2 file, by the description."""

from __future__ import annotations

import struct
from typing import Final

PICO_ABOUT: Final = "UF2 Bootloader v3.0\nModel: Raspberry Pi RP2\nBoard-ID: RPI-RP2\n"
"""INFO_UF2.TXT of its drive."""


def image_of(data: bytes) -> bytes:
    """Return the flash image that *data* writes.

    Its blocks must be whole, in order and for the chip.
    """
    assert len(data) % 512 == 0
    image = b""
    for number in range(len(data) // 512):
        block = data[512 * number : 512 * number + 512]
        first, second, flags, address, size, index, count, family = struct.unpack_from("<8I", block)
        assert (first, second) == (0x0A324655, 0x9E5D5157)
        assert block[508:] == bytes.fromhex("306fb10a")
        assert (flags, family) == (0x2000, 0xE48BFF56)
        assert (index, count, size) == (number, len(data) // 512, 256)
        assert address == 0x10000000 + len(image)
        image += block[32 : 32 + size]
    return image
