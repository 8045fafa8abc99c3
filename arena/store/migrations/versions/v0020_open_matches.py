"""What may be seen of the blocks that are being played."""

from pathlib import Path

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # The bare cursor: SQLAlchemy passes an empty list of parameters, and then the driver takes one statement only.
    op.get_bind().connection.cursor().execute(Path(__file__).with_suffix(".sql").read_text("utf-8"))
