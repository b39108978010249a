# SPDX-License-Identifier: Apache-2.0
"""The boot stage of the RP2040: code, and the CRC that its boot ROM checks."""

from __future__ import annotations

from typing import Final

CODE_BYTES: Final = 252
_POLYNOMIAL: Final = 0x04C11DB7


def boot_crc(code: bytes) -> int:
    """Return the CRC-32 of *code* as the boot ROM computes it, highest bit first."""
    crc = 0xFFFFFFFF
    for byte in code:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (_POLYNOMIAL if crc >> 31 else 0)) & 0xFFFFFFFF
    return crc


def boot_stage(code: bytes) -> str:
    """Return assembly with *code*, padded with zeros, and its CRC.

    Raises `ValueError` if *code* has more than 252 bytes.
    """
    if len(code) > CODE_BYTES:
        raise ValueError(f"the boot stage has {len(code)} bytes; allowed: {CODE_BYTES}")
    code = code.ljust(CODE_BYTES, b"\0")
    whole = code + boot_crc(code).to_bytes(4, "little")
    rows = [", ".join(f"0x{byte:02x}" for byte in whole[at : at + 16]) for at in range(0, len(whole), 16)]
    return '.section .boot2_image, "a"\n' + "".join(f".byte {row}\n" for row in rows)
