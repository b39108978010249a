# SPDX-License-Identifier: Apache-2.0
"""Which sensor board or camera belongs to which of a hall's boards: what was known of sensor boards, with room for cameras."""

import sqlalchemy as sql
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Take the sensor boards over."""
    op.create_table(
        "devices",
        sql.Column("device", sql.String, primary_key=True),
        sql.Column("board", sql.String, nullable=False, unique=True),
        sql.Column("game", sql.String, nullable=False),
    )
    op.execute("INSERT INTO devices (device, board, game) SELECT panel, board, game FROM panels")
    op.drop_table("panels")


def downgrade() -> None:
    """Give the sensor boards back; cameras are forgotten."""
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
