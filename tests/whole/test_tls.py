"""TLS by certificate files: `arena serve` with two addresses, and who is believed there. The certificates are made with
openssl when the tests run."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import grpc.aio
import psycopg
import pytest

from arena.api.listen import Tls, listen_tls
from arena.bot.dial import UntrustedError, open_channel
from arena.cli import main
from arena.errors import Unavailable
from arena.stack.services import READY, READY_TLS
from arena.store import Connection, people, referees
from arena.store.referees import Place
from arena.v1 import play_pb2, play_pb2_grpc

BOT = """
from arena.bot import Turn, run

def choose(turn: Turn) -> int:
    return turn.legal[0]

if __name__ == "__main__":
    run(choose, name="far", games=["callbreak"])
"""


@dataclass(frozen=True, slots=True)
class Serving:
    """One `arena serve`."""

    address: str
    tls_address: str
    token: str
    certificate: Path


def make_certificate(folder: Path, name: str, host: str = "IP:127.0.0.1") -> tuple[Path, Path]:
    """A certificate for the host that has signed itself, and its key."""
    certificate, key = folder / f"{name}.crt", folder / f"{name}.key"
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=arena", "-addext", f"subjectAltName={host}"]
    command = ["openssl", "req", "-x509", *curve, *names, "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key


def started(database_url: str, broker_url: str, folder: Path, certificate: Path, key: Path) -> "subprocess.Popen[str]":
    """The process `arena serve` with TLS beside the plain address."""
    listen = ["--listen", "127.0.0.1:0", "--tls-listen", "127.0.0.1:0", "--data", str(folder)]
    files = ["--certificate", str(certificate), "--key", str(key)]
    return subprocess.Popen(
        [sys.executable, "-m", "arena", "serve", *listen, *files],
        env={**os.environ, "ARENA_DATABASE_URL": database_url, "ARENA_BROKER_URL": broker_url},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


@pytest.fixture
def serving(database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serving]:
    """`arena serve` with a certificate for 127.0.0.1; the commands of the test keep their login in its folder."""
    for name in ("ARENA_SERVER", "ARENA_TOKEN", "ARENA_CA"):
        monkeypatch.delenv(name, raising=False)
    for module in ("client", "user"):
        monkeypatch.setattr(f"arena.cli.{module}.LOGIN_FILE", tmp_path / "login.json")
    with psycopg.connect(database_url, autocommit=True) as connection:
        token = people.add_user(connection, "anna")
    certificate, key = make_certificate(tmp_path, "served")
    with started(database_url, broker_url, tmp_path, certificate, key) as process:
        assert process.stdout is not None
        tls_address = process.stdout.readline().removeprefix(READY_TLS).strip()
        address = process.stdout.readline().removeprefix(READY).strip()
        yield Serving(address, tls_address, token, certificate)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


def test_a_login_with_the_certificate_is_kept_and_a_wrong_one_gets_a_sentence(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_TOKEN", serving.token)
    assert main(["login", serving.tls_address, "--ca", str(serving.certificate)]) == 0
    monkeypatch.delenv("ARENA_TOKEN")
    assert main(["bot", "list", "--data", str(tmp_path)]) == 0
    capsys.readouterr()

    other, _ = make_certificate(tmp_path, "other")
    elsewhere = serving.tls_address.replace("127.0.0.1", "localhost")
    for code, ca, address, sentence in (
        (1, str(other), serving.tls_address, f"its certificate is not signed by the certificates in {other}"),
        (1, "public", serving.tls_address, "its certificate is not signed by a public authority"),
        (1, str(serving.certificate), elsewhere, "its certificate is for another name"),
        (1, str(serving.certificate), serving.address, "does not speak TLS"),
        (2, str(tmp_path / "none.crt"), serving.tls_address, "holds no root certificate that can be read"),
    ):
        monkeypatch.setenv("ARENA_TOKEN", serving.token)
        assert main(["login", address, "--ca", ca]) == code
        assert sentence in capsys.readouterr().err
    # The plain address is there for this host, and the one with TLS takes nobody who does not speak it.
    assert main(["login", serving.address]) == 0
    assert main(["login", serving.tls_address]) == 1


def test_a_bot_plays_over_tls_and_ends_at_a_certificate_that_it_does_not_trust(
    serving: Serving, tmp_path: Path
) -> None:
    program = tmp_path / "far.py"
    program.write_text(BOT)
    other, _ = make_certificate(tmp_path, "other")
    arguments = [sys.executable, str(program), "--server", serving.tls_address, "--token", serving.token]
    with subprocess.Popen([*arguments, "--ca", str(serving.certificate)], stderr=subprocess.PIPE, text=True) as bot:
        assert bot.stderr is not None
        assert bot.stderr.readline() == f"far plays at {serving.tls_address}.\n"
        bot.kill()
    for ca, code, sentence in (
        (str(other), 1, f"{serving.tls_address}: its certificate is not signed by the certificates in {other}; "),
        (str(program), 2, f"{program} holds no root certificate that can be read"),
    ):
        environment = {**os.environ, "ARENA_CA": ca}
        done = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=20, check=False)
        assert done.returncode == code
        assert done.stderr.splitlines()[-1].startswith(sentence)
        assert "Trying again" not in done.stderr


def test_half_of_the_options_for_tls_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--tls-listen", "127.0.0.1:0", "--data", str(tmp_path)]) == 2
    assert "TLS needs all of --tls-listen HOST:PORT, --certificate FILE and --key FILE" in capsys.readouterr().err


def test_files_that_are_no_certificate_and_its_key_are_refused_before_anybody_dials(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path, "one")
    _, other_key = make_certificate(tmp_path, "two")
    locked = tmp_path / "locked.key"
    lock = ["openssl", "pkey", "-in", str(key), "-aes256", "-passout", "pass:secret", "-out", str(locked)]
    subprocess.run(lock, check=True, capture_output=True)

    async def listen(certificate: Path, key: Path) -> None:
        server = grpc.aio.server()
        listen_tls(server, Tls("127.0.0.1:0", certificate, key))

    asyncio.run(listen(certificate, key))
    for wrong in ((certificate, other_key), (key, key), (tmp_path / "none", key), (certificate, locked)):
        with pytest.raises(Unavailable, match="are no certificate and its key"):
            asyncio.run(listen(*wrong))


@pytest.mark.parametrize("content", ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n"])
def test_a_file_without_root_certificates_is_refused(content: str, tmp_path: Path) -> None:
    file = tmp_path / "roots.pem"
    file.write_text(content)
    with pytest.raises(UntrustedError, match="holds no root certificate that can be read"):
        open_channel("127.0.0.1:1", str(file))


def test_a_bot_is_told_of_other_referees_in_the_way_in_which_it_came(serving: Serving, connection: Connection) -> None:
    metadata = (("authorization", f"Bearer {serving.token}"),)
    hello = play_pb2.PlayRequest(hello=play_pb2.Hello(bot="far", games=["callbreak"], protocol=1))
    told = {}
    sent: SimpleQueue[play_pb2.PlayRequest | None] = SimpleQueue()  # a stream that goes on until None is in it
    for address, ca in ((serving.address, ""), (serving.tls_address, str(serving.certificate))):
        referees.beat(connection, Place("127.0.0.1:7999", "127.0.0.1:7444"), bytes(32))
        with open_channel(address, ca) as channel:
            sent.put(hello)
            stub = play_pb2_grpc.PlayServiceStub(channel)
            frames = stub.Play(iter(sent.get, None), metadata=metadata, wait_for_ready=True)
            try:
                news = next(frame.referees for frame in frames if frame.HasField("referees"))
            finally:
                sent.put(None)
            told[address] = (news.here, list(news.others))
    assert told == {
        serving.address: (serving.address, ["127.0.0.1:7999"]),
        serving.tls_address: (serving.tls_address, ["127.0.0.1:7444"]),
    }
