"""When something was: the zones of local times, the dates of games in logs, and their order of replay.

Servers write the time of day of where they stand, most without saying where that is; some write no dates at
all, and clocks are set back, for winter or because they were wrong.  Replay order is the order of dates, so
each game of a log gets one here, and nowhere else, from one object for each source of logs:

* local times are those of the source's zone, which the archive keeps with it;
* a log is written in order, and so is a table whose rows can be in order: of the two moments that a time of
  day stands for when clocks go back for winter, a game has the first that is not before the game above it;
* where a clock was set back by more, what follows comes after what stands above it, as far apart as the log
  says;
* what is ahead of this machine's clock counts as read now: neither is it lost, nor does it come after all
  that follows;
* a game without a date has that of its source, plus a time that grows with its place there and is too short
  to matter otherwise.  Sources of one date go by a hash of their first game, so that it does not matter which
  was read first.

Matches that end at one time are replayed in the natural order of their ids, see
:func:`equipoise.core.match.replay_key`.
"""

from __future__ import annotations

import difflib
import hashlib
import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from equipoise.core.match import CLOCK, START, Match, moved
from equipoise.errors import InputError

#: Seconds from one game of a source to the next: some steps of a floating point number of this size.
STEP = 2.0**-20

#: Seconds by which something may be dated ahead of this machine's clock: what the clocks of a network differ
#: by.  A game of a log that is further ahead counts as read now, and a result is refused, since every later
#: one would come late beside it.
SKEW = 120.0

#: Seconds within which the hash of its first game places a source.
SPREAD = 2.0**-10

#: What stands before a rule for zones as POSIX has it, in the name of a zone.
POSIX = "posix:"

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  # the time of day in no zone
_OFFSET = re.compile(r"(?:(?:UTC|GMT)?(?P<sign>[+-])(?P<hours>\d{1,2})(?::?(?P<minutes>[0-5]\d))?)")


@dataclass(frozen=True, slots=True)
class Zone:
    """What turns local times into dates.

    Parameters
    ----------
    name : str
        As :func:`zone_named` takes it.
    rules : tzinfo
        When its clocks differed from UTC by how much.
    """

    name: str
    rules: tzinfo

    def moments(self, wall: float) -> tuple[float, ...]:
        """Return the moments that a time of day stands for, in order: two when clocks have gone back.

        Parameters
        ----------
        wall : float
            Seconds from 1970-01-01 0:00 to what the clock showed.

        Examples
        --------
        >>> berlin = zone_named("Europe/Berlin")
        >>> [moment - 1792890000.0 for moment in berlin.moments(1792890000.0 + 5400.0)]
        [-1800.0, 1800.0]
        """
        try:
            shown = _EPOCH + timedelta(seconds=wall)
            first, second = (
                wall - _seconds(self.rules.utcoffset(shown.replace(tzinfo=self.rules, fold=fold)))
                for fold in (0, 1)
            )
        except OverflowError:  # beyond the calendar
            return (wall,)
        return (first, second) if first < second else (first,)

    def moment(self, wall: float) -> float:
        """Return the first moment that a time of day stands for."""
        return self.moments(wall)[0]


def _seconds(offset: timedelta | None) -> float:
    return 0.0 if offset is None else offset.total_seconds()


def zone_named(name: str, argument: str = "zone") -> Zone:
    """Return the zone with a name.

    Parameters
    ----------
    name : str
        Of the IANA time zone database, such as ``Europe/Berlin``; an offset such as ``+05:45`` or ``UTC-10``,
        positive east of Greenwich; or ``posix:`` with a rule as the variable ``TZ`` may have it.
    argument : str
        What messages call it.

    Raises
    ------
    InputError
        If there is none.

    Examples
    --------
    >>> zone_named("+5:45").moment(0.0), zone_named("posix:UTC-10").moment(0.0)
    (-20700.0, -36000.0)
    """
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        seconds = 3600 * int(offset["hours"]) + 60 * int(offset["minutes"] or 0)
        if seconds < 86_400:
            signed = timedelta(seconds=seconds if offset["sign"] == "+" else -seconds)
            return Zone(name, timezone(signed))
    if name in ("UTC", "Z"):
        return Zone("UTC", UTC)
    try:
        if name.startswith(POSIX) and name != POSIX:
            return Zone(name, _posix(name.removeprefix(POSIX)))
        return Zone(name, ZoneInfo(name))
    except (ValueError, OSError, LookupError) as error:  # what there is none of, and folders of the database
        near = difflib.get_close_matches(name, sorted(available_timezones()), 1, 0.6)
        instead = f"; did you mean {near[0]}?" if near else ""
        msg = f"must be a zone such as Europe/Berlin, or an offset such as +05:45, got {name!r}{instead}"
        raise InputError(msg, argument) from error


