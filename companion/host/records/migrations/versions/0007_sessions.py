# SPDX-License-Identifier: Apache-2.0
"""The arbiters' sessions, which a restarted hall still knows."""

import sqlalchemy as sql
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "sessions",
        sql.Column("digest", sql.String(64), primary_key=True),
        sql.Column("name", sql.String, nullable=False),
        sql.Column("mark", sql.String, nullable=False),
        sql.Column("until", sql.String(32), nullable=False),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("sessions")
