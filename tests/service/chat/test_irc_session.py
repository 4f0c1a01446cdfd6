"""IRC without a network: lines cut anywhere, hostile bytes, who is who, and what may be sent when."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.play.evening_events import ChatPlace
from equipoise.service.chat.irc_session import (
    LONGEST_SENT,
    Arrived,
    ChatSession,
    Gone,
    Happened,
    Identified,
    Line,
    LineBuffer,
    NickChanged,
    Signed,
    Spoken,
    bytes_of,
    fitting,
    line_of,
)

WELCOME = b":s 001 bot :hi\r\n:s 005 bot WHOX CASEMAPPING=rfc1459 :are supported\r\n:s 376 bot :end\r\n"
JOINED = b":bot!b@h JOIN #pug\r\n:s 353 bot = #pug :@bot +Ann bob\r\n:s 366 bot #pug :end\r\n"


def session(*more: bytes, password: str = "") -> ChatSession:
    """Return a session that is in the channel."""
    made = ChatSession("bot", "#pug", password=password)
    made.start(0.0)
    for data in (WELCOME, JOINED, *more, *map(signed, ("Ann", "bob"))):
        made.feed(data, 0.0)
    made.out(0.0)
    return made


def signed(nick: str, sign: str = "1000") -> bytes:
    """Return what a server says of when somebody signed on; nothing where it does not tell."""
    signs = f":s 317 bot {nick} 5 {sign} :idle\r\n" if sign else ""
    return f"{signs}:s 318 bot {nick} :end\r\n".encode()


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        (b"PING :a b", Line("PING", ("a b",))),
        (b":s 001 bot :hi there", Line("001", ("bot", "hi there"), "s")),
        (b"@a=x\\:y\\sz;b :n!u@h privmsg #c ::)",
         Line("PRIVMSG", ("#c", ":)"), "n!u@h", {"a": "x;y z", "b": ""})),
        (b"JOIN :#c", Line("JOIN", ("#c",))),
        (b"@a=b", None), (b":only", None), (b"", None), (b"PING \x00", None),
    ],
)  # fmt: skip
def test_lines_are_read_as_the_standard_says(raw: bytes, line: Line | None) -> None:
    """Tags, source, command, parameters; what is no line is none."""
    assert line_of(raw) == line


@given(st.binary(max_size=300), st.integers(0, 300))
def test_any_bytes_cut_anywhere_are_the_same_lines(data: bytes, cut: int) -> None:
    """However they arrive."""
    whole, parts = LineBuffer(), LineBuffer()
    assert whole.feed(data + b"\n") == parts.feed(data[:cut]) + parts.feed(data[cut:] + b"\n")


@pytest.mark.slow
@given(st.lists(st.binary(max_size=80), max_size=8))
def test_a_session_takes_any_bytes(pieces: list[bytes]) -> None:
    """Also as lines of commands that it knows."""
    made = session()
    for piece in pieces:
        made.feed(piece + b"\r\n", 1.0)
        for command in (b"JOIN", b"NICK", b"PRIVMSG", b"353", b"354", b"CAP", b"KICK", b"ACCOUNT", b"433"):
            made.feed(b":x!y@z " + command + b" " + piece.replace(b"\n", b" ") + b"\r\n", 1.0)
    assert all(len(line) <= LONGEST_SENT for line in made.out(9.0).split(b"\r\n"))


@given(st.text(), st.text())
def test_what_is_sent_is_one_line(target: str, text: str) -> None:
    """Whatever stands in it; a long text becomes several, and none of it is lost."""
    raw = bytes_of("PRIVMSG", target, text)
    assert raw.endswith(b"\r\n")
    assert not {b"\r"[0], b"\n"[0], 0} & set(raw[:-2])
    assert len(raw) <= LONGEST_SENT + 2
    assert "".join(fitting("#c", text)).replace(" ", "") == "".join(text.split())


def test_every_byte_may_be_the_last_of_a_piece() -> None:
    """The same things happen."""
    talk = WELCOME + JOINED + b":Ann!a@h PRIVMSG #pug :!add ctf\r\n" + signed("Ann")
    talk += b":Ann!a@h NICK Eve\r\n:Eve!a@h QUIT :x\r\n"
    expected: list[Happened] = [
        Arrived("#pug"),
        Signed("ann", "Ann", "1000"),
        Spoken("ann", "Ann", "!add ctf", False, "#pug"),
        NickChanged("ann", "Eve"),
        Gone("ann"),
    ]
    for cut in range(len(talk)):
        made = ChatSession("bot", "#pug")
        made.start(0.0)
        assert made.feed(talk[:cut], 0.0) + made.feed(talk[cut:], 0.0) == expected


def test_a_nick_is_followed_and_the_old_one_is_somebody_elses() -> None:
    """Who takes it gets another id; nicks are compared as the server does."""
    made = session(b":Ann!a@h NICK Ann[2]\r\n", b":eve!e@h JOIN #pug\r\n:eve!e@h NICK Ann\r\n")
    assert made.id_of("ann{2}") == "ann"
    assert made.id_of("Ann") == "eve"
    made.feed(b":zed!z@h JOIN #pug\r\n:Ann!e@h QUIT\r\n:x!x@h JOIN #pug\r\n:x!x@h NICK zoe\r\n", 0.0)
    late = session(b":Ann!a@h NICK other\r\n:Ann!q@h JOIN #pug\r\n")
    assert late.id_of("Ann") == "ann'"


def test_an_account_is_who_somebody_is() -> None:
    """By tag, on joining, by notice and by WHOX; without one the nick cannot be taken for an account."""
    made = ChatSession("bot", "#pug", password="secret")  # noqa: S106
    made.start(0.0)
    made.feed(b":s CAP * LS * :sasl account-tag\r\n:s CAP * LS :extended-join account-notify x\r\n", 0.0)
    assert b"CAP REQ :account-notify account-tag extended-join sasl" in made.out(0.0)
    made.feed(b":s CAP bot ACK :account-notify account-tag extended-join sasl\r\n", 0.0)
    assert b"AUTHENTICATE :PLAIN" in made.out(0.0)
    made.feed(b"AUTHENTICATE +\r\n:s 903 bot :ok\r\n", 0.0)
    assert b"AUTHENTICATE Ym90AGJvdABzZWNyZXQ=" in (sent := made.out(0.0))
    assert b"CAP :END" in sent
    made.feed(WELCOME + JOINED, 0.0)
    assert b"WHO #pug :%tna,42" in made.out(0.0)
    assert made.id_of("bob") == "~bob"
    assert made.feed(b":s 354 bot 42 bob Robert\r\n", 0.0) == [Identified("robert", "~bob")]
    assert made.feed(b":Ann!a@h ACCOUNT annie\r\n", 0.0) == [Identified("annie", "~ann")]
    made.feed(b":cid!c@h JOIN #pug sid :C\r\n", 0.0)
    assert made.id_of("cid") == "sid"
    (said,) = made.feed(b"@account=annie :Ann!a@h PRIVMSG #pug :!add\r\n", 0.0)
    assert said == Spoken("annie", "Ann", "!add", False, "#pug")
    assert made.feed(b":annie!x@h JOIN #pug * :x\r\n", 0.0) == []
    assert made.id_of("annie") == "~annie"


def test_nobody_outside_the_channel_is_heard() -> None:
    """Nor what is no command, nor other channels."""
    made = session()
    assert made.feed(b":out!o@h PRIVMSG bot :!add\r\n:Ann!a@h PRIVMSG #pug :hello\r\n", 0.0) == []
    assert made.feed(b":Ann!a@h PRIVMSG #other :!add\r\n", 0.0) == []
    assert made.feed(b":Ann!a@h PRIVMSG bot :!add\r\n", 0.0) == [Spoken("ann", "Ann", "!add", True)]


def test_what_is_said_is_not_said_too_fast_and_floods_are_ignored() -> None:
    """A burst, then a line at a time; of somebody who floods a few commands count, and are warned of once."""
    made = session()
    for n in range(20):
        made.say("#pug", f"line {n}")
    assert made.out(10.0).count(b"PRIVMSG") == 5
    assert made.out(10.1).count(b"PRIVMSG") == 0
    assert made.out(12.6).count(b"PRIVMSG") == 2
    heard = [made.feed(b":Ann!a@h PRIVMSG #pug :!status\r\n", 20.0) for _ in range(50)]
    assert sum(map(len, heard)) == 6
    assert len(made.feed(b":bob!b@h PRIVMSG #pug :!status\r\n", 20.0)) == 1
    assert made.out(60.0).count(b"too fast") <= 1


def test_a_silent_server_is_asked_and_then_given_up() -> None:
    """After a kick the channel is joined again; a nick that is taken is changed."""
    made = session()
    assert b"PING" in made.out(100.0)
    assert not made.is_dead(100.0)
    assert made.is_dead(200.0)
    made.feed(b":s PING :x\r\n:Ann!a@h KICK #pug bot :out\r\n", 200.0)
    assert b"PONG" in made.out(200.0)
    assert b"JOIN :#pug" in made.out(221.0)
    fresh = ChatSession("bot", "#pug")
    fresh.start(0.0)
    fresh.feed(b":s 433 * bot :taken\r\n", 0.0)
    assert b"NICK :bot_" in fresh.out(0.0)


def kept(**places: ChatPlace) -> ChatSession:
    """Return a session in which places are kept for people who play."""
    made = ChatSession("bot", "#pug", places=places)
    made.start(0.0)
    made.feed(WELCOME, 0.0)
    made.out(0.0)
    return made


def test_a_place_is_for_who_bears_the_nick_when_the_bot_comes() -> None:
    """It may be another nick than the first; who has the first by now is somebody else."""
    made = kept(ann=ChatPlace("Annie", "1000"))
    made.feed(b":bot!b@h JOIN #pug\r\n:s 353 bot = #pug :Annie ann bot\r\n", 0.0)
    assert made.feed(signed("Annie"), 0.0) == [Signed("ann", "Annie", "1000")]
    assert (made.id_of("Annie"), made.id_of("ann")) == ("ann", "ann'")
    assert (made.is_claimed("ann'"), made.is_claimed("ann"), made.is_claimed("bob'")) == ("ann", "", "")


def test_a_place_is_not_for_another_connection() -> None:
    """What is said before it is known when somebody signed on waits, and counts for somebody else then.

    Where the server does not tell, nothing proves that it is the same one.
    """
    for sign, who in (("1000", "ann"), ("1001", "ann'"), ("", "ann'")):
        made = kept(ann=ChatPlace("ann", "1000"))
        made.feed(b":bot!b@h JOIN #pug\r\n:s 353 bot = #pug :ann\r\n", 0.0)
        assert b"WHOIS ann :ann" in made.out(0.0)
        assert made.feed(b":ann!a@h PRIVMSG #pug :!confirm\r\n", 0.0) == []
        signs: list[Happened] = [Signed(who, "ann", sign)] if sign else []
        assert made.feed(signed("ann", sign), 0.0) == [*signs, Spoken(who, "ann", "!confirm", False, "#pug")]
    made = kept(ann=ChatPlace("ann"))
    made.feed(b":bot!b@h JOIN #pug\r\n:s 353 bot = #pug :ann\r\n", 0.0)
    assert made.id_of("ann") == "ann'"
    assert made.is_claimed("ann'") == "ann"


def test_nobody_acts_before_it_is_known_when_they_signed_on() -> None:
    """What is said waits for the answer, under whatever nick; a server that gives none holds nobody up."""
    said = b":cid!c@h PRIVMSG #pug :!add\r\n"
    for answer in (signed("cid"), b":s 401 bot cid :gone\r\n", b":s 263 bot WHOIS :later\r\n"):
        made = session(b":cid!c@h JOIN #pug\r\n")
        assert made.feed(said, 0.0) == []
        assert b"WHOIS cid :cid" in made.out(0.0)
        assert made.feed(answer, 0.0)[-1] == Spoken("cid", "cid", "!add", False, "#pug")
    made = session(b":cid!c@h JOIN #pug\r\n")
    made.feed(said, 0.0)
    assert made.overdue(9.0) == []
    assert made.overdue(10.0) == [Spoken("cid", "cid", "!add", False, "#pug")]
    made = session(b":cid!c@h JOIN #pug\r\n")
    made.feed(said, 0.0)
    assert made.feed(b":cid!c@h NICK sid\r\n" + signed("cid"), 0.0) == [NickChanged("cid", "sid")]
    assert b"WHOIS sid :sid" in made.out(0.0)
    assert made.feed(signed("sid"), 0.0)[-1] == Spoken("cid", "sid", "!add", False, "#pug")


def test_nothing_that_somebody_unproven_does_is_done_by_whose_place_they_seem_to_have() -> None:
    """They leave, change their nick or log in before the server has told when they signed on."""
    for said in (b":ann!a@h QUIT :x\r\n", b":ann!a@h NICK eve\r\n"):
        made = kept(ann=ChatPlace("ann", "1000"))
        made.feed(b":bot!b@h JOIN #pug\r\n:s 353 bot = #pug :ann\r\n", 0.0)
        assert made.feed(said, 0.0) == []
    for sign, expected in (("1000", [Identified("zed", "~ann")]), ("1001", [])):
        made = ChatSession("bot", "#pug", places={"~ann": ChatPlace("ann", "1000")}, has_accounts=True)
        made.feed(WELCOME + b":bot!b@h JOIN #pug\r\n:s 353 bot = #pug :ann\r\n", 0.0)
        assert made.feed(b":s 354 bot 42 ann zed\r\n", 0.0) == []
        assert made.feed(signed("ann", sign), 0.0) == [*expected, Signed("zed", "ann", sign)]


def test_who_comes_back_is_somebody_else_until_an_organiser_says_so() -> None:
    """A nick is no proof; who was taken for somebody until then is another one."""
    made = kept(ann=ChatPlace("ann", "1000"))
    made.feed(b":bot!b@h JOIN #pug\r\n:s 353 bot = #pug :ann\r\n" + signed("ann"), 0.0)
    made.feed(b":eve!e@h JOIN #pug\r\n", 0.0)
    assert made.adopt("eve", "ann")
    assert (made.id_of("eve"), made.id_of("ann")) == ("ann", "ann'")
    assert made.adopt("ann", "ann")
    assert (made.id_of("eve"), made.id_of("ann")) == ("eve", "ann")
    made.feed(b":ann!a@h QUIT :x\r\n:ann!q@h JOIN #pug\r\n", 0.0)
    assert made.id_of("ann") == "ann'"
    assert made.adopt("ann", "ann")
    assert made.id_of("ann") == "ann"


def test_several_channels_have_one_connection() -> None:
    """Who is in one of them is there until they have left all; what they say is of where they say it."""
    made = ChatSession("bot", "#pug,#duel")
    made.start(0.0)
    assert b"JOIN :#pug,#duel" in (made.feed(WELCOME, 0.0), made.out(0.0))[1]
    joined = [
        each for channel in ("#pug", "#DUEL") for each in made.feed(
            f":bot!b@h JOIN {channel}\r\n:s 353 bot = {channel} :bot Ann\r\n".encode(), 0.0
        )
    ]  # fmt: skip
    assert joined == [Arrived("#pug"), Arrived("#duel")]
    made.feed(b":bob!b@h JOIN #duel\r\n", 0.0)
    for nick in ("Ann", "bob"):
        made.feed(signed(nick), 0.0)

    def said(nick: str, target: str) -> list[Happened]:
        held = made.feed(f":{nick}!a@h PRIVMSG {target} :!add\r\n".encode(), 1.0)
        return [*held, *made.feed(signed(nick), 1.0)]

    spoken = [each for each in said("Ann", "#Duel") if isinstance(each, Spoken)]
    assert spoken == [Spoken("ann", "Ann", "!add", private=False, channel="#duel")]
    assert not [each for each in said("bob", "#pug") if isinstance(each, Spoken)]
    assert made.feed(b":Ann!a@h PART #pug\r\n", 2.0) == []
    assert made.feed(b":Ann!a@h PART #duel\r\n", 2.0) == [Gone("ann")]
    assert made.feed(b":bob!a@h QUIT\r\n", 2.0) == [Gone("bob")]
