"""The weight protocol without I/O: the page's transcript, cut anywhere, and whatever else may be sent."""

from __future__ import annotations

import random
import re
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.service.weights import conversation as talk

from equipoise.errors import InputError
from equipoise.service.weights.commands import QUEUE_COMMANDS, Limits
from equipoise.service.weights.conversation import TOGETHER, WeightSession
from equipoise.service.weights.messages import CachedAnswers, Division, Everyone, Lookup, Refusal, Silent

BOARD = talk.board()
SAID = b"".join(said for said, _ in talk.transcript())
ANSWERED = b"".join(answered for _, answered in talk.transcript())

_lines = st.sampled_from([said for said, _ in talk.transcript()])


@st.composite
def _mutated(draw: st.DrawFn) -> bytes:
    """Return a line of the transcript with some of its bytes changed, lost or repeated."""
    line = bytearray(draw(_lines))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(line)))
        line[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    return bytes(line)


def _talk() -> talk.Conversation:
    return talk.conversation(BOARD)


def test_each_line_of_the_transcript_has_the_answer_it_shows() -> None:
    """The page is normative."""
    conversation = _talk()
    for said, answered in talk.transcript():
        assert conversation.said(said) == answered, said


def test_the_transcript_shows_every_command() -> None:
    """Nothing that is documented stays unheld."""
    reported = set(re.findall(r"^\| `([A-Z]+)", talk.PAGE, re.MULTILINE))
    assert reported == {said.split()[0].decode() for said, _ in talk.transcript()} - {"HELLO"}
    assert reported == {command.decode() for command in (*WeightSession._commands, *QUEUE_COMMANDS)}


def test_the_page_lists_every_refusal() -> None:
    """The codes of the page are those of the program."""
    reported = re.findall(r"^\| `([a-z-]+)` \|", talk.PAGE, re.MULTILINE)
    assert reported == [why.value.split(" ")[0] for why in Refusal]


@pytest.mark.slow
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_the_transcript_may_be_cut_at_every_byte(end: bytes) -> None:
    """Where the network cuts makes no difference."""
    said = SAID.replace(b"\n", end)
    for at in range(0, len(said), 1):
        session = _talk()
        assert session.said(said[:at]) + session.said(said[at:]) == ANSWERED, at
    session = _talk()
    assert b"".join(session.said(said[n : n + 1]) for n in range(len(said))) == ANSWERED


@pytest.mark.slow
@given(st.lists(_mutated() | st.binary(max_size=40), max_size=12).map(b"".join), st.data())
def test_whatever_is_sent_only_documented_answers_come(said: bytes, data: st.DataObject) -> None:
    """Random and mutated lines, and cut elsewhere they are answered alike."""
    answers = _talk().said(said)
    assert not talk.undocumented(answers)
    at = data.draw(st.integers(0, len(said)))
    cut = _talk()
    assert cut.said(said[:at]) + cut.said(said[at:]) == answers


@pytest.mark.slow
@given(st.lists(_lines, max_size=20), st.randoms(use_true_random=False))
def test_every_line_with_an_answer_has_exactly_one(lines: list[bytes], rng: random.Random) -> None:
    """``ALL`` apart, so that a client can count."""
    rng.shuffle(lines)
    lines = [line for line in lines if line != b"ALL\n"]
    silent = sum(line.startswith((b"GAME", b"MUTATOR", b"PARTY", b"APART", b"STAY")) for line in lines)
    assert _talk().said(b"".join(lines)).count(b"\n") == len(lines) - silent


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_lookups_that_are_known_are_answered_together(end: bytes) -> None:
    """In their order, so many bytes at once; whoever they name is divided like others."""
    known = {
        b"PLAYER a": b"PLAYER a 1.0000\n",
        b"BOT b": b"BOT b 2.0000\n",
        b"MEANBOT": b"MEANBOT 3.0000 1\n",
    }
    session = WeightSession(known=lambda _: known)
    said = end.join([b"PLAYER a", b"MEANBOT", b"BOT b", b""]) * TOGETHER
    requests = list(session.receive(said))
    assert {type(request) for request in requests} == {CachedAnswers}
    assert len(requests) <= len(said) // (TOGETHER // 2)
    answers = b"".join(session.answer(request, None) for request in requests)
    assert answers == b"".join([known[b"PLAYER a"], known[b"MEANBOT"], known[b"BOT b"]]) * TOGETHER
    (division,) = session.receive(b"TEAMS 2\n")
    assert [member.raw for member in division.members] == [b"PLAYER a", b"BOT b"]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_known_lookups_at_once_are_answered_as_one_by_one(end: bytes) -> None:
    """With the same answers, and the same members for a division."""
    known = {b"PLAYER a": b"PLAYER a 1.0000\n", b"BOT b": b"BOT b 2.0000\n"}
    session = WeightSession(known=lambda _: known)
    said = end.join([b"BOT b", b"PLAYER a", b""])
    assert session.at_once(said) == known[b"BOT b"] + known[b"PLAYER a"]
    (division,) = session.receive(b"TEAMS 2\n")
    assert [member.raw for member in division.members] == [b"BOT b", b"PLAYER a"]


@pytest.mark.parametrize(
    "said", [b"", b"\n", b"PLAYER a", b"PLAYER a\n\n", b"PLAYER a\nPLAYER c\n", b"ALL\n"]
)
def test_anything_else_is_not_answered_at_once_and_changes_nothing(said: bytes) -> None:
    """The same bytes are received afterwards as if they came for the first time."""
    asked, other = (WeightSession(known=lambda _: {b"PLAYER a": b"PLAYER a 1.0000\n"}) for _ in range(2))
    assert asked.at_once(said) == b""
    assert list(asked.receive(said)) == list(other.receive(said))
    assert asked.buffered == other.buffered


def test_nothing_is_answered_at_once_before_the_rest_of_a_line() -> None:
    """What came before belongs to it, however well it is known."""
    session = WeightSession(known=lambda _: {b"PLAYER a": b"PLAYER a 1.0000\n"})
    list(session.receive(b"PLAYER "))
    assert session.at_once(b"PLAYER a\n") == b""
    session = WeightSession(limits=Limits(line=900), known=lambda _: {b"PLAYER a": b"PLAYER a 1.0000\n"})
    list(session.receive(b"x" * 1000))
    assert session.at_once(b"PLAYER a\n") == b""


def test_lines_beside_an_unknown_one_are_requests() -> None:
    """None of them is lost or doubled."""
    session = WeightSession(known=lambda _: {b"PLAYER a": b"PLAYER a 1.0000\n"})
    requests = list(session.receive(b"PLAYER a\nPLAYER new\nALL\nPLAYER a\nPLAY"))
    assert [type(request) for request in requests] == [Lookup, Lookup, Everyone, Lookup]
    assert [type(request) for request in session.receive(b"ER a\n")] == [CachedAnswers]


def test_a_carriage_return_within_a_line_is_never_an_end() -> None:
    """Neither alone nor twice, known or not."""
    for said in (b"PLAYER a1b2\rPLAYER a1b2\n", b"PLAYER a1b2\r\r\n"):
        session = _talk()
        session.said(b"PLAYER a1b2\n")
        assert session.said(said) == Refusal.BAD_NAME.line


def test_what_follows_a_request_waits_for_its_result() -> None:
    """The seats of a division are those of the chances that are asked for in the same packet."""
    session = WeightSession()
    requests = session.receive(b"PLAYER a\nPLAYER b\nTEAMS 2\nWINPROB\n")
    _, _, division = islice(requests, 3)
    assert isinstance(division, Division)
    assert session.answer(division, [1, 0]) == b"TEAMS 2\t1 PLAYER a\t0 PLAYER b\n"
    assert [[member.name for member in team] for team in next(requests).seats] == [["b"], ["a"]]


def test_requests_that_were_not_taken_come_with_the_next_call() -> None:
    """A server may stop in the middle and go on later."""
    session = WeightSession()
    next(session.receive(b"ALL\nPLAYER a\nPLAY"))
    lookups = list(session.receive(b"ER b\n"))
    assert [lookup.line for lookup in lookups] == [b"PLAYER a", b"PLAYER b"]


def test_a_line_that_is_too_long_is_refused_once_and_thrown_away() -> None:
    """However it arrives, the conversation goes on after it, and it is not kept."""
    said = b"MEANBOT\nPLAYER " + b"x" * 30 + b"\nPLAYER 345678901\r\n"
    expected = _talk().said(b"MEANBOT\n") + Refusal.LINE_TOO_LONG.line + b"PLAYER 345678901\n"
    for cut in range(1, len(said) + 1):
        session = talk.conversation(BOARD, Limits(line=16))
        answers = b""
        for start in range(0, len(said), cut):
            answers += session.said(said[start : start + cut])
            assert session.session.buffered <= 17
        assert answers == expected


def test_names_come_back_byte_for_byte() -> None:
    """Latin-1, UTF-8 and spaces are kept as they were sent."""
    for name in ("Zoë".encode(), "Zoë".encode("latin-1"), b" two  spaces ", b"\xff\xfe", "名".encode() * 200):
        assert _talk().said(b"PLAYER " + name + b"\n") == b"PLAYER " + name + b"\n"


@pytest.mark.slow
def test_a_refused_line_changes_nothing() -> None:
    """Neither who is in which team, nor whom a division divides, nor the game, nor the right to report."""
    said = b"GAME ctf\nPLAYER a1b2\nPLAYER c3d4\nTEAMS 2\nAUTH correct horse battery\n"
    for wrong in (
        b"RESULT x\t1\t0 PLAYER eve\t1 PLAYER zoe\n",
        b"WINPROB\t0 PLAYER eve\n",
        b"ADVANTAGE\t0 PLAYER eve\t2 PLAYER zoe\n",
        b"JOIN eve\t0 PLAYER zoe\t0 PLAYER zoe\n",
        b"TEAMS 2\tPLAYER eve\n",
        b"GAME \n",
        b"MUTATOR a\tb\n",
        b"PLAYER \n",
    ):
        session, other = _talk(), _talk()
        session.said(said)
        other.said(said)
        assert session.said(wrong).startswith(b"ERR "), wrong
        then = b"WINPROB\nTEAMS 2\nRESULT y\t1 2\nJOIN new\n"
        assert session.said(then) == other.said(then)


def test_whom_a_refused_lookup_names_is_not_divided() -> None:
    """Where it is not known which game is meant."""
    session = WeightSession()
    (lookup,) = session.receive(b"GAME ctf\nPLAYER a\n")
    assert session.answer(lookup, Refusal.AMBIGUOUS_GAME) == Refusal.AMBIGUOUS_GAME.line
    (refused,) = session.receive(b"TEAMS 2\n")
    assert session.answer(refused, None) == Refusal.TOO_FEW_MEMBERS.line


def test_a_result_needs_its_game() -> None:
    """It would be kept under an empty ruleset for good."""
    reported = b"AUTH correct horse battery\nRESULT x\t1 2\t0 PLAYER a\t1 PLAYER b\n"
    assert _talk().said(reported).endswith(Refusal.NO_GAME.line)


@pytest.mark.slow
def test_lines_without_an_answer_let_the_reader_look_at_the_clock() -> None:
    """However many come at once, and however short they are."""
    for line in (b"\n", b"\r\n", b"GAME x\n", b"MUTATOR x\n"):
        requests = list(WeightSession().receive(line * 20_000))
        assert set(requests) == {Silent()}
        assert len(requests) >= 5
        assert all(WeightSession().answer(request, None) == b"" for request in requests)


@pytest.mark.parametrize("name", [b"", b"a\tb", b"a\x00b", b"x" * 201, b"\x1b[31m", b"a\rb"])
def test_names_that_no_game_has_are_refused(name: bytes) -> None:
    """Control characters and endless names go nowhere."""
    for command in (b"PLAYER ", b"BOT ", b"GAME ", b"MUTATOR "):
        assert _talk().said(command + name + b"\n") == Refusal.BAD_NAME.line


def test_a_new_game_forgets_the_one_before() -> None:
    """Mutators, players and teams."""
    session = _talk()
    session.said(b"GAME ctf\nMUTATOR g_instantgib\nPLAYER a1b2\nPLAYER c3d4\nTEAMS 2\n")
    assert session.said(b"GAME ctf\nPLAYER a1b2\n") == _talk().said(b"GAME ctf\nPLAYER a1b2\n")
    assert session.said(b"TEAMS 2\nWINPROB\n") == Refusal.TOO_FEW_MEMBERS.line * 2


def test_too_many_mutators_are_said_to_each_question_until_the_next_game() -> None:
    """``MUTATOR`` has no answer, so the questions have it."""
    session = talk.conversation(BOARD, Limits(mutators=2))
    assert session.said(b"GAME ctf\nMUTATOR a\nMUTATOR b\nMUTATOR a\nMEANBOT\n").startswith(b"MEANBOT")
    assert session.said(b"MUTATOR c\nMEANBOT\nALL\n") == Refusal.TOO_MANY_MUTATORS.line * 2
    assert session.said(b"GAME ctf\nMEANBOT\n").startswith(b"MEANBOT")


def test_more_members_than_allowed_are_weighed_but_not_divided() -> None:
    """What a conversation keeps is bounded."""
    session = talk.conversation(BOARD, Limits(members=3))
    assert session.said(b"PLAYER a\nPLAYER b\nPLAYER c\nPLAYER d\n").count(b"\n") == 4
    assert session.said(b"TEAMS 2\n") == Refusal.TOO_MANY_MEMBERS.line
    assert session.said(b"TEAMS 2\tPLAYER a\tPLAYER d\n").startswith(b"TEAMS 2\t")
    assert session.said(b"WINPROB" + b"\t0 PLAYER a" * 4 + b"\n") == Refusal.TOO_MANY_MEMBERS.line


def test_a_late_joiner_stays_where_they_were_sent() -> None:
    """To ask again changes nothing, and the team counts from then on."""
    session = _talk()
    said = b"JOIN new\t0 PLAYER a1b2\t1 PLAYER c3d4\t1 PLAYER Ann Lee\n"
    assert session.said(said) == b"JOIN new 0\n"
    assert session.said(b"JOIN new\nJOIN Ann Lee\n") == b"JOIN new 0\nJOIN Ann Lee 1\n"
    assert session.said(b"WINPROB\n") == session.said(
        b"WINPROB\t0 PLAYER a1b2\t1 PLAYER c3d4\t0 PLAYER new\t1 PLAYER Ann Lee\n"
    )


def test_the_id_of_a_result_comes_back_byte_for_byte() -> None:
    """In whatever old engines write; as text it is one name."""
    conversation = _talk()
    token = talk.TOKEN.encode()
    said = (
        b"AUTH "
        + token
        + b"\nGAME ctf\nJOIN Zo\xeb\t0 PLAYER \xfc\t1 PLAYER a\nRESULT Zo\xeb\t1 2\nRESULT Zo\xc3\xab\t1 2\n"
    )
    answers = conversation.said(said).split(b"\n")
    assert answers[1].startswith(b"JOIN Zo\xeb ")
    assert answers[2:4] == [b"RESULT Zo\xeb new", b"RESULT Zo\xc3\xab known"]


def test_a_wrong_token_takes_the_right_to_send_results_away() -> None:
    """The last ``AUTH`` counts; without a token on the server nothing helps."""
    session = _talk()
    result = b"RESULT x\t1 2\t0 PLAYER a\t1 PLAYER b\n"
    assert session.said(b"AUTH correct horse battery\nAUTH x\n" + result).endswith(
        Refusal.NOT_AUTHORISED.line
    )
    (refused,) = WeightSession().receive(b"AUTH x\n")
    assert refused.why is Refusal.NO_TOKEN


def test_a_result_is_kept_once_with_game_scores_and_teams() -> None:
    """What the archive gets is what was said."""
    session = _talk()
    session.said(b"AUTH correct horse battery\nGAME ctf\nMUTATOR g_instantgib\nMUTATOR g_allowvote\n")
    said = b"RESULT x\t1.5 -2\t0 PLAYER a\t1 BOT Sarge\t1 BOT Unseen\n"
    assert session.said(said * 2) == b"RESULT x new\nRESULT x known\n"
    match = session.kept["x"]
    assert match.ruleset.mutators == ("g_instantgib",)
    assert match.contests[0].teams == ((("a", 1.0),), (("bot:Sarge:4", 1.0), ("bot:Unseen:?", 1.0)))
    assert match.contests[0].ranks == (-1.5, 2.0)


@pytest.mark.parametrize("limit", ["line", "mutators", "members"])
def test_limits_are_above_nothing(limit: str) -> None:
    """A limit of 0 would answer nobody."""
    with pytest.raises(InputError, match=f"^{limit} must be (above 0|at least 1), got 0"):
        Limits(**{limit: 0})
