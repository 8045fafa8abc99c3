"""AccountService: who is calling, with what token, and what they take of this referee. Knows no limit's reason."""

from arena.api.access import Context, Database
from arena.api.quota import Quota
from arena.api.status import refuses
from arena.v1 import account_pb2 as pb
from arena.v1.account_pb2_grpc import AccountServiceServicer


class Accounts(AccountServiceServicer):
    """Tells users about themselves."""

    def __init__(self, database: Database, quota: Quota) -> None:
        self._database = database
        self._quota = quota

    @refuses
    async def GetAccount(self, request: pb.GetAccountRequest, context: Context) -> pb.Account:
        user, token = await self._database.caller_and_token(context)
        shown = pb.Token(id=token.id, label=token.label, scopes=token.scopes)
        shown.create_time.FromDatetime(token.created_at)
        if token.expires_at is not None:
            shown.expire_time.FromDatetime(token.expires_at)
        return pb.Account(
            user=user.name,
            admin=user.admin,
            token=shown,
            quotas=[
                pb.Quota(quota=usage.what, used=usage.used, limit=usage.limit, forgiven_per_second=usage.forgiven_per_s)
                for usage in self._quota.usage(user.name)
            ],
        )
