"""Where the services listen: plain for this host and its workers, with TLS for everyone else. Knows no service."""

import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc

from arena.errors import Unavailable


@dataclass(frozen=True, slots=True)
class Tls:
    """A listener with TLS.

    :ivar listen: HOST:PORT.
    :ivar certificate: a file with the certificate and those between it and the root, in PEM.
    :ivar key: the file with its private key, in PEM and without a pass phrase.
    :ivar advertise: HOST:PORT where bots reach it, with a host that is in the certificate; empty for ``listen``.
    """

    listen: str
    certificate: Path
    key: Path
    advertise: str = ""


def listen_plain(server: grpc.aio.Server, listen: str) -> str:
    """The address that was had, with its port.

    :raises Unavailable: if it is in use or no address of this host.
    """
    try:
        port = server.add_insecure_port(listen)
    except RuntimeError as error:
        raise _taken(listen, "--listen") from error
    return _with_port(listen, port)


def listen_tls(server: grpc.aio.Server, tls: Tls) -> str:
    """The address that was had, with its port. The files are read once, now.

    :raises Unavailable: if the address cannot be had, or the files are no certificate and its key.
    """
    credentials = grpc.ssl_server_credentials([_pair(tls)])
    try:
        port = server.add_secure_port(tls.listen, credentials)
    except RuntimeError as error:
        raise _taken(tls.listen, "--tls-listen") from error
    return _with_port(tls.listen, port)


def _pair(tls: Tls) -> tuple[bytes, bytes]:
    """Key and certificate."""

    def no_pass_phrase() -> str:
        raise ValueError("the key has a pass phrase")

    try:
        key, certificate = tls.key.read_bytes(), tls.certificate.read_bytes()
        # gRPC takes a key of another certificate without a word and then fails at every connection.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(tls.certificate, tls.key, no_pass_phrase)
    except (OSError, ValueError) as error:
        raise Unavailable(
            f"{tls.certificate} and {tls.key} are no certificate and its key ({error}): give both in PEM, the key "
            f"without a pass phrase"
        ) from error
    return key, certificate


def _taken(listen: str, option: str) -> Unavailable:
    return Unavailable(
        f"cannot listen on {listen}: it is in use or is no address of this host; choose another one with {option}"
    )


def _with_port(listen: str, port: int) -> str:
    return f"{listen.rpartition(':')[0]}:{port}"
