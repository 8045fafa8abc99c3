"""What Alembic runs to migrate: on the connection that `arena.store.migrate` opened, in one transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
