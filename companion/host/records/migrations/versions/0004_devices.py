# SPDX-License-Identifier: Apache-2.0
"""Assignment of sensor boards and cameras to a hall's boards."""

import sqlalchemy as sql
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the table and copy the sensor boards."""
    op.create_table(
        "devices",
        sql.Column("device", sql.String, primary_key=True),
        sql.Column("board", sql.String, nullable=False, unique=True),
        sql.Column("game", sql.String, nullable=False),
    )
    op.execute("INSERT INTO devices (device, board, game) SELECT panel, board, game FROM panels")
    op.drop_table("panels")


def downgrade() -> None:
    """Restore the sensor boards; cameras are dropped."""
    op.create_table(
        "panels",
        sql.Column("panel", sql.String(32), primary_key=True),
        sql.Column("board", sql.String, nullable=False, unique=True),
        sql.Column("game", sql.String, nullable=False),
    )
    op.execute(
        "INSERT INTO panels (panel, board, game) SELECT device, board, game FROM devices WHERE device NOT LIKE 'usb:%'"
    )
    op.drop_table("devices")
