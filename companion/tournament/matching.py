# SPDX-License-Identifier: Apache-2.0
"""Matchings of the greatest weight, by py4swiss' port of the blossom algorithm in C++.

The library adjusts a matching after a few weights have changed, which pairing systems need:
they decide one player after the other. Weights have any number of bits.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from py4swiss.dynamicuint import DynamicUint
from py4swiss.matching_computer import ComputerDutchOptimality, ComputerDutchValidity

_STEP: Final = 16
"""Bits that are handed over at a time; the library takes 32 at most."""
_MARGIN: Final = 2
"""Bits above the weights that the library needs."""


class WeightedGraph:
    """A graph whose matching of the greatest weight can be asked for again and again."""

    def __init__(self, size: int, bits: int) -> None:
        """*size* vertices without edges; weights have *bits* bits at most."""
        largest = DynamicUint(1)
        for _ in range(bits + _MARGIN):
            largest.shift_grow(1)
        largest >>= 1
        self._zero = largest & 0
        largest -= self._zero | 1
        self._bits = bits
        self._known = {0: self._zero}
        self._computer = ComputerDutchOptimality(size, largest)
        for _ in range(size):
            self._computer.add_vertex()
        self.size = size

    def set(self, one: int, other: int, weight: int) -> None:
        """Give the edge between two vertices its *weight*; 0 removes it."""
        known = self._known.get(weight)
        if known is None:
            known = self._known[weight] = self._converted(weight)
        self._computer.set_edge_weight(one, other, known)

    def remove(self, vertex: int) -> None:
        """Remove all edges of *vertex*."""
        for other in range(self.size):
            if other != vertex:
                self._computer.set_edge_weight(vertex, other, self._zero)

    def matching(self) -> list[int]:
        """The partner of each vertex, itself without one."""
        self._computer.compute_matching()
        found: list[int] = self._computer.get_matching()
        return found

    def _converted(self, weight: int) -> DynamicUint:
        found = DynamicUint(self._zero)
        for shift in range((self._bits - 1) // _STEP * _STEP, -1, -_STEP):
            found <<= _STEP
            found |= weight >> shift & (1 << _STEP) - 1
        return found


def is_perfect(size: int, edges: Collection[tuple[int, int]]) -> bool:
    """True if *edges* can give each of *size* vertices a partner of its own."""
    computer = ComputerDutchValidity(size, 1)
    for _ in range(size):
        computer.add_vertex()
    for one, other in edges:
        computer.set_edge_weight(one, other, 1)
    computer.compute_matching()
    return all(vertex != partner for vertex, partner in enumerate(computer.get_matching()))
