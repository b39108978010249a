# SPDX-License-Identifier: Apache-2.0
"""UF2 files: what is copied to the drive of a Pico to flash it.

The format is at https://github.com/microsoft/uf2: blocks of 512 bytes, each with its address.
"""

from __future__ import annotations

import struct
from typing import Final

FLASH_AT: Final = 0x10000000
RP2040_FAMILY: Final = 0xE48BFF56
PAGE: Final = 256
_MAGIC: Final = (0x0A324655, 0x9E5D5157, 0x0AB16F30)
_HAS_FAMILY: Final = 0x2000
_DATA_BYTES: Final = 476


def uf2(image: bytes) -> bytes:
    """Return the UF2 file that writes *image* to the beginning of the flash.

    The last page is filled up with zeros.
    """
    pages = [image[at : at + PAGE].ljust(PAGE, b"\0") for at in range(0, len(image), PAGE)]
    return b"".join(
        struct.pack(
            "<8I", *_MAGIC[:2], _HAS_FAMILY, FLASH_AT + number * PAGE, PAGE, number, len(pages), RP2040_FAMILY
        )
        + page.ljust(_DATA_BYTES, b"\0")
        + struct.pack("<I", _MAGIC[2])
        for number, page in enumerate(pages)
    )
