# SPDX-License-Identifier: Apache-2.0
"""A program that speaks UCI as its argument says: well, or not.

It prints what it was sent to the file that its second argument names.
"""

from __future__ import annotations

import sys
import threading

HEAD = (
    "id name Scripted 1\n"
    "option name UCI_LimitStrength type check default false\n"
    "option name UCI_Elo type spin default 1320 min 1320 max 3190\n"
    "option name UCI_Chess960 type check default false\n"
    "uciok\n"
)


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def hang() -> None:
    """Read no more; only a signal ends this."""
    threading.Event().wait()


def greet(conduct: str) -> None:
    if conduct == "hangs at the start":
        hang()
    if conduct == "dies at the start":
        sys.exit(3)
    if conduct == "talks without end":
        while True:
            say("info string and so on\n")
    say("info string \xff nonsense\n\n" + HEAD)


def play(conduct: str, best: str) -> None:
    if conduct == "hangs":
        hang()
    elif conduct == "dies":
        sys.exit(1)
    elif conduct == "plays once":
        say(f"bestmove {best}\n")
        sys.exit(1)
    elif conduct == "dies in the middle of a line":
        say("bestmo")
        sys.exit(1)
    elif conduct == "thinks until it is stopped":
        return
    elif conduct == "writes a line without end":
        while True:
            say("info pv " + "e2e4 " * 10000)
    else:
        say(f"info depth 3 score cp 20 nodes 100 pv {best}\nbestmove {best} ponder e7e5\n")


def main(conducts: str, log: str, best: str) -> None:
    """Behave as the first of *conducts*, at later starts as the following ones."""
    with open(log + ".starts", "a+", encoding="utf-8") as file:
        file.seek(0)
        conduct = conducts.split("/")[min(len(file.read()), conducts.count("/"))]
        file.write(".")
    with open(log, "w", encoding="utf-8") as file:
        for line in sys.stdin:
            file.write(line)
            file.flush()
            word = line.split()[0]
            if word == "uci":
                greet(conduct)
            elif word == "isready":
                say("readyok\n")
            elif word == "go":
                play(conduct, best)
            elif word == "stop":
                say(f"bestmove {best}\n")
            elif word == "quit" and conduct != "does not quit":
                return
            elif word == "quit":
                hang()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3])
