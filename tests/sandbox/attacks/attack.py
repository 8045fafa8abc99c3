"""What an attack is: a hostile program, what stops it, and what must be seen of it from outside. Knows no cell."""

import os
from dataclasses import dataclass, field

from sandbox.box import Limits
from sandbox.syscalls import NUMBERS

MACHINE = os.uname().machine
SMALL = Limits(
    memory_mib=160,
    processes=32,
    descriptors=64,
    tmp_mib=8,
    tmp_files=500,
    file_mib=4,
    output_mib=2,
    kept_kib=32,
    cpu_s=20,
)


@dataclass(frozen=True, slots=True)
class Attack:
    """One program in Python that begins with `HEAD`.

    :ivar stops: what must stop it, in words for docs/attacks.md; `says` and `reason` are how that is seen.
    :ivar says: must be found in the output.
    :ivar reason: must be found in how it ended.
    :ivar never: must not be found in the output.
    """

    name: str
    stops: str
    code: str
    says: str = ""
    reason: str = "ended by itself with code 0"
    never: str = "REACHED"
    limits: Limits = SMALL
    grace_ms: int = 5_000
    machines: frozenset[str] = field(default_factory=lambda: frozenset(NUMBERS))


HEAD = """
import ctypes, errno, json, mmap, os, signal, socket, sys, time
libc = ctypes.CDLL(None, use_errno=True)
numbers = json.loads(os.environ["NUMBERS"])
def call(name, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(numbers[name] if isinstance(name, str) else name, *arguments)
    return "REACHED" if result >= 0 else errno.errorcode[ctypes.get_errno()]
def attempt(what, *arguments):
    try:
        return ["REACHED", what(*arguments)]
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))
    except MemoryError:
        return "ENOMEM"
def found(folder):
    # Python itself is bound in where it is, and that may be below /tmp.
    return [name for name in os.listdir(folder) if not sys.prefix.startswith(f"{folder}/{name}/")]
"""
