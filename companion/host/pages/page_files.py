# SPDX-License-Identifier: Apache-2.0
"""The files of the pages, in memory, since all browsers request the same few.

Its rule: a document names one script and one style sheet, bundles of all that it needs. Their names
and those of its pictures change with their content. With `?sources` in its address it names the
files that developers edit.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from posixpath import dirname, join, relpath, splitext
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from companion.host.pages.application import Application
from companion.host.pages.bundle import bundled_script, bundled_styles

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
_STYLES: Final = re.compile(r'(?: *<link rel="stylesheet" href="[^"]+">\n)+')
_SCRIPT: Final = re.compile(r'(<script[^>]* src=")([^"]+)(?=">)')
_PICTURE: Final = re.compile(r'(\bhref="|\burl\("|"src": ")([^":]+\.(?:svg|png|webmanifest))(?=")')
_DOCUMENT: Final = re.compile(r"(?!part-)[a-z-]+\.html")
_NAMED: Final = re.compile(r"-[0-9a-f]{16}\.\w+$")
_SOURCES: Final = "sources"
"""Parameter of a document's address."""
_FOREVER: Final = {"Cache-Control": "max-age=31536000, immutable"}
"""For names that change with the content."""


@dataclass(frozen=True)
class PageFile:
    """A file of a page."""

    content: bytes
    kind: str
    tag: str
    """Hash of the content; a browser that has it gets 304."""
    is_kept: bool = False
    """True if its name changes with the content."""

    @cached_property
    def _packed(self) -> bytes:
        return gzip.compress(self.content, mtime=0)

    def answer(self, request: Request) -> Response:
        """Answer *request* with the file, or with 304."""
        # weak: what is packed and what is not have the same tag
        headers = {"ETag": f'W/"{self.tag}"', **(_FOREVER if self.is_kept else {})}
        is_text = self.kind != _KINDS[".png"]
        if is_text:
            headers["Vary"] = "Accept-Encoding"
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        if is_text and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(
                self._packed, media_type=self.kind, headers={**headers, "Content-Encoding": "gzip"}
            )
        return Response(self.content, media_type=self.kind, headers=headers)


@dataclass(frozen=True, slots=True)
class Document:
    """A page, and the same page with the files that developers edit."""

    bundled: PageFile
    sources: PageFile

    def answer(self, request: Request, change: Callable[[str], str] | None = None) -> Response:
        """Answer *request* with the one that it asks for, after *change* of its text."""
        asked = self.sources if _SOURCES in request.query_params else self.bundled
        if change is not None:
            asked = page_file(change(asked.content.decode()).encode(), asked.kind)
        return asked.answer(request)


def page_file(content: bytes, kind: str, *, is_kept: bool = False) -> PageFile:
    """Return the file of *content*; *is_kept* if its name changes with it."""
    return PageFile(content, kind, hashlib.sha256(content).hexdigest()[:16], is_kept)


