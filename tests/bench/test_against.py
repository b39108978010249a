# SPDX-License-Identifier: Apache-2.0
"""Two trees are compared by adapters: checked out, installed once, measured, and cleaned up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench import against
from tests.bench.against import AgainstFailed, Tree, ended, older

START = """
import sys
from pathlib import Path
def environment(name):
    kept = Path(".venv", "installed.txt")
    kept.parent.mkdir(exist_ok=True)
    count = int(kept.read_text()) + 1 if kept.exists() else 1
    kept.write_text(str(count))
    return sys.executable
"""
BURN = """
import json, subprocess, sys, time
import work
def burn(seconds):
    while time.process_time() < seconds:
        pass
code = f"import time\\nwhile time.process_time() < {work.SECONDS}: pass"
subprocess.run([sys.executable, "-c", code], check=True)
words = [json.loads(line)["word"] for line in sys.stdin]
print(json.dumps({"seconds": work.SECONDS, "words": words, "arguments": sys.argv[1:]}))
"""
"""An adapter whose child burns processor time, as much as the tree says."""


def git(folder: Path, *words: str) -> str:
    command = ["git", "-c", "user.name=test", "-c", "user.email=test@example.org", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of three commits: without start.py, slow, and quick."""
    monkeypatch.delenv(against.PYTHON_VARIABLE, raising=False)
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    for name, text in (("README", "first"), ("work.py", "SECONDS = 0.6\n"), ("work.py", "SECONDS = 0.1\n")):
        (folder / name).write_text(text)
        if name == "work.py":
            (folder / "start.py").write_text(START)
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "--message", text)
    return folder


@pytest.fixture
def burn(tmp_path: Path) -> Path:
    path = tmp_path / "burn.py"
    path.write_text(BURN)
    return path


def test_a_commit_and_the_present_tree_are_measured(repository: Path, tmp_path: Path, burn: Path) -> None:
    now = Tree(repository, Path(sys.executable), "now")
    with older("HEAD~1", repository=repository, cache=tmp_path / "cache") as before:
        lines = [{"word": "one"}, {"word": "two"}]
        one, other = (tree.measure(burn, "given", lines=lines) for tree in (now, before))
        assert before.folder.is_relative_to(tmp_path / "cache")
    assert one.value == [{"seconds": 0.1, "words": ["one", "two"], "arguments": ["given"]}]
    assert other.value == [{"seconds": 0.6, "words": ["one", "two"], "arguments": ["given"]}]
    assert one.processor_s >= 0.1
    assert other.processor_s >= 0.6
    assert 0.25 < other.processor_s - one.processor_s < 0.75
    assert 4 << 20 < one.peak_rss < 60 << 20  # not that of this process


def test_a_tree_is_removed_and_its_environment_stays(repository: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for count in ("1", "2"):  # the second time, the environment of the first is found
        with older("HEAD~1", repository=repository, cache=cache) as tree:
            assert (tree.folder / ".venv" / "installed.txt").read_text() == count
            assert str(tree.folder) in git(repository, "worktree", "list")
        assert not tree.folder.exists()
        assert len(git(repository, "worktree", "list").splitlines()) == 1


def test_a_kept_tree_is_used_again_unless_it_was_changed(repository: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with older("HEAD~1", keep=True, repository=repository, cache=cache) as tree:
        pass
    (tree.folder / "mark").touch()
    with older("HEAD~1", keep=True, repository=repository, cache=cache) as tree:
        assert (tree.folder / "mark").exists()
    (tree.folder / "work.py").write_text("SECONDS = 9")
    with older("HEAD~1", repository=repository, cache=cache) as tree:
        assert (tree.folder / "work.py").read_text() == "SECONDS = 0.6\n"


def test_a_path_is_used_as_it_is(repository: Path, tmp_path: Path, burn: Path) -> None:
    environment = repository / ".venv" / "bin"
    environment.mkdir(parents=True)
    (environment / "python").symlink_to(sys.executable)
    with older(str(repository)) as tree:
        assert tree.measure(burn).value[0]["seconds"] == 0.1
    assert not (repository / ".venv" / "installed.txt").exists()


def test_a_python_that_is_handed_in_spares_the_installation(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "python").symlink_to(sys.executable)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(against.PYTHON_VARIABLE, "./python")
    with older("HEAD", repository=repository, cache=tmp_path / "cache") as tree:
        assert tree.python == tmp_path / "python"
        assert not (tree.folder / ".venv" / "installed.txt").exists()
    monkeypatch.setenv(against.PYTHON_VARIABLE, "/nowhere/python")
    with (
        pytest.raises(AgainstFailed, match="/nowhere/python, which cannot be run: name a Python"),
        older("HEAD", repository=repository, cache=tmp_path / "cache"),
    ):
        pass


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("HEAD~7", r"HEAD~7 is unknown: .* Name a commit of `git log`, get it with `git fetch`"),
        ("HEAD~2", "HEAD~2 has no start.py, .* name a newer commit"),
        (".", r"\. has no start.py"),
    ],
)
def test_what_cannot_be_compared_is_named(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AgainstFailed, match=text), older(what, repository=repository, cache=tmp_path / "c"):
        pass
    assert len(git(repository, "worktree", "list").splitlines()) == 1


