# SPDX-License-Identifier: Apache-2.0
"""An arbiter's hands at the desk, which count presses and keys of each act."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from playwright.sync_api import Locator, Page, expect

MOST_PRESSES, MOST_KEYS = 2, 8


@dataclass
class Counted:
    """Hands at *desk*; the acts done so far, with their presses and keys."""

    desk: Page
    acts: dict[str, tuple[int, int]] = field(default_factory=dict)
    _presses: int = 0
    _keys: int = 0

    def press(self, what: Locator) -> None:
        """Click *what*."""
        self._presses += 1
        what.click()

    def type(self, text: str) -> None:
        """Press the keys of *text*; a newline is Enter."""
        for key in text:
            self._keys += 1
            self.desk.keyboard.press({"\n": "Enter", " ": "Space"}.get(key, key))

    def choose(self, what: Locator, option: str) -> None:
        """Choose *option* of a list: one press."""
        self._presses += 1
        what.select_option(option)

    def done(self, act: str, shows: Callable[[], None]) -> None:
        """Note *act*, as soon as the desk *shows* it."""
        shows()
        presses, keys = self.acts.get(act, (0, 0))
        self.acts[act] = max(presses, self._presses), max(keys, self._keys)
        self._presses = self._keys = 0

    def exceeding(self) -> dict[str, tuple[int, int]]:
        """The acts that need too much."""
        return exceeding(self.acts)


def exceeding(acts: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Those of *acts* that need more than two presses, or more than eight keys."""
    return {
        act: (presses, keys)
        for act, (presses, keys) in acts.items()
        if presses > MOST_PRESSES or keys > MOST_KEYS
    }


def state_of(desk: Page, board: str, state: str) -> Callable[[], None]:
    """Expects the tile of *board* to be in *state*."""
    return lambda: expect(desk.locator(f'.tile[data-board="{board}"]')).to_have_attribute("data-state", state)


def written(desk: Page, text: str) -> Callable[[], None]:
    """Expects the newest line of the book to contain *text*."""
    return lambda: expect(desk.locator("#book li").first).to_contain_text(text)
