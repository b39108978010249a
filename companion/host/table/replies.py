# SPDX-License-Identifier: Apache-2.0
"""What became of a request about the position or the record, for those who sit at the table."""

from __future__ import annotations

from dataclasses import dataclass

from companion.feedback.words import Words
from companion.host.text.error_translation import translated
from companion.model.game import Violation


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of the last request about the position or the record."""

    number: int = 0
    """Counts them."""
    fault: str = ""
    """Why it cannot be had, in English; empty if it can, or the board has changed since."""
    violation: Violation | None = None
    """The rule that forbids it, if one does."""

    def text(self, words: Words) -> str:
        """The reason in *words*."""
        if self.violation is not None:
            return words.sentence(self.violation)
        said = translated(self.fault, words.language)
        return said[:1].upper() + said[1:]
