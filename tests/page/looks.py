# SPDX-License-Identifier: Apache-2.0
"""The looks in which walks run: three sizes of window, light and dark."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, Final, Literal, TypeAlias

from playwright.sync_api import Browser, BrowserContext, Page

Scheme: TypeAlias = Literal["light", "dark"]

SIZES: Final = {"desktop": (1440, 900), "tablet": (820, 1180), "phone": (390, 844)}
SCHEMES: Final[tuple[Scheme, ...]] = ("light", "dark")


@dataclass(frozen=True)
class Look:
    """A size of window, which is a key of `SIZES`, and a colour scheme."""

    size: str
    scheme: Scheme

    def __str__(self) -> str:
        return f"{self.size}-{self.scheme}"


def looks(*sizes: str) -> list[Look]:
    """The looks of *sizes*, or of all; that of the usual suite first."""
    return [Look(size, scheme) for size, scheme in product(sizes or SIZES, SCHEMES)]


class Looking:
    """A browser whose pages have a look, unless they are opened with another.

    It has of `Browser` what opens pages.
    """

    def __init__(self, browser: Browser, look: Look) -> None:
        self._browser = browser
        width, height = SIZES[look.size]
        self._look: Any = {"viewport": {"width": width, "height": height}, "color_scheme": look.scheme}

    def new_context(self, **options: Any) -> BrowserContext:
        """A context with the look and *options*."""
        return self._browser.new_context(**(self._look | options))

    def new_page(self, **options: Any) -> Page:
        """A page in a context of its own with the look and *options*."""
        return self._browser.new_page(**(self._look | options))


def resized(page: Page, size_px: tuple[int, int]) -> None:
    """Resize the window of *page*, and wait until it is drawn."""
    width, height = size_px
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
