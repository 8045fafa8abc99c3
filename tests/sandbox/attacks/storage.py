"""Bots that fill disks, tables of files and tables of descriptors, or write where they may not."""

from tests.sandbox.attacks.attack import NOWHERE, Attack, Bare

ATTACKS = [
    Attack("one big file", "RLIMIT_FSIZE, 4 MiB: EFBIG", """
        with open("/tmp/big", "wb", buffering=0) as file:
            written = 0
            try:
                while True: written += file.write(bytes(1 << 16))
            except OSError as error: print(errno.errorcode[error.errno], written)
            print(attempt(os.truncate, "/tmp/big", 1 << 40), attempt(os.posix_fallocate, file.fileno(), 0, 1 << 30))
        """, says=r"EFBIG 4194304\nEFBIG EFBIG", nons=NOWHERE),
    Attack("a full disk", "the size of /tmp and of /dev/shm, 8 MiB each: ENOSPC", """
        for place in ("/tmp", "/dev/shm"):
            written = 0
            try:
                for number in range(100):
                    with open(f"{place}/{number}", "wb", buffering=0) as file: written += file.write(bytes(1 << 20))
            except OSError as error: print(errno.errorcode[error.errno], "REACHED" if written > 8 << 20 else "held")
        """, says=r"ENOSPC held\nENOSPC held",
        nons=Bare(NOWHERE.stops, says=r"EACCES held\nEACCES held")),
    Attack("countless files", "the watch counts them", """
        for number in range(300_000): os.mkdir(f"/tmp/one-of-many-{number}")
        print("REACHED")
        """, reason=r"made \d+ files in /tmp and /dev/shm; the limit is 500", nons=NOWHERE),
    Attack("countless names of one file", "the watch counts them", """
        open("/dev/shm/file", "w").close()
        for number in range(300_000): os.link("/dev/shm/file", f"/dev/shm/{number}")
        print("REACHED")
        """, reason=r"made \d+ files in /tmp and /dev/shm; the limit is 500", nons=NOWHERE),
    Attack("countless descriptors", "RLIMIT_NOFILE, 64: EMFILE", """
        opened = 0
        try:
            while True: os.dup(0); opened += 1
        except OSError as error: print(errno.errorcode[error.errno], opened)
        """, says="EMFILE 61"),
    Attack("descriptors in letters that nobody opens", "RLIMIT_NOFILE for each user: ETOOMANYREFS", """
        here, there = socket.socketpair()
        here.setblocking(False)
        sent = 0
        try:
            while True:
                pipe = os.pipe()
                socket.send_fds(here, [b"x"], pipe)
                for end in pipe: os.close(end)
                sent += 2
        except OSError as error:
            print(errno.errorcode[error.errno], "held" if sent <= 66 else "REACHED", sent)
        """, says="ETOOMANYREFS held"),
    Attack("writing anywhere", "read-only mounts: EROFS; no capabilities", """
        libraries = {os.path.dirname(place) for place in (sys.executable, *sys.path) if place.startswith("/")}
        for folder in ("/", BOT, SEAT, "/run", "/usr", "/usr/bin", "/dev", "/etc", "/proc",
                       "/proc/sys/kernel", sys.prefix, *libraries):
            print(folder, attempt(os.open, folder + "/x", os.O_WRONLY | os.O_CREAT), attempt(os.mkdir, folder + "/y"))
        for path in (BOT + "/main.py", "/proc/sys/kernel/hostname", "/proc/sysrq-trigger", sys.executable):
            print(path, attempt(os.open, path, os.O_WRONLY), attempt(os.chmod, path, 0o777), attempt(os.unlink, path))
        print(attempt(os.mknod, "/tmp/device", 0o20666, os.makedev(1, 1)))
        print(attempt(os.rename, BOT + "/main.py", "/tmp/main.py"), "end")
        """, says=r"/bot EROFS EROFS\n/run/arena EROFS EROFS\n.*/usr EROFS EROFS\n.*\nEPERM\n(EXDEV|EROFS) end",
        nons=Bare("Landlock: EACCES; it owns no file: EPERM",
                  says=r"/bot EACCES EACCES\n\S*/run/arena EACCES EACCES\n.*/usr EACCES EACCES\n"
                       r".*/bot/main.py EACCES EPERM EACCES\n.*\nEACCES\nEACCES end")),
    Attack("links that lead out", "there is nothing at their other end: ENOENT; another mount: EXDEV", """
        for place in (os.environ["VICTIM_FILE"], "/etc/shadow", "/bot/../../../../etc/shadow"):
            os.symlink(place, "/tmp/link-out-of-a-cell")
            print(attempt(open, "/tmp/link-out-of-a-cell"), end=" ")
            os.unlink("/tmp/link-out-of-a-cell")
        print(attempt(os.link, BOT + "/main.py", "/tmp/hard"))
        """, says="ENOENT ENOENT ENOENT (EXDEV|EPERM)", nons=NOWHERE),
]  # fmt: skip
