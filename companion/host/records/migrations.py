# SPDX-License-Identifier: Apache-2.0
"""The tables of a store, as steps from each version to the next.

Its rule: a step that was released never changes. The table of the version has the name that
Companion has always given it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from companion.host.records.database import Transaction

STEPS: Final = {
    "0001": (
        """CREATE TABLE games (
            number SERIAL NOT NULL PRIMARY KEY,
            origin VARCHAR(64) UNIQUE,
            digest VARCHAR(64) NOT NULL UNIQUE,
            game VARCHAR NOT NULL,
            began VARCHAR NOT NULL,
            winners VARCHAR NOT NULL,
            result VARCHAR NOT NULL,
            plies INTEGER NOT NULL,
            thought_ms INTEGER,
            record TEXT NOT NULL)""",
        "CREATE INDEX ix_games_game ON games (game)",
        """CREATE TABLE moves (
            game INTEGER NOT NULL REFERENCES games (number) ON DELETE CASCADE,
            ply INTEGER NOT NULL,
            side INTEGER NOT NULL,
            move VARCHAR NOT NULL,
            thought_ms INTEGER,
            PRIMARY KEY (game, ply))""",
    ),
    "0002": (
        """CREATE TABLE acts (
            number INTEGER NOT NULL PRIMARY KEY,
            at VARCHAR(32) NOT NULL,
            "by" VARCHAR NOT NULL,
            act TEXT NOT NULL)""",
        "CREATE TABLE arbiters (name VARCHAR NOT NULL PRIMARY KEY, password VARCHAR NOT NULL)",
    ),
    "0003": (
        """CREATE TABLE panels (
            panel VARCHAR(32) NOT NULL PRIMARY KEY,
            board VARCHAR NOT NULL UNIQUE,
            game VARCHAR NOT NULL)""",
    ),
    "0004": (
        """CREATE TABLE devices (
            device VARCHAR NOT NULL PRIMARY KEY,
            board VARCHAR NOT NULL UNIQUE,
            game VARCHAR NOT NULL)""",
        "INSERT INTO devices (device, board, game) SELECT panel, board, game FROM panels",
        "DROP TABLE panels",
    ),
    "0005": ("ALTER TABLE moves ADD COLUMN left_ms INTEGER",),
    "0006": ("CREATE TABLE analyses (digest VARCHAR(64) NOT NULL PRIMARY KEY, analysis TEXT NOT NULL)",),
    "0007": (
        """CREATE TABLE sessions (
            digest VARCHAR(64) NOT NULL PRIMARY KEY,
            name VARCHAR NOT NULL,
            mark VARCHAR NOT NULL,
            until VARCHAR(32) NOT NULL)""",
    ),
}
"""Statements by the version to which they lead, in order."""
VERSION: Final = max(STEPS)
"""Version of the tables that this program uses."""
_TABLE: Final = "alembic_version"


def is_store(transaction: Transaction) -> bool:
    """True if the database has the tables of a store, of any version."""
    return transaction.has_table(_TABLE) or transaction.has_table("games")


def version_of(transaction: Transaction) -> str | None:
    """Return the version of the tables; None if it is not recorded."""
    if not transaction.has_table(_TABLE):
        return None
    row = transaction.execute(f"SELECT version_num FROM {_TABLE}").fetchone()
    return None if row is None else str(row[0])


def migrate(transaction: Transaction, version: str = VERSION) -> None:
    """Bring the tables from any older version to *version*."""
    found = version_of(transaction) or ""
    if not found and transaction.has_table("games"):  # from before versions were counted
        transaction.execute("DROP TABLE about")
        found = "0001"
    for step in STEPS:
        if found < step <= version:
            for statement in STEPS[step]:
                transaction.execute(statement)
    transaction.execute(
        f"CREATE TABLE IF NOT EXISTS {_TABLE} "
        f"(version_num VARCHAR(32) NOT NULL CONSTRAINT {_TABLE}_pkc PRIMARY KEY)"
    )
    transaction.execute(f"DELETE FROM {_TABLE}")
    transaction.execute(f"INSERT INTO {_TABLE} VALUES (?)", (version,))
