# SPDX-License-Identifier: Apache-2.0
"""The address with which a phone joins, as text and as a QR code. Pure.

Its rule: what draws codes is imported when one is shown.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit


def for_phones(urls: Iterable[str]) -> tuple[str, ...]:
    """Return those of *urls* that other devices can open."""
    return tuple(url for url in urls if not _is_here(urlsplit(url).hostname or ""))


def _is_here(host: str) -> bool:
    """True if *host* means the device that asks for it."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def for_this_computer(urls: Iterable[str]) -> str:
    """Return the one of *urls* that a browser of this computer opens.

    Browsers trust `localhost` even without TLS.
    """
    *_, last = urls
    return last


def as_svg(url: str) -> str:
    """Return *url* as a QR code for a page."""
    import segno

    written = io.BytesIO()
    segno.make(url, micro=False).save(written, kind="svg", scale=8, border=3, light="white", xmldecl=False)
    return written.getvalue().decode()


def as_text(url: str) -> str:
    """Return *url* as a QR code for a terminal."""
    import segno

    written = io.StringIO()
    segno.make(url, micro=False).terminal(written, compact=True, border=2)
    return written.getvalue()
