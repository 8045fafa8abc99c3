"""The files of docs/deploying.md hold together: with the command line, the code, the sandbox and each other."""

import json
import re
import shlex
import tomllib
from pathlib import Path
from string import Template
from typing import Any

import pytest
import yaml

from arena.cli import make_parser
from arena.cli.services import DRAIN_S
from arena.stack.services import STOP_TIMEOUT_S
from sandbox.seccomp import MISSING, NOT_PERMITTED
from sandbox.syscalls import NUMBERS

ROOT = Path(__file__).parent.parent
COMPOSE = ROOT / "examples" / "compose"
COMPOSE_FILES = [ROOT / "docker-compose.yml", *sorted(COMPOSE.glob("*.yml"))]
UNITS = sorted((ROOT / "examples" / "systemd").iterdir())
WORKING = ["card-arena.service", "card-arena-worker.service"]
"""Units that start cells."""


def settings(unit: Path) -> list[tuple[str, str]]:
    """Names and values of a unit, in order; a name may come again."""
    lines = unit.read_text().splitlines()
    return [
        (name, value) for name, equals, value in (line.partition("=") for line in lines) if equals and name.isalpha()
    ]


def services(file: Path) -> dict[str, dict[str, Any]]:
    """The services of a compose file, each with what it takes over."""
    read: dict[str, dict[str, Any]] = yaml.safe_load(file.read_text())["services"]
    for service in read.values():
        if "extends" in service:
            base = services(ROOT / service["extends"]["file"])[service["extends"]["service"]]
            service.update({name: value for name, value in base.items() if name not in service})
    return read


def ours() -> list[tuple[Path, str, dict[str, Any]]]:
    """Every service of ours in the compose files that are started, with its file and name."""
    return [
        (file, name, service)
        for file in (ROOT / "docker-compose.yml", COMPOSE / "worker-host.yml")
        for name, service in services(file).items()
        if service.get("image") == "card-arena"
    ]


def command_lines() -> list[list[str]]:
    """The arguments of every `arena …` that a unit or a container runs."""
    lines = [[str(argument) for argument in service["command"]] for _, _, service in ours()]
    lines += [service["healthcheck"]["test"][2:] for _, name, service in ours() if name == "worker"]
    for unit in UNITS:
        text = unit.read_text()
        own = dict(re.findall(r"^Environment=(\w+)=(.*)$", text, re.MULTILINE))
        started = re.findall(r"^ExecStart=.*/arena ([^;\n]+)", text, re.MULTILINE)  # the dump is one of a shell's
        lines += [shlex.split(Template(line).substitute(own)) for line in started]
    return lines


@pytest.mark.parametrize("arguments", command_lines(), ids=" ".join)
def test_every_command_line_is_one_that_arena_takes(arguments: list[str]) -> None:
    assert callable(make_parser().parse_args(arguments).run)


def test_there_is_a_command_line_for_every_service() -> None:
    commands = sorted(arguments[0] for arguments in command_lines())
    assert commands == ["doctor", "doctor", "dump", "serve", "serve", "up", "web", "web", "worker", "worker", "worker"]


def test_every_variable_that_is_set_is_one_that_the_code_or_the_file_itself_reads() -> None:
    sources = [*(ROOT / "arena").rglob("*.py"), *(ROOT / "sandbox").rglob("*.py")]
    read = {name for source in sources for name in re.findall(r'"(ARENA_[A-Z_]+)"', source.read_text())}
    for file, name, service in ours():
        assert set(service["environment"]) <= read, (file, name)
    for unit in UNITS:
        text = unit.read_text()
        for variable in re.findall(r"^Environment=(\w+)=", text, re.MULTILINE):
            assert variable in read or f"${{{variable}}}" in text, (unit, variable)


def test_the_page_names_every_setting_and_every_file() -> None:
    page = (ROOT / "docs" / "deploying.md").read_text()
    for file in COMPOSE_FILES:
        for setting in re.findall(r"(?<!\$)\$\{(\w+)", file.read_text()):
            assert f"`{setting}`" in page, (file, setting)
    for unit in UNITS:
        assert unit.stem in page, unit
    for path in re.findall(r"(?:examples|docs)/[\w./-]*\w", page):
        assert (ROOT / path).exists() or path.endswith("card-arena"), path


def test_every_file_that_is_named_is_there() -> None:
    dockerfile = (COMPOSE / "Dockerfile").read_text()
    let_through = {line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines()}
    for line in re.findall(r"^COPY (?!--from)(.*) \S+$", dockerfile, re.MULTILINE):
        for source in line.split():
            assert (ROOT / source).exists(), source
            assert source in let_through, f".dockerignore keeps {source} from the Dockerfile"
    for file, name, service in ours():
        for option in service["security_opt"]:
            if option.startswith("seccomp="):
                assert (ROOT / option.removeprefix("seccomp=")).is_file(), (file, name)
        if "build" in service:
            assert (ROOT / service["build"]["dockerfile"]).is_file()
    names = {unit.name for unit in UNITS}
    for unit in UNITS:
        named = set(re.findall(r"card-arena[\w-]*\.(?:service|timer)", " ".join(value for _, value in settings(unit))))
        assert named <= names, unit


