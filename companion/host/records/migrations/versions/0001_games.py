# SPDX-License-Identifier: Apache-2.0
"""Stored games and their moves."""

import sqlalchemy as sql
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables, unless they exist from before versions were counted."""
    if sql.inspect(op.get_bind()).has_table("games"):
        op.drop_table("about")
        return
    op.create_table(
        "games",
        sql.Column("number", sql.Integer, primary_key=True),
        sql.Column("origin", sql.String(64), unique=True),
        sql.Column("digest", sql.String(64), nullable=False, unique=True),
        sql.Column("game", sql.String, nullable=False, index=True),
        sql.Column("began", sql.String, nullable=False),
        sql.Column("winners", sql.String, nullable=False),
        sql.Column("result", sql.String, nullable=False),
        sql.Column("plies", sql.Integer, nullable=False),
        sql.Column("thought_ms", sql.Integer),
        sql.Column("record", sql.Text, nullable=False),
    )
    op.create_table(
        "moves",
        sql.Column("game", sql.Integer, sql.ForeignKey("games.number", ondelete="CASCADE"), primary_key=True),
        sql.Column("ply", sql.Integer, primary_key=True),
        sql.Column("side", sql.Integer, nullable=False),
        sql.Column("move", sql.String, nullable=False),
        sql.Column("thought_ms", sql.Integer),
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("moves")
    op.drop_table("games")
