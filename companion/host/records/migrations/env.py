# SPDX-License-Identifier: Apache-2.0
"""Alembic environment; migrations run inside the caller's transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
