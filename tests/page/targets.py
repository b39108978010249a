# SPDX-License-Identifier: Apache-2.0
"""How large what is pressed has to be, for tests of pages."""

from __future__ import annotations

from typing import Final

SMALL: Final = """least => [...document.querySelectorAll("button, a[href], select, input")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }))
  .filter((each) => each.tagName !== "A" || getComputedStyle(each).display !== "inline" ||
    ![...each.parentElement.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && /\\p{L}{2}/u.test(node.data)))
  .map((each) => [each, (each.type === "checkbox" ? each.closest("label") : each).getBoundingClientRect()])
  .filter(([, { width, height }]) => Math.min(width, height) < least - 0.5)
  .map(([each, { width, height }]) => `${each.id || each.textContent.trim()}: ${width} x ${height}`)"""
"""What is pressed, and is smaller than it should be.

Links within a sentence are as high as it. Cells of boards are zoomed.
"""

LEAST: Final = {"desktop": 24, "tablet": 24, "phone": 44}
"""The least width and height of what is pressed, in pixels."""
