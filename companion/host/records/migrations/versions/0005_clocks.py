# SPDX-License-Identifier: Apache-2.0
"""What clocks showed when moves were made: nobody knows of those that were kept before."""

import sqlalchemy as sql
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Room for them."""
    op.add_column("moves", sql.Column("left_ms", sql.Integer))


def downgrade() -> None:
    """They are forgotten."""
    op.drop_column("moves", "left_ms")
