# SPDX-License-Identifier: Apache-2.0
"""The arbiter's book, and the arbiters' accounts."""

import sqlalchemy as sql
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "acts",
        sql.Column("number", sql.Integer, primary_key=True, autoincrement=False),
        sql.Column("at", sql.String(32), nullable=False),
        sql.Column("by", sql.String, nullable=False),
        sql.Column("act", sql.Text, nullable=False),
    )
    op.create_table(
        "arbiters",
        sql.Column("name", sql.String, primary_key=True),
        sql.Column("password", sql.String, nullable=False),
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("arbiters")
    op.drop_table("acts")
