"""Bots by owner are counted whenever one is made."""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("bots_by_owner", "bots", ["owner"])
