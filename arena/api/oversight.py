"""OversightService: alarms and the audit log, for admins and organisers. Knows no block and no process."""

from arena.api.access import Context, Database
from arena.api.status import refuses
from arena.errors import BadRequest
from arena.paging import numbers_of, page_of
from arena.scopes import ORGANISE, READ
from arena.store import Connection, alarms, audit
from arena.store.people import User
from arena.tournaments.corrections import LONGEST_REASON
from arena.v1 import oversight_pb2 as pb
from arena.v1.oversight_pb2_grpc import OversightServiceServicer


class Oversight(OversightServiceServicer):
    """Shows what a person should look at and what people have done."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @refuses
    async def ListAlarms(self, request: pb.ListAlarmsRequest, context: Context) -> pb.ListAlarmsResponse:
        user = await self._database.caller(context, READ, ORGANISE)
        size, token = page_of(request.page_size, request.page_token, usual=50, most=200)
        (before,) = numbers_of(token, 1) or (None,)
        page = await self._database.ask(alarms.list_alarms, user, settled=request.settled, before=before, limit=size)
        following = str(page[-1].id) if len(page) == size else ""
        return pb.ListAlarmsResponse(alarms=map(alarm_message, page), next_page_token=following)

    @refuses
    async def SettleAlarm(self, request: pb.SettleAlarmRequest, context: Context) -> pb.Alarm:
        user = await self._database.caller(context, ORGANISE)
        if len(request.reason) > LONGEST_REASON or not request.reason.isprintable():
            raise BadRequest(f"a reason has at most {LONGEST_REASON} printable characters on one line")
        return alarm_message(await self._database.ask(alarms.settle, user, request.alarm, request.reason))

    @refuses
    async def ListActs(self, request: pb.ListActsRequest, context: Context) -> pb.ListActsResponse:
        user = await self._database.caller(context, READ, ORGANISE)
        size, token = page_of(request.page_size, request.page_token, usual=50, most=200)
        (before,) = numbers_of(token, 1) or (None,)
        page = await self._database.ask(_acts, user, before, size)
        following = str(page[-1].id) if len(page) == size else ""
        return pb.ListActsResponse(acts=map(_act, page), next_page_token=following)


def alarm_message(alarm: alarms.Alarm) -> pb.Alarm:
    """An alarm as it is sent."""
    message = pb.Alarm(
        alarm=alarm.id,
        kind=alarm.kind,
        sentence=alarm.sentence,
        tournament=alarm.tournament,
        block=alarm.block,
        settled_by=alarm.settled_by,
    )
    message.create_time.FromDatetime(alarm.raised_at)
    if alarm.settled_at is not None:
        message.settle_time.FromDatetime(alarm.settled_at)
    return message


def _acts(connection: Connection, user: User, before: int | None, limit: int) -> list[audit.Act]:
    return audit.acts(connection, organiser=None if user.admin else user.name, before=before, limit=limit)


def _act(act: audit.Act) -> pb.Act:
    message = pb.Act(
        act=act.id, who=act.who, what=act.act, subject=act.subject, tournament=act.tournament, reason=act.reason
    )
    message.create_time.FromDatetime(act.acted_at)
    return message
