"""What the gRPC health service says about every service. Knows no reason."""

from collections.abc import Sequence

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

NAME = health.SERVICE_NAME


class Health:
    """The health of the services with these names, and of the server as a whole."""

    def __init__(self, server: grpc.aio.Server, names: Sequence[str]) -> None:
        self._names = ("", *names)
        self._checks = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._checks, server)

    async def tell(self, serving: bool) -> None:
        """Says whether they serve."""
        status = health_pb2.HealthCheckResponse.SERVING if serving else health_pb2.HealthCheckResponse.NOT_SERVING
        for name in self._names:
            await self._checks.set(name, status)

    async def leave(self) -> None:
        """Says from now on that they do not serve, whatever is told."""
        await self._checks.enter_graceful_shutdown()
