"""A channel to a referee, plain or with TLS. Knows no stream and no token."""

import ssl
from collections.abc import Sequence
from pathlib import Path

import grpc

PUBLIC = "public"
"""The setting that trusts the public authorities which gRPC brings along, instead of a file."""


class UntrustedError(Exception):
    """Root certificates that cannot be used; the text says what to do."""


def open_channel(server: str, ca: str = "", options: Sequence[tuple[str, int]] = ()) -> grpc.Channel:
    """A channel to HOST:PORT. With an empty ``ca`` it is plain; else it speaks TLS and trusts what is signed by the
    root certificates in the file ``ca``, or by the public authorities if that is ``public``.

    :raises UntrustedError: if the file holds no certificates.
    """
    if not ca:
        return grpc.insecure_channel(server, options=options)
    return grpc.secure_channel(server, grpc.ssl_channel_credentials(roots(ca)), options=options)


def roots(ca: str) -> bytes | None:
    """The root certificates of a setting as PEM; None for the public ones.

    :raises UntrustedError: if there are none.
    """
    if ca == PUBLIC:
        return None
    try:
        pem = Path(ca).read_bytes()
        # gRPC would take anything, and fail at every connection without a word of why.
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=pem.decode("ascii"))
    except (OSError, ValueError) as error:
        raise UntrustedError(
            f"{ca} holds no root certificate that can be read ({error}): ask the organiser for the file, in PEM"
        ) from error
    return pem


def mistrust(details: str, server: str, ca: str) -> str:
    """What was wrong with the certificate of a server, from the details of the failed call; empty if it was something
    else. To try again does not help."""
    if not ca:
        return ""
    signers = "a public authority" if ca == PUBLIC else f"the certificates in {ca}"
    if "Hostname Verification Check failed" in details:
        return f"{server}: its certificate is for another name; dial the name that is in it."
    if "certificate has expired" in details:
        return f"{server}: its certificate has expired; tell the organiser."
    if "CERTIFICATE_VERIFY_FAILED" in details:
        return f"{server}: its certificate is not signed by {signers}; ask the organiser for the right file."
    if "WRONG_VERSION_NUMBER" in details:
        return f"{server} does not speak TLS: ask for the address that does, or leave the root certificate out."
    return ""
