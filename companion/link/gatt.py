# SPDX-License-Identifier: Apache-2.0
"""How Bluetooth LE eboards are recognised and reached: names and characteristics."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gatt:
    """One kind of eboard."""

    names: tuple[str, ...]
    """Beginnings of the names that such eboards announce."""
    notify: tuple[str, ...]
    """Characteristics by which the eboard reports."""
    write: str
    """The characteristic that takes messages."""
    is_stream: bool = False
    """True if a message may be cut into pieces."""

    def announces(self, name: str) -> bool:
        """True if an eboard of this kind may announce *name*.

        >>> Gatt(("Chessnut",), (), "").announces("Chessnut Air")
        True
        """
        return name.lower().startswith(tuple(each.lower() for each in self.names))