def _posix(rule: str) -> tzinfo:
    """Return the zone of a rule such as ``CET-1CEST,M3.5.0,M10.5.0/3``: a file of zones that has it alone.

    References
    ----------
    RFC 8536, section 3.
    """
    header = b"TZif2" + bytes(15) + b"".join(count.to_bytes(4, "big") for count in (0, 0, 0, 0, 1, 1))
    block = header + bytes(6) + b"\0"
    return ZoneInfo.from_file(io.BytesIO(block + block + b"\n" + rule.encode("ascii") + b"\n"))


#: The zone of what says none where nobody has named one.
UTC_ZONE = Zone("UTC", UTC)


def of_date(moment: datetime) -> tuple[float, str]:
    """Return the seconds of a date as it stands in a log, and which times are local, as a match has it.

    Examples
    --------
    >>> of_date(datetime.fromisoformat("1970-01-02 00:00"))
    (86400.0, 'clock')
    >>> of_date(datetime.fromisoformat("1970-01-02T00+01"))
    (82800.0, '')
    """
    local = moment.tzinfo is None
    return (moment.replace(tzinfo=UTC) if local else moment).timestamp(), CLOCK if local else ""


def moments_in_order(times: Iterable[tuple[float, bool]], zone: Zone) -> list[float] | None:
    """Return the moments of times that follow each other; None where they do not, as in an unsorted table.

    Of the two moments that a time of day stands for when clocks go back, it is the first that is not before
    the one above it.  A time of day that clocks leave out is later than those after it, which stay in order.

    Parameters
    ----------
    times : iterable of (float, bool)
        Seconds since 1970, and whether that is what a clock showed.
    zone : Zone
        That of the clock.

    Examples
    --------
    >>> berlin, night = zone_named("Europe/Berlin"), 1792886400.0
    >>> walls = [(night + 60.0 * minutes, True) for minutes in (130, 170, 130, 170)]
    >>> [(moment - night) / 60.0 for moment in moments_in_order(walls, berlin)]
    [10.0, 50.0, 70.0, 110.0]
    >>> moments_in_order([(night, True), (night - 86400.0, True)], berlin) is None
    True
    """
    found: list[float] = []
    last, before = -math.inf, (-math.inf, False)
    for when, is_local in times:
        moments = zone.moments(when) if is_local else (when,)
        moment = next((each for each in moments if each >= last), None)
        if moment is None and not (is_local and before[1] and when >= before[0]):
            return None
        found.append(moments[0] if moment is None else moment)
        last, before = max(last, found[-1]), (when, is_local)
    return found


class Dated(NamedTuple):
    """A game with its date.

    Parameters
    ----------
    match : Match
        The game.
    ahead : str
        By how much its own date is ahead of the clock, so that it counts as read now; empty otherwise.
    set_back : bool
        Whether its own date is before that of the game above it, so that it was moved after that.
    """

    match: Match
    ahead: str = ""
    set_back: bool = False


