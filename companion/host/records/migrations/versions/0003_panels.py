# SPDX-License-Identifier: Apache-2.0
"""Assignment of sensor boards to a hall's boards."""

import sqlalchemy as sql
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "panels",
        sql.Column("panel", sql.String(32), primary_key=True),
        sql.Column("board", sql.String, nullable=False, unique=True),
        sql.Column("game", sql.String, nullable=False),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("panels")
