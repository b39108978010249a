# SPDX-License-Identifier: Apache-2.0
"""Replies to requests about the position or the record."""

from __future__ import annotations

from dataclasses import dataclass

from companion.feedback.words import Words
from companion.host.text.error_translation import translate
from companion.model.game import Violation


@dataclass(frozen=True, slots=True)
class Reply:
    """Result of the last request about the position or the record."""

    number: int = 0
    """Counts the replies."""
    fault: str = ""
    """Reason for a refusal, in English; empty if granted, or the board has changed since."""
    violation: Violation | None = None
    """The rule that forbids it, if any."""

    def text(self, words: Words) -> str:
        """Return the reason in *words*."""
        if self.violation is not None:
            return words.sentence(self.violation)
        said = translate(self.fault, words.language)
        return said[:1].upper() + said[1:]