class SourceDates:
    """Gives dates to the games of one source, in the order in which they stand there.

    Parameters
    ----------
    date : float
        When the source is taken to have ended; it may be moved on while the source is read.
    zone : Zone
        That of its local times.
    in_order : bool
        Whether what stands later in it was later, as in a log; otherwise dates are taken as they are.
    known : sequence of float or None
        What :meth:`kept` returned, where some of it was read before.
    local : bool
        Whether the date is a local time, as one in the name of a file is.
    """

    def __init__(
        self,
        date: float,
        zone: Zone = UTC_ZONE,
        *,
        in_order: bool = True,
        known: Sequence[float | None] = (),
        local: bool = False,
    ) -> None:
        fresh: tuple[float | None, ...] = (None, 0, None, 0.0, None)
        offset, steps, last, back, read = (*known, *fresh[len(known) :])
        self.date = date
        self.zone = zone
        self._local = local
        self._in_order = in_order
        #: What its first game without a date adds to the date of the source, and how many such there were.
        self._offset = offset
        self._steps = int(steps or 0)
        #: The date of the last game that had one, and by how much its clock was set back.
        self._last = last
        self._back = float(back or 0.0)
        #: The date of the last game without one of its own that counts as read now.
        self._read = -math.inf if read is None else read

    def kept(self) -> tuple[float | None, ...]:
        """Return what is needed to go on where this one stands."""
        known = self._offset, self._steps, self._last, self._back
        return known if math.isinf(self._read) else (*known, self._read)

    def after(self, earlier: SourceDates) -> None:
        """Go on after an earlier piece of the same log."""
        self._last, self._back, self._read = earlier._last, earlier._back, earlier._read

    def rests_on_zone(self, match: Match) -> bool:
        """Tell whether the date that a game gets follows from a local time."""
        return bool(match.local) if match.dated else self._local

    def part(self) -> None:
        """Take note that what follows does not go on from what was read."""
        self._last, self._back = None, 0.0

    def dated(self, match: Match, now: float) -> Dated:
        """Return a game with a date.

        Parameters
        ----------
        match : Match
            As its reader gives it; the next one of the source.
        now : float
            The time of this machine.
        """
        if not match.dated:
            made = self._without(match)
            wrong = ahead(made.ended or 0.0, now)
            if wrong:
                self._read = max(now, self._read + STEP)
                made = moved(replace(made, read=now), self._read)
            return Dated(made, wrong)
        floor = -math.inf if self._last is None or not self._in_order else self._last
        if match.local:
            match = self._converted(match, floor)
        own = match.ended or 0.0
        wrong = ahead(own, now)
        if wrong:
            floor = -math.inf if self._last is None else self._last
            self._last = max(now, floor + STEP)
            return Dated(moved(read_now(match, now), self._last), wrong)
        if not self._in_order:
            return Dated(match)
        if own > floor:
            self._last, self._back = own, 0.0
            return Dated(match)
        far = floor - own > SKEW
        if own + self._back <= floor:
            self._back = floor + STEP - own
        self._last = min(own + self._back, max(now, floor + STEP))
        return Dated(moved(match, self._last), set_back=far)

    def _converted(self, match: Match, floor: float) -> Match:
        """Return a game with dates for its local times, which come after those of the game before."""
        last = floor

        def moment(wall: float) -> float:
            nonlocal last
            moments = self.zone.moments(wall)
            last = next((each for each in moments if each >= last), moments[0])
            return last

        if match.local == START:
            began = match.ended if match.began is None else match.began
            match = replace(match, local="")
            return moved(match, (match.ended or 0.0) + moment(began or 0.0) - (began or 0.0))
        began = None if match.began is None else moment(match.began)
        ats = [moment(contest.at) for contest in match.contests]
        ended = moment(match.ended or 0.0)
        contests = match.contests
        if any(at != contest.at for at, contest in zip(ats, contests, strict=True)):
            contests = tuple(replace(one, at=at) for one, at in zip(contests, ats, strict=True))
        return replace(match, contests=contests, began=began, ended=ended, local="")

    def _without(self, match: Match) -> Match:
        """Return a game without a date with that of its source."""
        if self._offset is None:
            self._offset = _offset(match.id)
        date = self.date if self._last is None else self._last
        ended = date + self._offset + STEP * self._steps
        self._steps += 1
        # Clocks of logs may run faster than time, so that within a game nothing is before the last game.
        contests = tuple(replace(contest, at=match.ended or 0.0) for contest in match.contests)
        return moved(replace(match, contests=contests), ended)


def _offset(match_id: str) -> float:
    """Return where within :data:`SPREAD` the hash of an id stands."""
    number = int.from_bytes(hashlib.sha256(match_id.encode("utf-8", "surrogatepass")).digest()[:4], "big")
    return SPREAD * number / 2**32


def read_now(match: Match, now: float) -> Match:
    """Return a game whose own date is not to be trusted, as one that was read now: nothing else is known."""
    return moved(replace(match, dated=False, read=now), now)


def ahead(moment: float, now: float) -> str:
    """Return what is wrong with a moment in the past, seconds since 1970: empty unless it is to come.

    Parameters
    ----------
    moment, now : float
        The moment and the time of this machine; it may be up to :data:`SKEW` later.

    Examples
    --------
    >>> ahead(1e9 + 60.0, 1e9), ahead(1e9 + 600.0, 1e9)
    ('', "dated 10 minutes ahead of this machine's clock")
    """
    if moment - now <= SKEW:
        return ""
    return f"dated {(moment - now) / 60.0:,.0f} minutes ahead of this machine's clock"


def unlikely(moment: float, now: float) -> str:
    """Return what is wrong with when a game that is reported now has ended: empty unless something is.

    Examples
    --------
    >>> unlikely(1e9, 1e9), unlikely(-5.0, 1e9)
    ('', 'dated before 1970')
    """
    return "dated before 1970" if moment < 0.0 else ahead(moment, now)
