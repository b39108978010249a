# SPDX-License-Identifier: Apache-2.0
"""The tested versions of `requirements/` are complete, and those of `pyproject.toml`'s ranges."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from requirements import pins

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FILES = ("build", "run", "dev")
REMEDY = "run: python3 check.py --update"
SYSTEMS = ({"sys_platform": "linux"}, {"sys_platform": "darwin"}, {"sys_platform": "win32"})


def ranges(file: str) -> list[Requirement]:
    """What `pyproject.toml` asks of *file*."""
    project = PROJECT["project"]
    extras = [line for extra in project["optional-dependencies"].values() for line in extra]
    asked = {
        "build": [*PROJECT["build-system"]["requires"], *PROJECT["dependency-groups"]["build"]],
        "run": project["dependencies"],
        "dev": [*project["dependencies"], *extras, *PROJECT["dependency-groups"]["build"]],
    }[file]
    return [wanted for line in asked if (wanted := Requirement(line)).name != project["name"]]


def lines(file: str) -> list[str]:
    """The lines of *file* that are no comments; what a backslash continues is one line."""
    text = (ROOT / "requirements" / f"{file}.txt").read_text(encoding="utf-8")
    joined = re.sub(r"\\\n\s*", "", text)
    return [line for line in joined.splitlines() if line and not line.startswith("#")]


def pinned(file: str) -> list[tuple[Requirement, str]]:
    """The requirements of *file*, each with its hashes."""
    parts = [line.partition(" --hash=") for line in lines(file)]
    return [(Requirement(name), mark.strip() + rest) for name, mark, rest in parts]


@pytest.mark.parametrize("file", FILES)
def test_every_line_has_one_version_and_hashes_and_no_address(file: str) -> None:
    found = pinned(file)
    assert len(found) >= 5
    for pin, hashes in found:
        assert re.fullmatch(r"==[^*,]+", str(pin.specifier)), pin
        assert pin.url is None
        assert re.fullmatch(r"(--hash=sha256:[0-9a-f]{64}\s*)+", hashes), pin
    text = (ROOT / "requirements" / f"{file}.txt").read_text(encoding="utf-8")
    assert not re.search(r"://|^\s*-(?!-hash)|--(?!hash|update)", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("file", "system", "python"), list(product(FILES, SYSTEMS, pins.PYTHONS)), ids=lambda value: str(value)
)
def test_every_dependency_is_there_within_its_range(file: str, system: dict[str, str], python: str) -> None:
    """On each system and Python exactly one version of it applies."""
    place = {**system, "python_version": python, "python_full_version": f"{python}.0", "extra": ""}
    for wanted in ranges(file):
        if wanted.marker and not wanted.marker.evaluate(place):
            continue
        name = canonicalize_name(wanted.name)
        versions = [
            str(pin.specifier)[2:]
            for pin, _ in pinned(file)
            if canonicalize_name(pin.name) == name and (pin.marker is None or pin.marker.evaluate(place))
        ]
        assert len(versions) == 1, f"{wanted} in requirements/{file}.txt: {versions}; {REMEDY}"
        assert wanted.specifier.contains(versions[0], prereleases=True), f"{wanted}: {versions[0]}; {REMEDY}"


def test_markers_tell_the_systems_apart() -> None:
    """A file that was resolved for one system alone would have none of these."""
    found = {pin.name: str(pin.marker) for pin, _ in pinned("dev") if pin.marker}
    assert "win32" in found["colorama"]
    assert "darwin" in found["pyobjc-core"]
    assert "linux" in found["opencv-python-headless"]


def test_the_files_agree() -> None:
    """What runs is what was tested."""
    tested = set(lines("dev"))
    assert set(lines("run")) <= tested
    assert set(lines("build")) <= tested


@pytest.mark.parametrize("wanted", [*ranges("dev"), *ranges("build")], ids=str)
def test_every_range_names_its_lowest_version(wanted: Requirement) -> None:
    assert [part for part in wanted.specifier if part.operator in (">=", "~=")], wanted


def test_the_pins_of_a_file_are_read(tmp_path: Path) -> None:
    file = tmp_path / "some.txt"
    file.write_text(
        "# a==1\nnumpy==2.4 ; python_full_version < '3.12' \\\n    --hash=sha256:00\n"
        "numpy==2.5 ; python_full_version >= '3.12' \\\n    --hash=sha256:01\nrich==15.0 \\\n    --hash=sha256:02\n"
    )
    assert pins.pins(file) == {"numpy": "2.4 or 2.5", "rich": "15.0"}
    assert pins.pins(tmp_path / "none.txt") == {}


class _Advisories(BaseHTTPRequestHandler):
    """The advisory database, in which one package of old is vulnerable (OSV's format)."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        package = {"name": asked["package"]["name"], "ecosystem": "PyPI"}
        fixed = {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "3.1.6"}]}
        flaw: dict[str, Any] = {
            "id": "PYSEC-2024-1",
            "modified": "2024-01-01T00:00:00Z",
            "details": "Templates run code.",
            "affected": [{"package": package, "ranges": [fixed]}],
        }
        body = json.dumps({"vulns": [flaw]} if package["name"] == "jinja2" else {}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def advisories() -> Iterator[str]:
    """The address of a database of advisories on this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Advisories) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1/query"
        server.shutdown()
        thread.join()


@pytest.fixture
def requirements(tmp_path: Path) -> Path:
    """A file of two versions, one of them vulnerable."""
    file = tmp_path / "requirements.txt"
    file.write_text(f"jinja2==3.1.4 --hash=sha256:{'0' * 64}\nidna==3.20 --hash=sha256:{'0' * 64}\n")
    return file


def audited(address: str, requirements: Path) -> str:
    """The output of the audit.

    It runs in its own process: to wait with a limit, Python polls by sleeping.
    """
    audit = (
        "import sys; from pathlib import Path; from requirements.pins import audit; "
        "print(end=audit(Path(sys.executable), '--osv-url', sys.argv[1], file=Path(sys.argv[2])))"
    )
    command = [sys.executable, "-c", audit, address, str(requirements)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout


def test_the_audit_names_vulnerable_packages_and_their_fixes(advisories: str, requirements: Path) -> None:
    said = audited(advisories, requirements)
    assert said == "jinja2 3.1.4 is vulnerable: PYSEC-2024-1, mended in 3.1.6: python3 check.py --update\n"


def test_the_audit_counts_packages_without_known_vulnerabilities(advisories: str, requirements: Path) -> None:
    requirements.write_text(requirements.read_text().replace("jinja2", "mako"))
    said = audited(advisories, requirements)
    assert said == "nothing is known against 2 packages\n"


def test_without_a_network_the_audit_reports_that_it_is_skipped(requirements: Path) -> None:
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unheard.getsockname()[1]}/v1/query"
        said = audited(address, requirements)
    assert said == "skipped, the advisory database cannot be reached\n"


def test_a_range_that_cannot_be_met_leaves_the_files_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "requirements").mkdir()
    kept = tmp_path / "requirements" / "dev.txt"
    kept.write_text("typer==0.29.2\n")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "x"\nversion = "1"\nrequires-python = ">=3.11"\ndependencies = ["typer>=9999"]\n'
        "[project.optional-dependencies]\ndev = []\n[dependency-groups]\nbuild = []\n"
    )
    with pytest.raises(pins.PinsFailed, match=r"requirements/ is as before(?s:.*)typer"):
        pins.renew(Path(sys.executable), print, project=tmp_path)
    assert kept.read_text() == "typer==0.29.2\n"