def test_the_image_is_built_with_the_tools_that_the_project_asks_for() -> None:
    requires = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    tools = " ".join(sorted(package.partition("==")[0] for package in requires))
    for page in (COMPOSE / "Dockerfile", ROOT / "docs" / "deploying.md"):
        assert re.search(rf"pip install .*--no-index --find-links \S+ {tools}\n", page.read_text()), page


def test_whoever_stops_a_service_waits_until_it_has_ended_in_good_order() -> None:
    needed_s = DRAIN_S + 2 * STOP_TIMEOUT_S
    for file, name, service in ours():
        assert not any("--drain" in argument for argument in service["command"])
        assert int(service["stop_grace_period"].removesuffix("s")) >= needed_s, (file, name)
    for unit in UNITS:
        found = dict(settings(unit))
        if "/arena " in found.get("ExecStart", "") and found.get("Type") != "oneshot":
            assert found["KillMode"] == "mixed", unit
            assert int(found["TimeoutStopSec"]) >= needed_s, unit


def test_no_password_is_in_a_file_and_none_has_a_default() -> None:
    for file in COMPOSE_FILES:
        for variable, rest in re.findall(r"\$\{(\w+PASSWORD)([^}]*)\}", file.read_text()):
            assert not rest.startswith((":-", "-")), (file, variable)
        for service in services(file).values():
            for variable, value in service.get("environment", {}).items():
                if "PASSWORD" in variable or "AUTH" in variable:
                    assert re.fullmatch(r"\$\{ARENA_\w+_PASSWORD\}", value), (file, variable)


def test_the_world_reaches_tls_alone_and_other_hosts_the_rest_at_a_private_address() -> None:
    assert {
        name: service["ports"] for name, service in services(ROOT / "docker-compose.yml").items() if "ports" in service
    } == {"serve": ["${ARENA_PORT:-7443}:7443", "127.0.0.1:9100:9100"], "web": ["127.0.0.1:7080:7080"]}
    opened = [port for service in services(COMPOSE / "first-host.yml").values() for port in service["ports"]]
    assert opened
    assert all(port.startswith("${ARENA_FIRST_HOST") for port in opened)


def test_a_container_that_runs_bots_is_an_ordinary_user_without_privileges() -> None:
    users = re.findall(r"^USER (\S+)$", (COMPOSE / "Dockerfile").read_text(), re.MULTILINE)
    assert users == ["arena"]
    for file, name, service in ours():
        assert service["cap_drop"] == ["ALL"], (file, name)
        assert service["read_only"], (file, name)
        assert service["init"], (file, name)
        assert "no-new-privileges:true" in service["security_opt"], (file, name)
        assert not {"privileged", "cap_add", "user", "pid", "ipc", "network_mode", "devices"} & set(service), (
            file,
            name,
        )
        assert not any("seccomp=unconfined" in option for option in service["security_opt"]), (file, name)


def test_the_seccomp_profile_allows_what_makes_a_cell_and_what_bots_may_do() -> None:
    profile = json.loads((COMPOSE / "seccomp.json").read_text())
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    assert {rule["action"] for rule in profile["syscalls"]} == {"SCMP_ACT_ALLOW"}
    whole = {name for rule in profile["syscalls"] if "args" not in rule for name in rule["names"]}
    partly = {name for rule in profile["syscalls"] if "args" in rule for name in rule["names"]}
    assert not whole & partly
    assert {"clone", "clone3", "mount", "pivot_root", "sethostname", "setns", "umount2", "unshare"} <= whole
    refused = {name for calls in (*NOT_PERMITTED.values(), *MISSING.values()) for name in calls.split()}
    for numbers in NUMBERS.values():
        assert set(numbers) - refused <= whole | partly
    dangerous = (
        "bpf ptrace process_vm_readv init_module kexec_load reboot perf_event_open userfaultfd keyctl add_key swapon"
    )
    assert not {*dangerous.split(), "open_by_handle_at", "io_uring_setup", "chroot", "move_mount"} & (whole | partly)


@pytest.mark.parametrize("name", WORKING)
def test_a_unit_that_runs_bots_has_no_setting_with_which_no_cell_starts(name: str) -> None:
    found = settings(ROOT / "examples" / "systemd" / name)
    assert not {"RestrictNamespaces", "ProtectHostname", "ProtectControlGroups", "ProcSubset"} & {
        key for key, _ in found
    }
    values = dict(found)
    assert "AF_NETLINK" in values["RestrictAddressFamilies"].split()
    assert {"@mount", "sethostname"} <= set(values["SystemCallFilter"].split())
    assert {"cpu", "memory", "pids"} <= set(values["Delegate"].split())
    assert ("Environment", "ARENA_CGROUP=/sys/fs/cgroup/system.slice/%n") in found
    assert values["NoNewPrivileges"] == "yes"
    assert values["CapabilityBoundingSet"] == ""
