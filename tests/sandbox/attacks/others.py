"""Bots that look for what is not theirs: the host's files, the worker, other seats, networks."""

from tests.sandbox.attacks.attack import Attack

ATTACKS = [
    Attack("others' files", "the mount namespace: ENOENT", """
        for path in ("/etc/shadow", "/etc/passwd", "/home", "/var", "/srv", "/root/.ssh", "/proc/kcore", "/dev/mem",
                     "/dev/vda", "/dev/kmsg", "/sys", os.environ["VICTIM_FILE"],
                     os.path.dirname(os.environ["VICTIM_FILE"]), os.environ["VICTIM_SOURCE"],
                     f"/proc/{os.environ['VICTIM_PID']}/environ"):
            print(path, attempt(os.open, path, os.O_RDONLY))
        print(os.listdir("/run/arena"), os.listdir("/run"))
        """, says=r"secret.txt ENOENT\n.*/other ENOENT\n.*box.py ENOENT\n.*\['seat.sock'\] \['arena'\]"),
    Attack("others' environment", "the process namespace; bubblewrap's own environment is empty", """
        needle = b"hush-" + b"hush"
        for pid in filter(str.isdigit, os.listdir("/proc") if os.path.exists("/proc/self") else []):
            for name in ("environ", "cmdline", "maps"):
                try: found = needle in open(f"/proc/{pid}/{name}", "rb").read()
                except OSError: found = False
                if found: print("REACHED", pid, name)
        print(sorted(os.environ))
        """, says=r"\['HOME', 'LANG', 'NUMBERS', 'PATH', 'PWD', 'PYTHON\w+', 'PYTHON\w+', 'REFUSED', 'VICTIM_FILE'"),
    Attack("others' processes", "the process namespace: ESRCH", """
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()] if os.path.exists("/proc/self") else [1]
        print("held" if len(pids) <= 4 and max(pids) < 10 else "REACHED", pids)
        print(attempt(os.kill, int(os.environ["VICTIM_PID"]), 0))
        """, says="held.*ESRCH"),
    Attack("the first process of the cell", "another user id; where it is the same, it has no more than the bot", """
        if os.path.exists("/proc/self"):
            try: held = [os.readlink(f"/proc/1/fd/{number}") for number in os.listdir("/proc/1/fd")]
            except PermissionError: held = []
            own = {os.readlink(f"/proc/self/fd/{number}") for number in (1, 2)}
            print([name for name in held if not name.startswith(("socket:", "anon_inode:")) and name not in own])
            status = dict(line.split(":", 1) for line in open("/proc/1/status"))
            print(status["CapEff"].strip() if held else "closed", status["Seccomp"].strip())
        else: print("[]\\nclosed 2")
        """, says=r"\[\]\n(closed|0{16}) 2"),
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
        names = open("/proc/net/dev").read() if os.path.exists("/proc/net/dev") else "lo: eth0 gone"
        print(sorted(line.split(":")[0].strip() for line in names.splitlines()[2:] or ["lo"]))
        """, says=r"\['lo'\]"),
    Attack("abstract sockets", "the network namespace: ECONNREFUSED", """
        print(attempt(socket.socket(socket.AF_UNIX).connect, "\\0" + os.environ["VICTIM_NAME"]))
        """, says="ECONNREFUSED"),
    Attack("the other seat's socket", "the mount namespace: ENOENT", """
        print(attempt(socket.socket(socket.AF_UNIX).connect, os.environ["VICTIM_SOCKET"]))
        """, says="ENOENT"),
]  # fmt: skip
