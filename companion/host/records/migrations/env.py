# SPDX-License-Identifier: Apache-2.0
"""What Alembic runs; `versions` holds every version of the tables and the way to it. Migrations happen inside the transaction of whoever asked for them."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
