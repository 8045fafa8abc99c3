"""Bots that want all of the memory: their own, the kernel's, or some that belongs to nobody."""

from tests.sandbox.attacks.attack import Attack

MEMORY_HOGS = """
for _ in range(4):
    if os.fork() == 0:
        hoard = bytearray(60 << 20)
        for place in range(0, len(hoard), 4096): hoard[place] = 1
        time.sleep(60)
time.sleep(60)
"""

KILLED = r"used \d{3} MiB of memory.*; the limit is 160 MiB"

ATTACKS = [
    Attack("memory that one process asks for", "RLIMIT_DATA, 160 MiB: ENOMEM", """
        hoard = []
        try:
            while True: hoard.append(mmap.mmap(-1, 4 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
        except OSError as error:
            print(errno.errorcode[error.errno], "held" if 30 <= len(hoard) < 40 else "REACHED", len(hoard))
        """, says="ENOMEM held"),
    Attack("memory that one process fills", "RLIMIT_DATA, or the watch if it looks before", """
        hoard = []
        while True:
            hoard.append(bytearray(b"x") * (4 << 20))
        """, says="MemoryError", reason="code 1: it got no more memory; the limit is 160 MiB|MiB of memory"),
    Attack("memory by many processes", "the watch, over the whole tree", MEMORY_HOGS, reason=KILLED),
    Attack("memory in a shared mapping", "the watch; RLIMIT_DATA does not count it", """
        hoard = mmap.mmap(-1, 600 << 20)
        for place in range(0, len(hoard), 4096): hoard[place] = 1
        print("REACHED")
        """, reason=KILLED),
    Attack("no attack: memory that many share", "nothing: the watch counts it once", """
        shared = mmap.mmap(-1, 60 << 20)
        for place in range(0, len(shared), 4096): shared[place] = 1
        for _ in range(4):
            if os.fork() == 0:
                for place in range(0, len(shared), 4096): shared[place] = 2
                time.sleep(0.3)
                os._exit(0)
        for _ in range(4): os.wait()
        print("done")
        """, says="done"),
    Attack("page tables, by reading what is not there", "the watch counts them", """
        nothing = mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)
        for place in range(0, len(nothing), 2 << 20): nothing[place]
        print("REACHED")
        """, reason=KILLED),
    Attack("memory that belongs to no process", "the filter: memfd ENOSYS, System V and POSIX objects EPERM", """
        print(call("memfd_create", b"x", 0), call("shmget", 0, 1 << 20, 0o1600), call("mq_open", b"x", 0o102, 0o600, 0))
        print(call("semget", 0, 1, 0o1600), call("msgget", 0, 0o1600))
        """, says=r"ENOSYS EPERM EPERM\nEPERM EPERM"),
    Attack("memory in pipes", "RLIMIT_NOFILE, and the kernel's bound of pipe pages for each user", """
        import fcntl
        filled, pipes = 0, []
        try:
            while True:
                pipes.append(os.pipe())
                attempt(fcntl.fcntl, pipes[-1][1], 1031, 1 << 20)
                os.set_blocking(pipes[-1][1], False)
                try:
                    while True: filled += os.write(pipes[-1][1], bytes(1 << 16))
                except BlockingIOError: pass
        except OSError as error:
            print(errno.errorcode[error.errno], "held" if filled <= 32 << 20 else "REACHED", filled)
        """, says="EMFILE held"),
    Attack("memory in sockets", "RLIMIT_NOFILE; the filter: EPERM for larger buffers", """
        filled, pairs = 0, []
        try:
            while True:
                pairs.append(socket.socketpair())
                for end in pairs[-1]:
                    said = attempt(end.setsockopt, socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
                    end.setblocking(False)
                    try:
                        while True: filled += end.send(bytes(1 << 16))
                    except BlockingIOError: pass
        except OSError as error:
            print(errno.errorcode[error.errno], "held" if filled <= 16 << 20 else "REACHED", said, filled)
        """, says="EMFILE held EPERM"),
    Attack("memory in the sockets of many processes", "the watch counts sockets", """
        pairs = []
        for _ in range(4):
            if os.fork() == 0:
                pairs += [socket.socketpair() for _ in range(20)]
                time.sleep(60)
        time.sleep(60)
        """, reason="opened 1[0-6][0-9] sockets; the limit is 64|opened [6-9][0-9] sockets"),
    Attack("memory that is never swapped", "RLIMIT_MEMLOCK, 64 KiB", """
        hoard = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        address = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(hoard)))
        print(call("mlock", address, ctypes.c_size_t(1 << 20)), call("mlockall", 3))
        """, says="ENOMEM ENOMEM"),
]  # fmt: skip
