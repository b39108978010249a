# SPDX-License-Identifier: Apache-2.0
"""A board as a file of KiCad 6. Pure: equal boards give equal text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, pairwise
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from firmware.hardware.copper import VIA_DRILL_MM, VIA_MM, At, Board, Mark, Pad, Placed

_LAYERS: Final = (
    (0, "F.Cu", "signal"), (31, "B.Cu", "signal"), (34, "B.Paste", "user"), (35, "F.Paste", "user"),
    (36, "B.SilkS", "user"), (37, "F.SilkS", "user"), (38, "B.Mask", "user"), (39, "F.Mask", "user"),
    (44, "Edge.Cuts", "user"), (48, "B.Fab", "user"), (49, "F.Fab", "user"),
)  # fmt: skip
_ZONE_MARGIN: Final = 0.5


def kicad_pcb(board: Board) -> str:
    """The text of *board*, with unfilled zones of ground on both sides."""
    writer = _Writer(board)
    return "\n".join(writer.lines()) + "\n"


def _mm(length: float) -> str:
    """A length as KiCad writes it."""
    text = f"{length:.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _xy(at: At) -> str:
    return f"{_mm(at.x)} {_mm(at.y)}"


class _Writer:
    """A board while it is written; stamps are counted, so that they do not change."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.nets = {net: number for number, net in enumerate(board.nets(), 1)}
        self._stamps = count()

    def stamp(self) -> str:
        return f"(tstamp {uuid5(NAMESPACE_URL, f'{self.board.name}/{next(self._stamps)}')})"

    def lines(self) -> Iterator[str]:
        board = self.board
        yield "(kicad_pcb (version 20211014) (generator companion)"
        yield '  (general (thickness 1.6)) (paper "A2")'
        layers = " ".join(f'({number} "{name}" {kind})' for number, name, kind in _LAYERS)
        yield f"  (layers {layers})"
        yield "  (setup (pad_to_mask_clearance 0))"
        yield '  (net 0 "")'
        yield from (f'  (net {number} "{net}")' for net, number in self.nets.items())
        for part in board.parts:
            yield from self.part(part)
        for number, (at, drill) in enumerate(board.holes, 1):
            yield from self.hole(number, at, drill)
        corners = [At(0, 0), At(board.width, 0), At(board.width, board.height), At(0, board.height), At(0, 0)]
        for begin, end in pairwise(corners):
            yield f'  (gr_line (start {_xy(begin)}) (end {_xy(end)}) (layer "Edge.Cuts") (width 0.1) {self.stamp()})'
        for mark in board.marks:
            yield self.mark(mark)
        for track in board.tracks:
            yield (
                f"  (segment (start {_xy(track.begin)}) (end {_xy(track.end)}) (width {_mm(track.width)})"
                f' (layer "{track.layer}") (net {self.nets[track.net]}) {self.stamp()})'
            )
        for via in board.vias:
            yield (
                f"  (via (at {_xy(via.at)}) (size {VIA_MM}) (drill {VIA_DRILL_MM})"
                f' (layers "F.Cu" "B.Cu") (net {self.nets[via.net]}) {self.stamp()})'
            )
        for layer in ("F.Cu", "B.Cu"):
            yield self.zone(layer)
        yield ")"

    def part(self, part: Placed) -> Iterator[str]:
        """A footprint with its pads and the outline of its body."""
        shape = part.footprint
        side = "B" if shape.is_below else "F"
        turn = " 180" if part.is_turned else ""
        is_through = any(pad.drill for pad in shape.pads)
        flags = "through_hole" if is_through else "smd"
        if not part.is_fitted:
            flags += " exclude_from_pos_files exclude_from_bom"
        yield f'  (footprint "companion:{shape.name}" (layer "{side}.Cu") {self.stamp()} (at {_xy(part.at)}{turn})'
        yield f"    (attr {flags})"
        for kind, text in (("reference", part.ref), ("value", part.kind)):
            mirrored = " (justify mirror)" if shape.is_below else ""
            yield (
                f'    (fp_text {kind} "{text}" (at 0 0{turn}) (layer "{side}.Fab")'
                f" (effects (font (size 0.8 0.8) (thickness 0.12)){mirrored}) {self.stamp()})"
            )
        left, upper, right, lower = shape.body
        yield (
            f"    (fp_rect (start {_mm(left)} {_mm(upper)}) (end {_mm(right)} {_mm(lower)})"
            f' (layer "{side}.Fab") (width 0.1) (fill none) {self.stamp()})'
        )
        for pad in shape.pads:
            yield self.pad(part, pad, turn)
        yield "  )"

    def pad(self, part: Placed, pad: Pad, turn: str) -> str:
        net = part.nets[pad.number]
        kind, form, layers = "smd", "rect", '"F.Cu" "F.Paste" "F.Mask"'
        if pad.drill:
            form = "rect" if pad.number == "1" else "circle"
            kind, layers = "thru_hole", '"*.Cu" "*.Mask"'
        drill = f" (drill {_mm(pad.drill)})" if pad.drill else ""
        return (
            f'    (pad "{pad.number}" {kind} {form} (at {_xy(pad.at)}{turn}) (size {_mm(pad.width)}'
            f' {_mm(pad.height)}){drill} (layers {layers}) (net {self.nets[net]} "{net}") {self.stamp()})'
        )

    def hole(self, number: int, at: At, drill: float) -> Iterator[str]:
        """A hole without copper."""
        size = f"(size {_mm(drill)} {_mm(drill)}) (drill {_mm(drill)})"
        yield f'  (footprint "companion:hole" (layer "F.Cu") {self.stamp()} (at {_xy(at)})'
        yield "    (attr exclude_from_pos_files exclude_from_bom)"
        yield (
            f'    (fp_text reference "HOLE{number}" (at 0 0) (layer "F.Fab")'
            f" (effects (font (size 0.8 0.8) (thickness 0.12))) {self.stamp()})"
        )
        yield f'    (pad "" np_thru_hole circle (at 0 0) {size} (layers "*.Cu" "*.Mask") {self.stamp()})'
        yield "  )"

    def mark(self, mark: Mark) -> str:
        side, mirrored = ("B", " (justify mirror)") if mark.is_below else ("F", "")
        size = _mm(mark.size)
        return (
            f'  (gr_text "{mark.text}" (at {_xy(mark.at)}) (layer "{side}.SilkS") {self.stamp()}'
            f" (effects (font (size {size} {size}) (thickness {_mm(mark.size * 0.15)})){mirrored}))"
        )

    def zone(self, layer: str) -> str:
        """Ground over the whole of a side."""
        low, right, lower = _ZONE_MARGIN, self.board.width - _ZONE_MARGIN, self.board.height - _ZONE_MARGIN
        corners = (At(low, low), At(right, low), At(right, lower), At(low, lower))
        points = " ".join(f"(xy {_xy(corner)})" for corner in corners)
        return (
            f'  (zone (net {self.nets["GND"]}) (net_name "GND") (layer "{layer}") {self.stamp()} (hatch edge 0.5)'
            " (connect_pads (clearance 0.25)) (min_thickness 0.25)"
            " (fill yes (thermal_gap 0.3) (thermal_bridge_width 0.5))"
            f" (polygon (pts {points})))"
        )
