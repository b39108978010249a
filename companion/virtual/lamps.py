# SPDX-License-Identifier: Apache-2.0
"""LEDs of a simulated panel: palette, blinking, brightness and current limit.

Pure. Rule: settings are visible only after the next output, as on a strip.
Figures are those of the firmware: 20 mA per channel at full brightness, 0.6 mA per idle LED.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, TypeAlias

from companion.link.protocol_gen import PALETTE_SIZE, Colour

Rgb: TypeAlias = tuple[int, int, int]

_CHANNEL_MA: Final = 20
_IDLE_MA: Final = 0.6
_TICK_MS: Final = 10
_DARK: Final = Colour(0, 0, 0, 0, 0, 0, 0, 0)


class Lamps:
    """*count* LEDs, dark until the first output."""

    def __init__(self, count: int, limit_ma: int) -> None:
        self._count = count
        self._idle_ma = int(count * _IDLE_MA)
        self.limit_ma = limit_ma
        self.brightness = 255
        self.is_dark = False
        """True while the host is silent: no LED is lit until it sends again."""
        self.is_limited = False
        self.current_ma = self._idle_ma
        """Estimated current of the LEDs at the last output."""
        self.image = [0] * count
        self.palette = [_DARK] * PALETTE_SIZE
        self._shown: tuple[Colour, ...] = ()
        self._scale = 0
        self.show()

    def restart(self) -> None:
        """Turn dark and reset all settings."""
        self.image = [0] * self._count
        self.palette = [_DARK] * PALETTE_SIZE
        self.is_dark = False
        self.show()

    def clear(self) -> None:
        """Set every LED to colour 0."""
        self.image = [0] * self._count

    def set(self, first: int, colours: list[int]) -> None:
        """Set the LEDs from *first* on to *colours*, palette indices."""
        self.image[first : first + len(colours)] = colours

    def show(self) -> None:
        """Send the data to the strip, dimmed to the current limit if necessary."""
        self._shown = tuple(map(self.palette.__getitem__, self.image))
        wanted_scale = self.brightness + 1
        lit = Counter(self.image).items()
        wanted = sum(number * _demand(self.palette[index]) for index, number in lit)
        wanted_ma = (wanted * _CHANNEL_MA // 255 + 1) * wanted_scale // 256
        free_ma = max(self.limit_ma - self._idle_ma, 0)
        self.is_limited = wanted_ma > free_ma
        self._scale = wanted_scale * free_ma // (wanted_ma + 1) if self.is_limited else wanted_scale
        self.current_ma = self._idle_ma + min(wanted_ma, free_ma)

    def lit(self, t_ms: int) -> tuple[Rgb, ...]:
        """The colour of each LED at *t_ms* of the panel's time."""
        if self.is_dark:
            return ((0, 0, 0),) * self._count
        return tuple(self._light(colour, t_ms) for colour in self._shown)

    def _light(self, colour: Colour, t_ms: int) -> Rgb:
        """*colour* at *t_ms*, dimmed."""
        is_second = False
        if colour.period:
            is_second = (t_ms // _TICK_MS + colour.phase) % colour.period >= (colour.period + 1) // 2
        red, green, blue = (
            (colour.red2, colour.green2, colour.blue2)
            if is_second
            else (colour.red, colour.green, colour.blue)
        )
        return self._scaled(red), self._scaled(green), self._scaled(blue)

    def _scaled(self, value: int) -> int:
        return value * self._scale >> 8


def _demand(colour: Colour) -> int:
    """Maximum current of *colour*, in steps of one channel."""
    second = colour.red2 + colour.green2 + colour.blue2 if colour.period else 0
    return max(colour.red + colour.green + colour.blue, second)
