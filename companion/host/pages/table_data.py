# SPDX-License-Identifier: Apache-2.0
"""What the document of a table has, so that its board is drawn at once.

Its rule: the document has the page state, and the address of the description, which browsers keep
since it changes with its content. Both are shown until the WebSocket answers. Another game may
begin before a browser asks for the description, so that those of the latest documents are kept.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from companion.host.pages.page_files import PageFile, page_file

_KIND: Final = "application/json"
_HEAD_END, _BODY_END = "  </head>", "  </body>"
_MOST_KEPT: Final = 16


class Descriptions:
    """The descriptions that documents have named, as files that browsers keep; the latest ones."""

    def __init__(self) -> None:
        self._by_text: OrderedDict[str, PageFile] = OrderedDict()

    def add(self, description: str) -> PageFile:
        """Return the *description* of a table, as JSON, as a file."""
        if description not in self._by_text:
            self._by_text[description] = page_file(description.encode(), _KIND, is_kept=True)
        self._by_text.move_to_end(description)
        if len(self._by_text) > _MOST_KEPT:
            self._by_text.popitem(last=False)
        return self._by_text[description]

    def find(self, tag: str) -> PageFile | None:
        """Return the file with *tag*; None if it is not kept any more."""
        return next((file for file in self._by_text.values() if file.tag == tag), None)


DESCRIPTIONS: Final = Descriptions()
"""Those of all tables of this process."""


def with_data(document: str, description: str, picture: str, language: str) -> str:
    """Return *document* with the page state *picture* in *language*, and where *description* is."""
    address = f"table.json?language={language}&amp;tag={DESCRIPTIONS.add(description).tag}"
    link = f'    <link id="described" rel="preload" href="{address}" as="fetch" crossorigin>\n'
    state = picture.replace("<", "\\u003c")  # no text ends the element
    data = f'    <script id="pictured" type="application/json">{state}</script>\n'
    return document.replace(_HEAD_END, link + _HEAD_END, 1).replace(_BODY_END, data + _BODY_END, 1)
