# SPDX-License-Identifier: Apache-2.0
"""Remaining clock times of moves; unknown for older games."""

import sqlalchemy as sql
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column."""
    op.add_column("moves", sql.Column("left_ms", sql.Integer))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("moves", "left_ms")
