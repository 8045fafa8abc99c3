"""Bots that leave something for the next bot, or signal to one that runs beside them."""

from tests.sandbox.attacks.attack import NOWHERE, Attack, Bare

ATTACKS = [
    Attack("leaving a note for the next bot", "/tmp and /dev/shm are new and end with the cell", """
        for place in ("/tmp", "/dev/shm"):
            print(found(place))
            open(place + "/note", "w").write("REACHED")
        """, says=r"\[\]\n\[\]", nons=NOWHERE),
    Attack("finding the last bot's note", "/tmp and /dev/shm are new and end with the cell", """
        print([found(place) for place in ("/tmp", "/dev/shm")], attempt(open, "/tmp/note"))
        """, says=r"\[\[\], \[\]\] ENOENT", nons=NOWHERE),
    Attack("signals through a file that all cells read", "the filter: EPERM for locks, leases and notices", """
        import fcntl
        file = open("/usr/bin/env", "rb")
        print(attempt(fcntl.flock, file, fcntl.LOCK_EX | fcntl.LOCK_NB),
              attempt(fcntl.lockf, file, fcntl.LOCK_SH | fcntl.LOCK_NB),
              *(attempt(fcntl.fcntl, file, command, bytes(32)) for command in (5, 36, 37)),
              *(attempt(fcntl.fcntl, file, command, 0) for command in (1024, 1025)),
              attempt(fcntl.fcntl, os.open("/usr", os.O_RDONLY), 1026, 0x21), call("inotify_init1", 0))
        """, says="(EPERM ?){9}"),
    Attack("time stamps of a file that all cells read", "read-only mounts: EROFS, and reading leaves no time", """
        paths = [entry.path for entry in os.scandir("/usr/bin") if entry.is_file(follow_symlinks=False)]
        paths = [path for path in paths if os.access(path, os.R_OK) and os.stat(path).st_atime < time.time() - 100_000]
        path = [*paths, "/usr/bin/env"][0]
        before = os.stat(path).st_atime_ns
        open(path, "rb").read()
        print(attempt(os.utime, path), attempt(os.utime, path, (1, 1)), attempt(os.utime, BOT + "/main.py"))
        print("held" if os.stat(path).st_atime_ns == before else "REACHED")
        """, says=r"EROFS EROFS EROFS\nheld",
        nons=Bare(open="times cannot be set; reading leaves one unless the host's mount has noatime",
                  says=r"EACCES EPERM EACCES")),
    Attack("asking which pages of a file were read", "the filter: EPERM, ENOSYS; timing a read is not held", """
        file = os.open("/usr/bin/env", os.O_RDONLY)
        print(attempt(os.posix_fadvise, file, 0, 0, os.POSIX_FADV_DONTNEED), call("mincore", 0, 4096, 0),
              call("readahead", file, 0, 4096), attempt(os.preadv, file, [bytearray(1)], 0, os.RWF_NOWAIT))
        print(os.preadv(file, [bytearray(1)], 0))
        """, says=r"EPERM EPERM EPERM (ENOSYS|EOPNOTSUPP|ENOTSUP)\n1"),
    Attack("a dump of its memory", "RLIMIT_CORE, 0", """
        attempt(os.chdir, "/tmp")
        pid = os.fork()
        if pid == 0: ctypes.string_at(0)
        status = os.waitpid(pid, 0)[1]
        names = os.listdir("/tmp") if attempt(os.listdir, "/tmp")[0] == "REACHED" else []
        print(os.WTERMSIG(status), os.WCOREDUMP(status), [name for name in names if "core" in name])
        """, says=r"11 False \[\]", nons=Bare("RLIMIT_CORE, 0; no folder can be written", says=r"11 False \[\]")),
]  # fmt: skip
