"""Bots that look for what is not theirs: the host's files, the worker, other seats, networks."""

from tests.sandbox.attacks.attack import Attack, Bare

ATTACKS = [
    Attack("others' files", "the mount namespace: ENOENT", """
        for path in ("/etc/shadow", "/etc/passwd", "/home", "/var", "/srv", "/root/.ssh", "/proc/kcore", "/dev/mem",
                     "/dev/vda", "/dev/kmsg", "/sys", os.environ["VICTIM_FILE"],
                     os.path.dirname(os.environ["VICTIM_FILE"]), os.environ["VICTIM_SOURCE"],
                     f"/proc/{os.environ['VICTIM_PID']}/environ"):
            print(path, attempt(os.open, path, os.O_RDONLY))
        said = attempt(os.listdir, "/run")
        print(os.listdir(SEAT), said[1] if said[0] == "REACHED" else said)
        """, says=r"secret.txt ENOENT\n.*/other ENOENT\n.*box.py ENOENT\n.*\['seat.sock'\] \['arena'\]",
        nons=Bare("Landlock: EACCES", says=r"/shadow EACCES\n.*secret.txt EACCES\n.*/other EACCES\n.*box.py EACCES\n"
                                           r".*environ EACCES\n\['seat.sock'\] EACCES")),
    Attack("others' environment", "the process namespace; bubblewrap's own environment is empty", """
        needle = b"hush-" + b"hush"
        for pid in filter(str.isdigit, os.listdir("/proc") if PROC else []):
            for name in ("environ", "cmdline", "maps"):
                try: found = needle in open(f"/proc/{pid}/{name}", "rb").read()
                except OSError: found = False
                if found: print("REACHED", pid, name)
        print(sorted(os.environ))
        """, says=r"\['BOT', 'HOME', 'LANG', 'NUMBERS', 'PATH', 'PWD', 'PYTHON\w+', 'PYTHON\w+', 'REFUSED', 'SEAT', 'V",
        nons=Bare("Landlock: /proc is closed")),
    Attack("others' processes", "the process namespace: ESRCH", """
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()] if PROC else [1]
        print("held" if len(pids) <= 4 and max(pids) < 10 else "REACHED", pids)
        print(attempt(os.kill, int(os.environ["VICTIM_PID"]), 0))
        """, says="held.*ESRCH",
        nons=Bare("Landlock: /proc is closed, signals end at the cell, EPERM", says="held.*EPERM")),
    Attack("the first process of the cell", "another user id; where it is the same, it has no more than the bot", """
        if PROC:
            try: held = [os.readlink(f"/proc/1/fd/{number}") for number in os.listdir("/proc/1/fd")]
            except PermissionError: held = []
            own = {os.readlink(f"/proc/self/fd/{number}") for number in (1, 2)}
            print([name for name in held if not name.startswith(("socket:", "anon_inode:")) and name not in own])
            status = dict(line.split(":", 1) for line in open("/proc/1/status"))
            print(status["CapEff"].strip() if held else "closed", status["Seccomp"].strip())
        else: print("[]\\nclosed 2")
        """, says=r"\[\]\n(closed|0{16}) 2", nons=Bare("Landlock: /proc is closed")),
    Attack("inherited descriptors", "there are none but 0, 1 and 2", """
        found = []
        for number in range(64):
            try: os.fstat(number); found.append(number)
            except OSError: pass
        print(found)
        """, says=r"\[0, 1, 2\]"),
    Attack("networks", "the filter: EAFNOSUPPORT for every family but unix; the network namespace has no interface", """
        for family in range(48):
            for kind in (1, 2, 3, 5):
                said = call("socket", family, kind, 0)
                if family != 1 and said != "EAFNOSUPPORT": print("REACHED", family, kind, said)
        names = open("/proc/net/dev").read() if PROC else "lo: eth0 gone"
        print(sorted(line.split(":")[0].strip() for line in names.splitlines()[2:] or ["lo"]))
        """, says=r"\['lo'\]", nons=Bare("the filter: EAFNOSUPPORT for every family but unix")),
    Attack("abstract sockets", "the network namespace: ECONNREFUSED", """
        print(attempt(socket.socket(socket.AF_UNIX).connect, "\\0" + os.environ["VICTIM_NAME"]))
        """, says="ECONNREFUSED", nons=Bare("Landlock: EPERM", says="EPERM")),
    Attack("the other seat's socket", "the mount namespace: ENOENT", """
        print(attempt(socket.socket(socket.AF_UNIX).connect, os.environ["VICTIM_SOCKET"]))
        """, says="ENOENT", nons=Bare("its mode and its owner: EACCES", says="EACCES")),
    Attack("a socket of the host that everybody may open", "the mount namespace: ENOENT", """
        print(attempt(socket.socket(socket.AF_UNIX).connect, os.environ["VICTIM_DOOR"]))
        """, says="ENOENT", nons=Bare(open="Landlock has no rule for sockets with a path", says="REACHED")),
    Attack("whether somebody has an abstract name", "the network namespace: it is free", """
        print(attempt(socket.socket(socket.AF_UNIX).bind, "\\0" + os.environ["VICTIM_NAME"]))
        """, says="REACHED", never="EADDRINUSE",
        nons=Bare(open="Landlock has no rule for names: EADDRINUSE tells", says="EADDRINUSE")),
    Attack("what is known of a file without opening it", "the mount namespace: ENOENT", """
        print(attempt(os.stat, os.environ["VICTIM_FILE"]))
        """, says="ENOENT",
        nons=Bare(open="Landlock has no rule for it: who knows a path learns size and times", says="st_size=7")),
]  # fmt: skip
