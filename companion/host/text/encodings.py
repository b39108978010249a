# SPDX-License-Identifier: Apache-2.0
"""The encoding that programs of this computer used before Unicode."""

from __future__ import annotations

import codecs
import locale

from companion.model.reading import LEGACY


def legacy_encoding() -> str:
    """Return the encoding of one byte a letter for files that are not in Unicode."""
    usual = codecs.lookup(locale.getencoding()).name
    return LEGACY if usual in ("utf-8", "ascii") else usual