class PageFiles:
    """Files by path, such as `page/main.js`, and the bundles of their documents."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        """*folders* has packages, each with a folder `page`, by the names that browsers use.

        The first one has the documents.
        """
        self.folders = tuple(folders)
        read = {
            f"{name}/{file.name}": file.read_bytes()
            for name, package in folders.items()
            for file in (resources.files(package) / "page").iterdir()
        }
        self._files = {
            path: page_file(_served(path, content, read), _KINDS[splitext(path)[1]])
            for path, content in read.items()
        }
        self._documents: dict[str, str] = {}
        """Those that name bundles; made when they are first asked for."""

    def answer(self, path: str, request: Request) -> Response:
        """Answer *request* with the file or bundle of *path*, or with 404."""
        found = self.find(path)
        return Response(status_code=404) if found is None else found.answer(request)

    def find(self, path: str) -> PageFile | None:
        """Return the file or bundle of *path*, None without one."""
        if path not in self._files and _NAMED.search(path):
            self._make_bundles()  # a browser may know its name from before a restart
        return self._files.get(path)

    def document(self, path: str, change: Callable[[str], str] = str) -> Document:
        """Return the page of *path* after *change* of its text. Raises `BundleError`."""
        sources = self._text(path)
        if path not in self._documents:
            bundled = _SCRIPT.sub(self._one_script, _STYLES.sub(self._one_style, sources))
            self._documents[path] = self._with_pictures(bundled)
        texts = (self._documents[path], sources)
        return Document(*(page_file(change(text).encode(), _KINDS[".html"]) for text in texts))

    def documents(self) -> list[str]:
        """Return the paths of the documents."""
        return [path for path in self._files if _DOCUMENT.fullmatch(path.removeprefix(f"{self.folders[0]}/"))]

    def _text(self, path: str) -> str:
        return self._files[path].content.decode()

    def _make_bundles(self) -> None:
        for path in self.documents():
            self.document(path)

    def _one_style(self, links: re.Match[str]) -> str:
        paths = re.findall(r'href="([^"]+)"', links[0])
        text = bundled_styles({each: self._text(each) for each in paths})
        path = self._add(paths[0], self._with_pictures(text, dirname(paths[0])).encode())
        return f'    <link rel="stylesheet" href="{path}">\n'

    def _one_script(self, script: re.Match[str]) -> str:
        texts = {path: self._text(path) for path in self._files if path.endswith(".js")}
        is_module = 'type="module"' in script[1]
        text = bundled_script(script[2], texts) if is_module else texts[script[2]]
        return script[1] + self._add(script[2], text.encode())

    def _with_pictures(self, text: str, folder: str = "") -> str:
        """Return *text* with names of pictures that change with them.

        Its addresses begin in *folder*.
        """

        def named(found: re.Match[str]) -> str:
            path = join(folder, found[2])
            if path not in self._files:
                return found[0]
            content = self._files[path].content
            if path.endswith(".webmanifest"):
                content = self._with_pictures(content.decode(), dirname(path)).encode()
            return found[1] + relpath(self._add(path, content), folder or ".")

        return _PICTURE.sub(named, text)

    def _add(self, path: str, content: bytes) -> str:
        """Add *content* with a name like *path*, which changes with it; return that path."""
        stem, kind = splitext(path)
        made = page_file(content, _KINDS[kind], is_kept=True)
        named = f"{stem}-{made.tag}{kind}"
        self._files[named] = made
        return named


def _served(path: str, content: bytes, read: Mapping[str, bytes]) -> bytes:
    """Return *content* of the file *path* as browsers get it; *read* has all files.

    A page has parts of other files where it says `<!-- part NAME -->`. Scripts and styles come
    without indentation and comments, their lines with the same numbers.
    """
    left_out = _LEFT_OUT.get(splitext(path)[1])
    if left_out is not None:
        return left_out.sub(lambda found: b"\n" * found[0].count(b"\n"), content)
    return _PART.sub(lambda part: read[f"{dirname(path)}/part-{part[1].decode()}.html"], content)


@cache
def page_files() -> PageFiles:
    """Return the files of start page and tables; the same for all tables."""
    return PageFiles({"page": "companion.host.web"})


@cache
def page(name: str, classes: str = "", home: str = "") -> Document:
    """Return page *name*.

    With further *classes* of its body, the start page is at *home*.
    """

    def changed(text: str) -> str:
        text = text.replace('<body class="', f'<body class="{classes} ', 1) if classes else text
        return text.replace('href="start"', f'href="{home}"', 1) if classes else text

    return page_files().document(f"page/{name}", changed)


def page_app() -> Application:
    """Make an application that has the files of the pages."""
    app = Application()
    add_files(app, page_files())
    return app


def add_files(app: Starlette, files: PageFiles, before: str = "") -> None:
    """Add *files* to *app*, with addresses that begin with *before*."""

    def answering(folder: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            return files.answer(f"{folder}/{request.path_params['name']}", request)

        return answer

    for folder in files.folders:
        app.add_route(f"{before}/{folder}/{{name}}", answering(folder), include_in_schema=False)
