# SPDX-License-Identifier: Apache-2.0
"""Pairs a round without making anybody wait, or has another program pair it.

A large round is paired in a process of its own.

Its rule: the library holds the interpreter while it computes, so only a round that takes less than
a tenth of a second is paired in the hall's process.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import shlex
import subprocess
import tempfile
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Final

from companion.host.hall.desk.child_process import begin
from companion.host.text.os_errors import why
from companion.model.errors import TournamentError
from companion.tournament.pairing import next_round
from companion.tournament.values import Round, Tournament

REPORT, PAIRS = "{report}", "{pairs}"
"""The files to read and to write, in the command line of a pairing program."""
MOST_HERE: Final = 60
"""Players of a round that is paired in the hall's process."""
_CONTEXT: Final = multiprocessing.get_context("spawn")


async def paired(of: Tournament) -> Round:
    """The next round of *of*. Raises `TournamentError`."""
    if len(of.players) <= MOST_HERE:
        return await asyncio.to_thread(next_round, of)
    pool = ProcessPoolExecutor(1, _CONTEXT, begin)
    try:
        return await asyncio.get_running_loop().run_in_executor(pool, next_round, of)
    except BrokenProcessPool as fault:
        raise TournamentError(
            "{tournament}: the process that paired the round has ended: pair again", tournament=of.name
        ) from fault
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def ask_program(command: str, request: str) -> str:
    """What the pairing program of the command line *command* answers to *request*.

    Raises `TournamentError`.
    """
    with tempfile.TemporaryDirectory() as folder:
        report, pairs = Path(folder, "report.trf"), Path(folder, "pairs.txt")
        report.write_text(request, encoding="utf-8")
        words = [
            word.replace(REPORT, str(report)).replace(PAIRS, str(pairs)) for word in shlex.split(command)
        ]
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            writes = PAIRS in command and not done.returncode
            answer = pairs.read_text(encoding="utf-8") if writes else done.stdout
        except OSError as fault:
            reason = why(fault)
        else:
            if not done.returncode:
                return answer
            reason = (done.stderr or done.stdout).strip()[:200] or str(done.returncode)
    raise TournamentError("the pairing program {command!r} failed: {reason}", command=command, reason=reason)
