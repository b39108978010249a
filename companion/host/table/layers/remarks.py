# SPDX-License-Identifier: Apache-2.0
"""Remarks on a game elsewhere, such as who has left it."""

from __future__ import annotations

from collections.abc import Mapping

from companion.feedback.shown import Remark, Shown
from companion.host.table.layers.layer import Layer
from companion.host.text.error_translation import translate


class Remarks(Layer):
    """The remarks of one game; the page shows them before its own notices."""

    def __init__(self) -> None:
        self.said: Mapping[str, str] = {}
        """The remarks, by subject."""

    def say(self, about: str, said: str) -> bool:
        """Remark *said* instead of what was remarked *about* the same; true if that is news."""
        if self.said.get(about, "") == said:
            return False
        kept = {name: text for name, text in self.said.items() if name != about}
        self.said = {**kept, about: said} if said else kept
        return True

    def added_to(self, shown: Shown) -> Shown:
        """Return *shown* with the remarks."""
        if not self.said:
            return shown
        said = ((about, translate(text, shown.language)) for about, text in self.said.items())
        remarks = tuple(Remark(about, text[:1].upper() + text[1:]) for about, text in said)
        return shown._replace(remarks=remarks)
