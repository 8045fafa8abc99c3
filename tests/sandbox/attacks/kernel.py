"""Bots that go for the kernel: calls that sandboxes have been left by, namespaces, tracing, terminals, user ids."""

from tests.sandbox.attacks.attack import Attack, Bare

ATTACKS = [
    Attack("every call of the refused lists", "the filter: EPERM or ENOSYS", """
        for name in json.loads(os.environ["REFUSED"]):
            said = call(name, 0, 0, 0, 0, 0, 0)
            if said not in ("EPERM", "ENOSYS"): print("REACHED", name, said)
        print(call("io_uring_setup", 1, 0), call("keyctl", 0, 0), call("personality", 0x40000), call(471, 0, 0, 0))
        """, says="ENOSYS EPERM EPERM ENOSYS"),
    Attack("new namespaces by every door", "the filter: EPERM; clone3 ENOSYS", """
        print([call("clone", flag | 17, 0, 0, 0, 0) for flag in (0x20000, 0x10000000, 0x20000000, 0x40000000)])
        print(call("unshare", 0x10000000), call("unshare", 0x20000), call("clone3", bytes(88), 88), call("setns", 0, 0))
        print(call("mount", b"/tmp", b"/bot", b"", 4096, 0), call("umount2", b"/bot", 2), call("chroot", b"/tmp"))
        """, says=r"\['EPERM', 'EPERM', 'EPERM', 'EPERM'\]\nEPERM EPERM ENOSYS EPERM\nEPERM EPERM EPERM"),
    Attack("tracing", "the filter: EPERM", """
        parent = os.getppid()
        print(call("ptrace", 16, parent, 0, 0), call("ptrace", 0, 0, 0, 0))
        print(call("process_vm_readv", parent, 0, 0, 0, 0, 0))
        print(call("pidfd_getfd", 0, 0, 0), call("kcmp", parent, 1, 0, 0, 0))
        """, says=r"EPERM EPERM\nEPERM\nEPERM EPERM"),
    Attack("becoming somebody", "no capability, no new privileges", """
        print(attempt(os.setuid, 0), attempt(os.setgroups, [0]), attempt(os.setresuid, 0, 0, 0))
        if PROC:
            status = dict(line.split(":", 1) for line in open("/proc/self/status"))
            print({status[name].strip() for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")})
            print("new privileges:", status["NoNewPrivs"].strip())
        else: print("no /proc")
        """, says=r"E\w+ E\w+ E\w+\n(\{'0{16}'\}\nnew privileges: 1|no /proc)"),
    Attack("living on when memory runs out", "oom_score_adj, 1000; lower needs a capability", """
        if PROC:
            print("first to go:", open("/proc/self/oom_score_adj").read().strip())
            print(attempt(os.write, os.open("/proc/self/oom_score_adj", os.O_WRONLY), b"-500"))
        else: print("no /proc")
        """, says=r"first to go: 1000\nEACCES|no /proc"),
    Attack("typing into a terminal", "the filter: EPERM; a session of its own without a terminal", """
        import fcntl
        print([attempt(fcntl.ioctl, number, 0x5412, b"x") for number in (0, 1, 2)])
        print(attempt(os.open, "/dev/tty", os.O_RDWR))
        main, other = os.openpty()
        print(attempt(fcntl.ioctl, other, 0x5412, b"x"), attempt(fcntl.ioctl, other, 0x541C, b"x"))
        """, says=r"\['EPERM', 'EPERM', 'EPERM'\]\nE\w+\nEPERM EPERM",
        nons=Bare("the filter: EPERM; Landlock: no new terminal, EACCES",
                  says=r"\['EPERM', 'EPERM', 'EPERM'\]\nEACCES\n.*PermissionError", reason="code 1")),
    Attack("hiding what it holds from the watch", "the filter: EPERM", """
        print(call("prctl", 4, 0, 0, 0, 0), libc.prctl(3, 0, 0, 0, 0))
        """, says="EPERM 1"),
    Attack("calls of 32-bit programs", "the filter: SIGSYS", """
        code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        code.write(bytes([0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0xC3]))  # mov eax, getpid; int 0x80; ret
        address = ctypes.addressof(ctypes.c_char.from_buffer(code))
        print("REACHED", ctypes.CFUNCTYPE(ctypes.c_int)(address)())
        """, reason="signal 31 .SIGSYS", machines=frozenset({"x86_64"})),
    Attack("calls of x32 programs", "the filter: SIGSYS", """
        print("REACHED", call(0x40000000 | numbers["getpid"]))
        """, reason="signal 31 .SIGSYS", machines=frozenset({"x86_64"})),
]  # fmt: skip
