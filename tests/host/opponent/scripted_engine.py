# SPDX-License-Identifier: Apache-2.0
"""A program that speaks UCI as its first argument says: well, or not.

It prints what it was sent to the file that its second argument names. Its third argument has its
answers in the first, second, … full move, the last one also in later ones.
"""

from __future__ import annotations

import sys
import threading

HEAD = (
    "id name Scripted 1\n"
    "option name UCI_LimitStrength type check default false\n"
    "option name UCI_Elo type spin default 1320 min 1320 max 3190\n"
    "option name UCI_Chess960 type check default false\n"
)
PONDERS = "option name Ponder type check default false\n"
WITHIN = "plays within "
"""Before its least and its greatest strength."""
STOPPED = "a2a3"
"""What it answers when it is stopped while it ponders."""


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
    head = HEAD.replace("UCI_Chess960", "Other") if conduct == "knows no Chess960" else HEAD
    if conduct.startswith(WITHIN):
        least, most = conduct.removeprefix(WITHIN).split()
        head = head.replace("min 1320 max 3190", f"min {least} max {most}")
    say("info string \xff nonsense\n\n" + head + PONDERS * conduct.startswith("ponders") + "uciok\n")


def play(conduct: str, best: str, log: str) -> None:
    if conduct == "hangs":
        hang()
    elif conduct == "says that it thinks and hangs":
        with open(log + ".thinks", "w", encoding="utf-8") as fifo:  # open as long as the process lives
            print("it thinks", file=fifo, flush=True)
            hang()
    elif conduct == "opens its book":
        with open("book.bin", encoding="utf-8"):
            say(f"bestmove {best}\n")
    elif conduct == "loads a network at its first move":
        threading.Event().wait(1.0)
        say(f"bestmove {best}\n")
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


def ponder(conduct: str, best: str) -> None:
    if conduct == "ponders and dies":
        sys.exit(1)
    elif conduct == "ponders and answers at once":
        say(f"bestmove {best}\n")


def stop_pondering(conduct: str) -> None:
    if conduct == "ponders and hangs":
        hang()
    elif conduct == "ponders and answers twice":
        say(f"bestmove {STOPPED}\nbestmove {STOPPED}\n")
    elif conduct != "ponders and answers at once":
        say(f"bestmove {STOPPED}\n")


class Engine:
    """An engine that behaves as *conduct* says."""

    def __init__(self, conduct: str, log: str, answers: str) -> None:
        self.conduct = conduct
        self.log = log
        self.answers = answers.split("/")
        self.position = ""
        self.is_pondering = False

    def best(self) -> str:
        """Its answer in the full move of the position."""
        number = int(self.position.split()[-1])
        return self.answers[min(number, len(self.answers)) - 1]

    def obey(self, line: str) -> None:
        """Do what *line* says."""
        word = line.split()[0]
        if word == "position":
            self.position = line
        elif word == "uci":
            greet(self.conduct)
        elif word == "isready":
            say("readyok\n")
        elif word == "go":
            self.is_pondering = " ponder" in line
            if self.is_pondering:
                ponder(self.conduct, self.best())
            else:
                play(self.conduct, self.best(), self.log)
        elif word == "ponderhit" and self.conduct == "ponders":
            self.is_pondering = False
            play(self.conduct, self.best(), self.log)
        elif word == "stop" and self.is_pondering:
            self.is_pondering = False
            stop_pondering(self.conduct)
        elif word == "stop":
            say(f"bestmove {self.best()}\n")
        elif word == "quit" and self.conduct == "does not quit":
            hang()
        elif word == "quit":
            sys.exit()


def main(conducts: str, log: str, answers: str) -> None:
    """Behave as the first of *conducts*, at later starts as the following ones."""
    with open(log + ".starts", "a+", encoding="utf-8") as file:
        file.seek(0)
        conduct = conducts.split("/")[min(len(file.read()), conducts.count("/"))]
        file.write(".")
    engine = Engine(conduct, log, answers)
    with open(log, "w", encoding="utf-8") as file:
        for line in sys.stdin:
            file.write(line)
            file.flush()
            engine.obey(line)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3])
