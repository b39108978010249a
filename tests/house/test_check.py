# SPDX-License-Identifier: Apache-2.0
"""`check.py`: what it installs for chosen tests, what it knows of commits, and its clone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import check

ROOT = Path(__file__).resolve().parents[2]
USES = {
    "avr-gcc": r"(from|import) tests\.firmware|mark\.firmware\b",
    "avrdude": r"which\(\"avrdude\"\)",
    "chromium": r"/usr/bin/chromium|import CHROMIUM|mark\.browser\b",
    "/usr/sbin/mosquitto": r"tests\.brokers import",
    "/usr/lib/postgresql": r"postgres\b.*: Postgres\b|database.*: Postgres\b",
    "ip": r"\"ip\", |unshare",
    "systemd-analyze": r"\"systemd-analyze\"",
    "pdftoppm": r"\"pdftoppm\"|sheets\.scans import",
}
"""How the tests name each tool that they use."""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository whose checks pass if the file `good` is there."""
    folder = tmp_path / "tree"
    folder.mkdir()
    shutil.copy(ROOT / "check.py", folder)
    (folder / "start.py").write_text(
        "import sys\nfrom pathlib import Path\nROOT = Path(__file__).resolve().parent\n"
        "class SetUpFailed(Exception): pass\n"
        "def environment(name): return Path(sys.executable)\n"
        "def install_packages(packages): return True\n"
    )
    checks = folder / "tests/house/checks.py"
    checks.parent.mkdir(parents=True)
    checks.write_text(
        "import sys, check\nprint('checked', *sys.argv[1:], flush=True)\n"
        "sys.exit(0 if (check.ROOT / 'good').exists() else 1)\n"
    )
    (folder / ".gitignore").write_text("build/\n__pycache__/\n")
    (folder / "good").write_text("")
    for words in (["init", "--quiet"], ["add", "."]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    commit(folder)
    return folder


def commit(folder: Path) -> str:
    """Commit everything in *folder*; return the commit."""
    who = ["-c", "user.name=A Tester", "-c", "user.email=tester@example.org"]
    subprocess.run(
        ["git", *who, "commit", "--quiet", "--all", "--allow-empty", "-m", "A change"], cwd=folder, check=True
    )
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True, check=True
    )
    return head.stdout.strip()


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run `check.py` of *folder*; return its exit code and what it printed."""
    ended = subprocess.run(
        [sys.executable, "check.py", *arguments],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "CHECK_RESULTS"},
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stdout + ended.stderr


def packages(*arguments: str) -> set[str]:
    """The packages that the tests of *arguments* need."""
    return {need.package for need in check.needed_for(check.chosen_paths([*arguments]))}


def test_everything_is_needed_without_paths_and_little_for_few_of_them() -> None:
    assert packages() == packages("-x") == {need.package for need in check.NEEDED}
    assert packages("tests/feedback") == packages("tests/games", "-k", "gottaz") == set()
    assert packages("tests/page/test_page.py::test_x[a::b]") >= {"chromium", "chromium-headless-shell"}
    assert "gcc-avr" in packages("tests/firmware/test_build.py")
    assert "mosquitto" in packages("tests/host")
    assert "mosquitto" not in packages("tests/host/table")
    assert packages("tests") == packages()


def test_each_test_that_uses_a_tool_is_in_the_table_of_needs() -> None:
    proofs = {need.proof: need for need in check.NEEDED}
    lacking = []
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        if file == Path(__file__).resolve():
            continue
        path, text = file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")
        for proof, use in USES.items():
            if re.search(use, text) and not check.needed_for([path], (proofs[proof],)):
                lacking.append(f"{path} uses {proofs[proof].package}")
    assert not lacking


def test_a_commit_is_green_until_the_next(tree: Path) -> None:
    green = commit(tree)
    (tree / "build").mkdir()
    assert run(tree, "--state") == (
        1,
        f"No green run is known here. HEAD is {green[:12]}. The tree is clean.\n",
    )
    (tree / "build/last-green").write_text(f"{green} 2026-11-28\n")
    assert run(tree, "--state") == (0, f"HEAD, {green[:12]}, is green. The tree is clean.\n")
    (tree / "good").write_text("changed")
    assert run(tree, "--state") == (
        0,
        f"HEAD, {green[:12]}, is green. The tree is not clean: some changes are not committed.\n",
    )
    commit(tree)
    head = commit(tree)
    assert run(tree, "--state") == (
        1,
        f"Green last: {green[:12]}; HEAD, {head[:12]}, is 2 commits beyond it. The tree is clean.\n",
    )


def test_a_green_commit_that_is_gone_is_named(tree: Path) -> None:
    (tree / "build").mkdir()
    (tree / "build/last-green").write_text("1" * 40 + "\n")
    code, said = run(tree, "--state")
    assert code == 1
    assert said.startswith("Green last: 111111111111; this repository does not have it; HEAD is ")


def test_outside_a_repository_the_state_is_an_error_with_its_cause(tree: Path) -> None:
    shutil.rmtree(tree / ".git")
    code, said = run(tree, "--state")
    assert code == 1
    assert said.startswith("check.py: git rev-parse failed: ")


def test_a_fresh_clone_is_checked_and_its_log_kept(tree: Path) -> None:
    head = commit(tree)
    log = tree / f"build/fresh-{head[:12]}.log"
    code, said = run(tree, "--fresh")
    assert code == 0
    assert "checked\n" in said
    assert said.endswith(f"check.py: {head[:12]} is green; log: {log}\n")
    assert log.read_text() == "checked\n"
    clone = re.search(r"is checked in (\S+);", said)
    assert clone is not None
    assert not Path(clone[1]).exists()


def test_a_fresh_clone_has_only_what_is_committed(tree: Path) -> None:
    subprocess.run(["git", "rm", "--quiet", "--cached", "good"], cwd=tree, check=True)
    head = commit(tree)
    code, said = run(tree, "--fresh")
    assert code == 1
    assert "check.py: what is not committed is not checked.\n" in said
    assert f"check.py: {head[:12]} is red; log: " in said
