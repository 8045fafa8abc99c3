"""Command lines of processes that do not outlive the one that starts them. Knows no process."""

import sys
from collections.abc import Sequence

_LEASH = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 15)  # PR_SET_PDEATHSIG, SIGTERM: it survives exec
if os.getppid() != int(sys.argv[1]):
    sys.exit(1)  # the parent was gone before the leash was on
os.execv(sys.argv[2], sys.argv[2:])
"""


def leashed(command: Sequence[str], parent: int) -> list[str]:
    """The command, told to end (SIGTERM) when the thread that starts it ends, however that happens. Linux only;
    elsewhere the command as it is.

    :param parent: process id of whoever starts it.
    """
    if not sys.platform.startswith("linux"):
        return list(command)
    return [sys.executable, "-c", _LEASH, str(parent), *command]
