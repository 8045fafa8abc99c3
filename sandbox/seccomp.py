"""The system call filter of a cell, assembled to BPF in plain Python. Knows no process and needs no library.

The tables of `syscalls` are closed: a call they name is allowed unless it stands below with the reason; a call they
do not name is unknown to us and gets ENOSYS, which libraries take as an old kernel.
"""

import errno
import os
import struct
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from sandbox.syscalls import NUMBERS

NOT_PERMITTED: dict[str, str] = {
    "looks into or steers other processes": """
        ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp process_madvise process_mrelease move_pages
        migrate_pages""",
    "makes or enters namespaces": "unshare setns",
    "changes what is mounted, or walks round it": """
        mount umount2 pivot_root chroot move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr
        name_to_handle_at open_by_handle_at swapon swapoff quotactl quotactl_fd fanotify_init fanotify_mark""",
    "changes the machine": """
        reboot kexec_load kexec_file_load init_module finit_module delete_module acct syslog iopl ioperm sethostname
        setdomainname clock_settime clock_adjtime settimeofday adjtimex vhangup""",
    "widens the kernel's surface for what no bot needs": """
        bpf perf_event_open userfaultfd personality modify_ldt seccomp lookup_dcookie remap_file_pages uselib ustat
        sysfs _sysctl nfsservctl create_module get_kernel_syms query_module getpmsg putpmsg afs_syscall tuxcall
        security vserver epoll_ctl_old epoll_wait_old set_thread_area get_thread_area arch_specific_syscall splice
        tee vmsplice""",
    "keeps keys outside the cell's life": "add_key request_key keyctl",
    "holds memory that belongs to no process": """
        shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink
        mq_timedsend mq_timedreceive mq_notify mq_getsetattr setxattr lsetxattr fsetxattr""",
    "signals to other cells through a file that all of them may read": """
        flock inotify_init inotify_init1 inotify_add_watch""",
    "says which pages of a file somebody has read, or makes them forgotten": "mincore fadvise64 readahead",
    "takes more of the processors than its share": """
        sched_setaffinity sched_setattr sched_setscheduler sched_setparam ioprio_set mbind set_mempolicy
        set_mempolicy_home_node""",
}
"""Calls that get EPERM, by the reason."""

MISSING: dict[str, str] = {
    "libraries fall back to clone, whose flags can be read": "clone3",
    "works past this filter": "io_uring_setup io_uring_enter io_uring_register",
    "widens the kernel's surface for what no bot needs": """
        io_setup io_destroy io_getevents io_submit io_cancel io_pgetevents""",
    "holds memory that belongs to no process": "memfd_create memfd_secret",
    "says which pages of a file somebody has read": "preadv2 pwritev2",
}
"""Calls that get ENOSYS, by the reason: libraries then use an older one."""

_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000
_NAMESPACES = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_TERMINAL = (0x5412, 0x541C, 0x5423)  # TIOCSTI, TIOCLINUX, TIOCSETD: typing into somebody's terminal
_HIDING = (4,)  # PR_SET_DUMPABLE: the watch could not see what the process holds
_FILE_SIGNALS = (5, 6, 7, 36, 37, 38, 1024, 1025, 1026)
"""What fcntl does with locks (F_GETLK … F_OFD_SETLKW), leases (F_SETLEASE, F_GETLEASE) and notices (F_NOTIFY)."""
_SOCKET_LEVEL = 1  # SOL_SOCKET
_BUFFERS = (7, 8, 32, 33)
"""SO_SNDBUF, SO_RCVBUF and the same with FORCE: what a socket holds belongs to no process, so it stays small."""
_UNIX = 1  # AF_UNIX, the only family that the seat socket needs

_KILL = 0x80000000
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_AT_NUMBER, _AT_ARCHITECTURE, _AT_ARGUMENTS = 0, 4, 16

Instruction = tuple[int, int, int, int]
"""Code, jump if true, jump if false, operand."""


def assemble(machine: str = "") -> bytes:
    """The filter for a machine (`x86_64` or `aarch64`, this one when empty), as bubblewrap and the kernel take it.

    :raises ValueError: if there is no table for the machine.
    """
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in instructions(machine or os.uname().machine))


def instructions(machine: str) -> list[Instruction]:
    """The filter as instructions: kill for a foreign architecture, then one step for each range of numbers alike.

    :raises ValueError: if there is no table for the machine.
    """
    if machine not in NUMBERS:
        raise ValueError(f"there is no system call table for {machine}; run cells on {' or '.join(NUMBERS)}.")
    program: list[Instruction] = [
        (_LOAD, 0, 0, _AT_ARCHITECTURE),
        (_EQUAL, 1, 0, _ARCHITECTURE[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _AT_NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
    ]
    for end, step in _ranges(machine):
        program += [(_AT_LEAST, len(step), 0, end), *step]
    return [*program, (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]


def _ranges(machine: str) -> Iterator[tuple[int, list[Instruction]]]:
    """What to do with each range of call numbers, ascending, by the number after its last."""
    names = {number: name for name, number in NUMBERS[machine].items()}
    refused = {name: errno.EPERM for names in NOT_PERMITTED.values() for name in names.split()}
    refused |= {name: errno.ENOSYS for names in MISSING.values() for name in names.split()}

    def step(number: int) -> list[Instruction]:
        name = names.get(number)
        if name in _BY_ARGUMENT:
            return _BY_ARGUMENT[name]()
        verdict = _ERRNO | errno.ENOSYS if name is None else _ERRNO | refused[name] if name in refused else _ALLOW
        return [(_RETURN, 0, 0, verdict)]

    for same, run in groupby(range(max(names) + 1), key=step):
        yield max(run) + 1, same


def _only_unix_sockets() -> list[Instruction]:
    return [
        (_LOAD, 0, 0, _AT_ARGUMENTS),
        (_EQUAL, 0, 1, _UNIX),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERRNO | errno.EAFNOSUPPORT),
    ]


def _no_new_namespaces() -> list[Instruction]:
    return [
        (_LOAD, 0, 0, _AT_ARGUMENTS),
        (_ANY_BIT, 0, 1, _NAMESPACES),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _no_hiding() -> list[Instruction]:
    return _none_of(_HIDING, argument=0)


def _no_terminal_input() -> list[Instruction]:
    return _none_of(_TERMINAL)


def _no_file_signals() -> list[Instruction]:
    return _none_of(_FILE_SIGNALS)


def _no_large_buffers() -> list[Instruction]:
    return [
        (_LOAD, 0, 0, _AT_ARGUMENTS + 8),
        (_EQUAL, 1, 0, _SOCKET_LEVEL),
        (_RETURN, 0, 0, _ALLOW),
        *_none_of(_BUFFERS, argument=2),
    ]


def _none_of(requests: Sequence[int], argument: int = 1) -> list[Instruction]:
    """Refuses these values of an argument (counted from 0), of which the kernel takes the lower half."""
    checks: list[Instruction] = [(_EQUAL, len(requests) - place, 0, request) for place, request in enumerate(requests)]
    return [
        (_LOAD, 0, 0, _AT_ARGUMENTS + 8 * argument),
        *checks,
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
    ]


_BY_ARGUMENT: dict[str | None, Callable[[], list[Instruction]]] = {
    "socket": _only_unix_sockets,
    "socketpair": _only_unix_sockets,
    "clone": _no_new_namespaces,
    "ioctl": _no_terminal_input,
    "prctl": _no_hiding,
    "fcntl": _no_file_signals,
    "setsockopt": _no_large_buffers,
}
