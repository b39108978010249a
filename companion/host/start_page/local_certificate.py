# SPDX-License-Identifier: Apache-2.0
"""A certificate for the page of this machine, from an authority of its own.

Its rule: the authority is made once and stays, so that a device that trusts it once trusts every
later certificate. Keys never leave this user's folder.
"""

from __future__ import annotations

import asyncio
import datetime
import logging
import socket
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

import platformdirs

from companion.host import private_files
from companion.host.text.os_errors import why
from companion.host.web.allowed_hosts import own_addresses, own_names
from companion.host.web.server import Certificate
from companion.model.errors import CompanionError, SettingsError
from companion.model.installation import install_command

_LOG: Final = logging.getLogger(__name__)

_YEARS: Final = 10
"""Validity of the authority."""
_DAYS: Final = 390
"""Validity of a certificate; browsers refuse more than 398 days."""
_SPARE: Final = datetime.timedelta(days=30)
"""A certificate is renewed when less than this is left."""
_LOOK_S: Final = 3600
"""How often a running program looks whether that is so."""
_AGO: Final = datetime.timedelta(days=1)
"""Certificates are valid from yesterday: clocks differ."""


def folder() -> Path:
    """Return the folder of the authority and its certificate."""
    return platformdirs.user_data_path("companion", appauthor=False) / "certificates"


def authority_file() -> Path:
    """Return the file that a phone has to trust."""
    return folder() / "authority.pem"


def local_certificate(names: Sequence[str] = ()) -> Certificate:
    """Return a fresh certificate for this machine's addresses and *names*.

    Raises `SettingsError` without the library, or if it cannot be written.
    """
    try:
        return _made(_hosts(names))
    except ModuleNotFoundError as fault:
        raise SettingsError(
            "--https needs {library}, which is not installed: {install}",
            library=fault.name,
            install=install_command("https"),
        ) from fault
    except OSError as fault:
        raise SettingsError(
            "the certificate in {folder} cannot be written: {reason}", folder=folder(), reason=why(fault)
        ) from fault


async def keep_renewed(names: Sequence[str]) -> None:
    """Renew the certificate of this machine for *names* as long as it is served."""
    while True:
        await asyncio.sleep(_LOOK_S)
        try:
            if await asyncio.to_thread(is_due, names, datetime.datetime.now(datetime.UTC)):
                await asyncio.to_thread(local_certificate, names)
        except (CompanionError, OSError, ValueError):
            _LOG.exception("the certificate of this machine is not renewed")


def is_due(names: Sequence[str], now: datetime.datetime) -> bool:
    """True if the certificate ends soon, or this machine has another address."""
    from cryptography import x509

    found = x509.load_pem_x509_certificate((folder() / "page.pem").read_bytes())
    known = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return found.not_valid_after_utc < now + _SPARE or not set(map(_general, _hosts(names))) <= set(known)


def _hosts(names: Sequence[str]) -> list[str]:
    """Return the names and addresses of this machine."""
    return [*names, *own_names(), socket.gethostname(), "localhost", *own_addresses(), "127.0.0.1"]


def _made(hosts: Sequence[str]) -> Certificate:
    """Write a certificate for *hosts*, signed by the authority."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    signer, signer_key = _authority()
    key = ec.generate_private_key(ec.SECP256R1())
    made = (
        _builder(_named("Companion"), _DAYS)
        .issuer_name(signer.subject)
        .public_key(key.public_key())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(list(map(_general, dict.fromkeys(hosts)))), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(signer_key, hashes.SHA256())
    )
    chain, key_file = folder() / "page.pem", folder() / "page-key.pem"
    private_files.replace_bytes(chain, _pem(made) + _pem(signer))
    private_files.replace_bytes(key_file, _key_pem(key))
    return Certificate(str(chain), str(key_file))


def _authority() -> tuple[Any, Any]:
    """Return the authority with its key; made if it is missing."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    file, key_file = authority_file(), folder() / "authority-key.pem"
    with suppress(FileNotFoundError, ValueError):
        found = x509.load_pem_x509_certificate(file.read_bytes())
        known = serialization.load_pem_private_key(key_file.read_bytes(), None)
        if found.not_valid_after_utc > datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=_DAYS):
            return found, known
    key = ec.generate_private_key(ec.SECP256R1())
    name = _named(f"Companion on {socket.gethostname()}")
    made = (
        _builder(name, 365 * _YEARS)
        .issuer_name(name)
        .public_key(key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    private_files.replace_bytes(key_file, _key_pem(key))
    private_files.replace_bytes(file, _pem(made))
    return made, key


def _named(name: str) -> Any:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])


def _builder(name: Any, days: int) -> Any:
    """Return the start of a certificate for *name* that is valid for *days*."""
    from cryptography import x509

    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _AGO)
        .not_valid_after(now + datetime.timedelta(days=days))
    )


def _general(host: str) -> Any:
    """Return *host* as a name of a certificate: an address or a DNS name."""
    from cryptography import x509

    try:
        return x509.IPAddress(ip_address(host.partition("%")[0]))
    except ValueError:
        return x509.DNSName(host)


def _pem(certificate: Any) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    written: bytes = certificate.public_bytes(Encoding.PEM)
    return written


def _key_pem(key: Any) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    written: bytes = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return written
