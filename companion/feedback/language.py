# SPDX-License-Identifier: Apache-2.0
"""The grammar of one language: plural forms, forms of nouns, lists and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from companion.model.phrase import Phrase

PLURALS: Final = {"other": 1, "one-other": 2, "upto-one-other": 2, "one-few-other": 3}
"""The plural rules that languages use, with the number of plural forms of each."""


@dataclass(frozen=True, slots=True)
class Language:
    """The table `[language]` of a language's `common.toml`."""

    name: str
    """The language's own name of itself."""
    plural: str
    """Its plural rule: a key of `PLURALS`."""
    forms: tuple[str, ...]
    """The forms that every noun of this language has."""
    comma: str
    conjunction: str
    decimal: str
    """The decimal mark."""

    def __post_init__(self) -> None:
        """Raise `ValueError` for an unknown plural rule."""
        if self.plural not in PLURALS:
            raise ValueError(Phrase("plural must be one of {names}", names=PLURALS))

    def number(self, value: float, digits: int | None = None) -> str:
        """*value* with *digits* decimals; without *digits*, as short as it can be written.

        >>> german = Language("Deutsch", "one-other", (), ", ", " und ", ",")
        >>> german.number(2.5, 2), german.number(57.15), german.number(50.0), german.number(3)
        ('2,50', '57,15', '50', '3')
        """
        if digits is not None:
            written = f"{value:.{digits}f}"
        else:
            written = str(value) if isinstance(value, int) else f"{value:.10g}"
        return written.replace(".", self.decimal)

    def listed(self, items: Sequence[str]) -> str:
        """*items* as in a sentence: `a, b and c`."""
        first = [self.comma.join(items[:-1])] if len(items) > 1 else []
        return self.conjunction.join([*first, *items[-1:]])


def plural_form(count: float, plural: str) -> int:
    """The index of the plural form for *count*. Source: CLDR, cardinal plurals of whole numbers.

    >>> [plural_form(count, "one-few-other") for count in (1, 2, 5, 11, 21, 22)]
    [0, 1, 2, 2, 0, 1]
    """
    if plural == "other":
        return 0
    if plural == "upto-one-other":
        return 0 if count < 2 else 1
    if plural == "one-few-other":
        is_regular = count % 100 not in (11, 12, 13, 14)
        return 0 if count % 10 == 1 and is_regular else 1 if count % 10 in (2, 3, 4) and is_regular else 2
    return 0 if count == 1 else 1
