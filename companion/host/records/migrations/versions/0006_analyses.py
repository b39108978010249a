# SPDX-License-Identifier: Apache-2.0
"""Analyses of games, by the digest of the game."""

import sqlalchemy as sql
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "analyses",
        sql.Column("digest", sql.String(64), primary_key=True),
        sql.Column("analysis", sql.Text, nullable=False),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("analyses")
