# SPDX-License-Identifier: Apache-2.0
"""What the document of a table has, so that its board is drawn at once.

Its rule: the document has the page state, and the address of the description, which browsers keep
since it changes with its content. Both are shown until the WebSocket answers.
"""

from __future__ import annotations

from functools import lru_cache

from companion.host.pages.page_files import PageFile, page_file

_KIND = "application/json"
_HEAD_END, _BODY_END = "  </head>", "  </body>"


@lru_cache(maxsize=16)
def description_file(description: str) -> PageFile:
    """Return the *description* of a table, as JSON, as a file that browsers keep."""
    return page_file(description.encode(), _KIND, is_kept=True)


def with_data(document: str, description: str, picture: str, language: str) -> str:
    """Return *document* with the page state *picture* in *language*, and where *description* is."""
    address = f"table.json?language={language}&amp;tag={description_file(description).tag}"
    link = f'    <link id="described" rel="preload" href="{address}" as="fetch" crossorigin>\n'
    state = picture.replace("<", "\\u003c")  # no text ends the element
    data = f'    <script id="pictured" type="application/json">{state}</script>\n'
    return document.replace(_HEAD_END, link + _HEAD_END, 1).replace(_BODY_END, data + _BODY_END, 1)
