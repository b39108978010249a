# SPDX-License-Identifier: Apache-2.0
"""The files of the pages, in memory, since all browsers request the same few."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from fastapi import FastAPI, Request, Response

_KINDS: Final = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}
"""As in the standard, whatever the system's own table says."""
_PART: Final = re.compile(rb" *<!-- part ([a-z-]+) -->\n")
_LEFT_OUT: Final = {
    ".js": re.compile(rb"^[ \t]*//.*|^[ \t]+", re.MULTILINE),
    ".css": re.compile(rb"^[ \t]+|/\*.*?\*/", re.MULTILINE | re.DOTALL),
}
"""Indentation and comments, a sixth of what is fetched; no line ends within a text."""


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the page."""

    content: bytes
    kind: str
    tag: str
    """Hash of the content; a browser that has it gets 304."""

    def answer(self, request: Request) -> Response:
        """Answer *request* with the file, or with 304."""
        headers = {"ETag": self.tag}
        if request.headers.get("if-none-match") == self.tag:
            return Response(status_code=304, headers=headers)
        return Response(self.content, media_type=self.kind, headers=headers)


def page_file(content: bytes, kind: str) -> PageFile:
    """Return *content* as a file of the page."""
    return PageFile(content, kind, f'"{hashlib.sha256(content).hexdigest()[:16]}"')


@cache
def page_files() -> Mapping[str, PageFile]:
    """Return the files of the page by name; the same for all tables.

    A page has parts of other files where it says `<!-- part NAME -->`. Scripts and styles come
    without indentation and comments, their lines with the same numbers.
    """
    read = {
        file.name: file.read_bytes() for file in (resources.files("companion.host.web") / "page").iterdir()
    }
    return {
        name: page_file(_served(name, content, read), kind)
        for name, content in read.items()
        if (kind := _KINDS[Path(name).suffix])
    }


def _served(name: str, content: bytes, read: Mapping[str, bytes]) -> bytes:
    """Return *content* of the file *name* as browsers get it; *read* has all files."""
    left_out = _LEFT_OUT.get(Path(name).suffix)
    if left_out is not None:
        return left_out.sub(lambda found: b"\n" * found[0].count(b"\n"), content)
    return _PART.sub(lambda part: read[f"part-{part[1].decode()}.html"], content)


def page_with(name: str, classes: str, home: str = "") -> PageFile:
    """Return page *name* with *classes* of its body, and the start page at *home*."""
    content = page_files()[name].content.replace(b'<body class="', f'<body class="{classes} '.encode(), 1)
    return page_file(content.replace(b'href="start"', f'href="{home}"'.encode(), 1), page_files()[name].kind)


def page_app() -> FastAPI:
    """Make an application that has the files of the pages."""
    app = FastAPI(title="Companion", docs_url=None, redoc_url=None, openapi_url=None)
    files = page_files()

    @app.get("/page/{name}")
    async def file(request: Request, name: str) -> Response:
        return files[name].answer(request) if name in files else Response(status_code=404)

    return app