def test_a_tree_that_cannot_be_checked_out_is_named(repository: Path, tmp_path: Path) -> None:
    blob = git(repository, "rev-parse", "HEAD~1:work.py")
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with (
        pytest.raises(AgainstFailed, match=r"cannot be checked out in .*: (?s:.*)give the path of a tree"),
        older("HEAD~1", repository=repository, cache=tmp_path / "cache"),
    ):
        pass
    assert not [*(tmp_path / "cache").glob("*/tree")]


def test_a_failed_installation_is_named_and_repeated(repository: Path, tmp_path: Path) -> None:
    (repository / "start.py").write_text(
        "import os\nassert not os.path.exists('.venv')\nos.mkdir('.venv')\nraise SystemExit(3)"
    )
    git(repository, "commit", "--quiet", "--all", "--message", "broken")
    cache = tmp_path / "cache"
    for _ in range(2):  # what the first time left is not used
        with (
            pytest.raises(AgainstFailed, match=r"was not installed: .* with code 3.*online\?"),
            older("HEAD", repository=repository, cache=cache),
        ):
            pass


def test_two_runs_do_not_share_a_tree(repository: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with (
        older("HEAD", repository=repository, cache=cache) as tree,
        pytest.raises(AgainstFailed, match="HEAD is in use: another run"),
        older("HEAD", repository=repository, cache=cache),
    ):
        pass
    assert not tree.folder.exists()


def test_an_adapter_that_fails_or_chats_is_named(repository: Path, tmp_path: Path) -> None:
    adapter, tree = tmp_path / "adapter.py", Tree(repository, Path(sys.executable), "before")
    adapter.write_text("import missing_module")
    with pytest.raises(AgainstFailed, match=r"(?s)adapter.py failed in before with code 1.*missing_module"):
        tree.measure(adapter)
    adapter.write_text("print('hello')\nwhile True: pass")
    with pytest.raises(AgainstFailed, match="printed 'hello' in before, which is no JSON object: let it"):
        tree.measure(adapter)


def test_processes_that_run_are_ended(repository: Path) -> None:
    code = (
        "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'while 1: pass'])\nwhile True: pass"
    )
    reader, writer = os.pipe()
    with open(reader, "rb") as output:
        with Tree(repository, Path(sys.executable), "now") as tree:
            process = tree.start("-c", f"print('on', flush=True)\n{code}", stdout=writer)
            os.close(writer)
            assert output.readline() == b"on\n"
        assert process.returncode == -signal.SIGKILL
        assert output.read() == b""  # ends when its child has ended, too


def test_the_command_ends_cleanly_when_it_is_interrupted(repository: Path, tmp_path: Path) -> None:
    adapter = tmp_path / "adapter.py"
    adapter.write_text("import os\nprint('{\"pid\": %d}' % os.getpid(), flush=True)\nwhile True: pass")
    code = (
        "import signal, sys\nsignal.signal(signal.SIGINT, signal.default_int_handler)\nfrom pathlib import Path\nfrom tests.bench.against import ended, older\n"
        "def run(_):\n"
        f"    with older('HEAD', repository=Path({str(repository)!r}), cache=Path({str(tmp_path / 'c')!r})) as tree:\n"
        f"        for line in tree.run_adapter(Path({str(adapter)!r})):\n"
        "            print(line['pid'], flush=True)\n"
        "sys.exit(ended(run, None))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=against.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        pid = int(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130
    assert said.endswith("against: interrupted\n")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert not [*(tmp_path / "c").glob("*/tree")]
    assert len(git(repository, "worktree", "list").splitlines()) == 1


def test_the_command_prints_the_ratio(
    repository: Path, burn: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"word": "one"}\n')
    adapter = tmp_path / "constant.py"
    adapter.write_text("import json, sys\nprint(json.dumps([*map(json.loads, sys.stdin)][0]))")
    (repository / ".venv" / "bin").mkdir(parents=True)
    (repository / ".venv" / "bin" / "python").symlink_to(sys.executable)
    words = [str(repository), str(adapter), "--lines", str(lines), "--rounds", "2"]
    assert ended(against.compare, against.parser().parse_args(words)) == 0
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 2
    assert all("ratio" in line and line.endswith("output the same") for line in printed)
    assert ended(against.compare, against.parser().parse_args([str(tmp_path), str(adapter)])) == 1
    assert "has no start.py" in capsys.readouterr().err


def test_an_older_tree_has_the_names_that_modules_have_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(against.PYTHON_VARIABLE, sys.executable)
    referee = tmp_path / "companion" / "referee"
    (referee / "tracker").mkdir(parents=True)
    (tmp_path / "start.py").write_text(START)
    for package in (referee.parent, referee, referee / "tracker"):
        (package / "__init__.py").touch()
    for name in ("looks", "tracker/costs", "tracker/face"):
        (referee / f"{name}.py").write_text("from companion.referee import session\n")
    (referee / "session.py").write_text("class Session: pass\n")
    adapter = tmp_path / "adapter.py"
    adapter.write_text(
        "import json\n"
        "from companion.referee.session.session import Session\n"
        "from companion.referee.values.board import looks\n"
        "from companion.referee.inference import costs\n"
        "from companion.referee.inference.tracker import face\n"
        "from companion.referee import session\n"
        "modules = (looks, costs, face)\n"
        "is_one = all(each.session.Session is Session is session.Session for each in modules)\n"
        "print(json.dumps({'is_one': is_one, 'names': [each.__name__ for each in modules]}))\n"
    )
    with older(str(tmp_path)) as tree:
        (line,) = tree.measure(adapter).value
    flat = "companion.referee"
    assert line == {
        "is_one": True,
        "names": [f"{flat}.looks", f"{flat}.tracker.costs", f"{flat}.tracker.face"],
    }


@pytest.mark.parametrize("older_parent", ["tests", "companion"])
def test_an_older_tree_has_the_present_names_of_simulated_eboards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, older_parent: str
) -> None:
    monkeypatch.setenv(against.PYTHON_VARIABLE, sys.executable)
    boards = tmp_path / older_parent / "virtual" / "boards"
    boards.mkdir(parents=True)
    (tmp_path / older_parent / "__init__.py").touch()
    (tmp_path / "start.py").write_text(START)
    (boards / "wire.py").write_text("SLOW = 7\n")
    (boards / "dgt.py").write_text(
        f"from {older_parent}.virtual.boards.wire import SLOW\nclass VirtualDgtBoard: speed = SLOW\n"
    )
    adapter = tmp_path / "adapter.py"
    adapter.write_text(
        "import json\n"
        "from tests.virtual.eboards.dgt import VirtualDgtEboard\n"
        "print(json.dumps({'name': VirtualDgtEboard.__name__, 'speed': VirtualDgtEboard.speed}))\n"
    )
    with older(str(tmp_path)) as tree:
        (line,) = tree.measure(adapter).value
    assert line == {"name": "VirtualDgtBoard", "speed": 7}
