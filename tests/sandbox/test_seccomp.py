"""The system call filter, run on paper: an interpreter of the few BPF instructions it uses asks it about every call."""

import ctypes
import errno
import os
import struct

import pytest

from sandbox.seccomp import MISSING, NOT_PERMITTED, assemble, instructions
from sandbox.syscalls import NUMBERS

KILL, ALLOW = "kill", "allow"
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7, "i386": 0x40000003, "arm": 0x40000028}

machines = pytest.mark.parametrize("machine", NUMBERS)


def ask(machine: str, number: int, *arguments: int, architecture: str = "") -> str | int:
    """What the filter answers to a call: kill, allow, or an errno."""
    architecture = architecture or machine
    words = struct.pack("<iIQ6Q", number, ARCHITECTURE[architecture], 0, *(*arguments, *[0] * (6 - len(arguments))))
    program = instructions(machine)
    place, value = 0, 0
    while True:
        code, if_true, if_false, operand = program[place]
        place += 1
        match code:
            case 0x20:
                (value,) = struct.unpack_from("<I", words, operand)
            case 0x15:
                place += if_true if value == operand else if_false
            case 0x35:
                place += if_true if value >= operand else if_false
            case 0x45:
                place += if_true if value & operand else if_false
            case 0x06:
                if operand == 0x80000000:
                    return KILL
                return ALLOW if operand == 0x7FFF0000 else operand & 0xFFFF
            case _:
                raise AssertionError(f"instruction {code:#x} is not known")


def listed(table: dict[str, str]) -> set[str]:
    return {name for names in table.values() for name in names.split()}


@machines
def test_every_call_gets_the_answer_of_the_lists(machine: str) -> None:
    for name, number in NUMBERS[machine].items():
        if name in {"socket", "socketpair", "clone", "ioctl"}:  # what they get depends on their arguments
            continue
        expected = errno.EPERM if name in listed(NOT_PERMITTED) else errno.ENOSYS if name in listed(MISSING) else ALLOW
        assert ask(machine, number) == expected, name


@machines
def test_the_calls_that_sandboxes_have_been_left_by_are_refused(machine: str) -> None:
    names = """
        ptrace process_vm_readv process_vm_writev pidfd_getfd unshare setns mount umount2 pivot_root chroot fsopen
        move_mount open_tree open_by_handle_at bpf perf_event_open userfaultfd io_uring_setup io_uring_enter keyctl
        add_key request_key init_module finit_module kexec_load reboot syslog clock_settime personality clone3
        memfd_create shmget sched_setaffinity vmsplice splice seccomp
    """
    for name in names.split():
        assert ask(machine, NUMBERS[machine][name]) in {errno.EPERM, errno.ENOSYS}, name


@machines
def test_a_call_that_the_table_does_not_know_looks_like_an_old_kernel(machine: str) -> None:
    known = set(NUMBERS[machine].values())
    for number in {*range(600), 5_000, 0x3FFFFFFF} - known:
        assert ask(machine, number) == errno.ENOSYS


@machines
def test_foreign_architectures_are_killed(machine: str) -> None:
    for other in ARCHITECTURE.keys() - {machine}:
        for number in range(0, 500, 7):
            assert ask(machine, number, architecture=other) == KILL


def test_x32_calls_are_killed() -> None:
    for number in NUMBERS["x86_64"].values():
        assert ask("x86_64", 0x40000000 | number) == KILL


@machines
@pytest.mark.parametrize("name", ["socket", "socketpair"])
def test_only_unix_sockets_are_made(machine: str, name: str) -> None:
    for family in range(50):
        expected = ALLOW if family == 1 else errno.EAFNOSUPPORT
        assert ask(machine, NUMBERS[machine][name], family) == expected


@machines
def test_clone_makes_threads_and_processes_and_no_namespace(machine: str) -> None:
    clone = NUMBERS[machine]["clone"]
    assert ask(machine, clone, 0x3D0F00) == ALLOW  # a thread, as glibc makes it
    assert ask(machine, clone, 0x01200011) == ALLOW  # a fork
    for bit in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert ask(machine, clone, bit | 17) == errno.EPERM
        assert ask(machine, clone, bit | 0xFFFFFFFF_00000011) == errno.EPERM


@machines
def test_nothing_is_typed_into_a_terminal(machine: str) -> None:
    ioctl = NUMBERS[machine]["ioctl"]
    for request in (0x5412, 0x541C, 0x5423, 0xFFFFFFFF_00005412):
        assert ask(machine, ioctl, 0, request) == errno.EPERM
    for request in (0x5401, 0x5413, 0x541B, 0x5421):
        assert ask(machine, ioctl, 0, request) == ALLOW


@machines
def test_no_file_that_all_cells_read_carries_a_signal(machine: str) -> None:
    fcntl = NUMBERS[machine]["fcntl"]
    for command in (5, 6, 7, 36, 37, 38, 1024, 1025, 1026, 0xFFFFFFFF_00000006):
        assert ask(machine, fcntl, 0, command) == errno.EPERM
    for command in (0, 1, 2, 3, 4, 8, 9, 1030, 1031, 1032):
        assert ask(machine, fcntl, 0, command) == ALLOW
    for name in {"flock", "inotify_init", "inotify_init1", "inotify_add_watch"} & NUMBERS[machine].keys():
        assert ask(machine, NUMBERS[machine][name]) == errno.EPERM


@machines
def test_no_socket_gets_a_larger_buffer(machine: str) -> None:
    setsockopt = NUMBERS[machine]["setsockopt"]
    for option in (7, 8, 32, 33):
        assert ask(machine, setsockopt, 3, 1, option) == errno.EPERM
        assert ask(machine, setsockopt, 3, 0xFFFFFFFF_00000001, option) == errno.EPERM
        assert ask(machine, setsockopt, 3, 6, option) == ALLOW
    for option in (1, 2, 9, 15, 16, 34):
        assert ask(machine, setsockopt, 3, 1, option) == ALLOW


@machines
def test_the_lists_name_only_calls_that_exist_and_no_call_twice(machine: str) -> None:
    known = {name for table in NUMBERS.values() for name in table}
    assert listed(NOT_PERMITTED) | listed(MISSING) <= known
    assert not listed(NOT_PERMITTED) & listed(MISSING)


@machines
def test_jumps_stay_inside_the_program_and_it_is_short_enough_for_the_kernel(machine: str) -> None:
    program = instructions(machine)
    assert len(program) <= 4096
    for place, (_, if_true, if_false, _) in enumerate(program[:-1]):
        assert place + 1 + max(if_true, if_false) < len(program)


def test_the_tables_agree_with_this_kernel() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    numbers = NUMBERS[os.uname().machine]
    assert libc.syscall(numbers["getpid"]) == os.getpid()
    assert libc.syscall(numbers["geteuid"]) == os.geteuid()
    descriptor = libc.syscall(numbers["pidfd_open"], os.getpid(), 0)
    assert descriptor >= 0
    os.close(descriptor)


def test_a_machine_without_a_table_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="no system call table for riscv64; run cells on x86_64 or aarch64"):
        assemble("riscv64")
