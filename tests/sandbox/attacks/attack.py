"""What an attack is: a hostile program, what stops it, and what must be seen of it from outside. Knows no cell."""

import os
from dataclasses import dataclass, field, replace

from sandbox.box import Limits, Tier
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
class Bare:
    """What is otherwise in the tier `nons`.

    :ivar says, reason: as those of an attack; as there, if empty.
    :ivar open: why it is not held; `says` is how that is seen.
    """

    stops: str = ""
    says: str = ""
    reason: str = ""
    open: str = ""


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
    nons: Bare = Bare()

    def in_tier(self, tier: Tier) -> "Attack":
        """What must be seen of it in that tier."""
        if tier is not Tier.NONS:
            return self
        bare = self.nons
        return replace(
            self,
            stops=bare.stops or self.stops,
            says=bare.says or self.says,
            reason=bare.reason or self.reason,
            never=self.never if not bare.open else "^$",
        )


NOWHERE = Bare("Landlock: no folder can be written, EACCES", says="PermissionError.*Errno 13", reason="code 1")
"""For attacks that begin with a file of their own."""

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
BOT, SEAT = os.environ["BOT"], os.environ["SEAT"]
PROC = attempt(os.listdir, "/proc")[0] == "REACHED"
def found(folder):
    # Python itself is bound in where it is, and that may be below /tmp.
    return [name for name in os.listdir(folder) if not sys.prefix.startswith(f"{folder}/{name}/")]
"""
