"""Tournaments whose entries close, and that start, at a time."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tournaments", sa.Column("open_until", sa.DateTime(timezone=True)))
