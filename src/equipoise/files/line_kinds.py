"""What each line of a paste is: somebody who comes, who does not, who is late, or no player at all.

The rules are data (:mod:`equipoise.core.paste_grammar`), which the board reads as well.
This is their interpreter: a line is rewritten until names and weights are left, or put aside and quoted.
What is left is cut into players in :mod:`equipoise.files.pasted_names`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise
from typing import Any

from equipoise.core.paste_grammar import choices, grammar
from equipoise.core.plain_data import short
from equipoise.core.player import Player, Rating
from equipoise.errors import READS, AmbiguousError, InputError, meant

#: Characters of full width and the plain ones that they are.
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
#: Digits as mathematicians write them, bold or with double strokes.
_WIDE |= {code: 0x30 + (code - 0x1D7CE) % 10 for code in range(0x1D7CE, 0x1D800)}
_UNSEEN = re.compile("[\u200b\u200e\u200f\u2060-\u2064\u2066-\u2069\u202a-\u202e\ufeff\u00ad]")
#: What ends all but the last sentence of a message.
_SENTENCE = re.compile(r"[.?!]\s+")
_COMMA = re.compile(r"\s*,\s*")
_STRUCK = re.compile("[\u0334-\u0338]")
_NUMBERED = re.compile(r"^([0-9]{1,3})\s+(.*)$")


@dataclass(frozen=True, slots=True)
class Heard:
    """What was read of a paste besides the names of those who play.

    Parameters
    ----------
    out : tuple of str
        Who does not come.
    late : tuple of str
        Who comes late.
    unread : tuple of (int, str)
        The lines that are no players, with their numbers.
    notes : tuple of (int, str)
        What stood beside a name and was left out of it, as ``(GK)``, with the lines' numbers.
    """

    out: tuple[str, ...] = ()
    late: tuple[str, ...] = ()
    unread: tuple[tuple[int, str], ...] = ()
    notes: tuple[tuple[int, str], ...] = ()

    def lines(self, players: Sequence[Player]) -> list[str]:
        """Return what was read, first in a sentence, then each line that is no player."""
        duos, larger, unrated = _counts(players)
        counts = (
            (len(players), "player", "players"),
            (duos, "duo", "duos"),
            (larger, "larger party", "larger parties"),
            (unrated if unrated < len(players) else 0, "without points", "without points"),
            (len(self.late), "late", "late"),
            (len(self.out), "not coming", "not coming"),
        )
        parts = [f"{n} {one if n == 1 else many}" for n, one, many in counts if n or one == "player"]
        notes = ", ".join(dict.fromkeys(short(text) for _, text in self.notes))
        return [
            f"{', '.join(parts)}.",
            *([f"Far from the others: {', '.join(far)}"] if (far := _far_from_others(players)) else []),
            *(f"Not read: {short(line)}" for _, line in self.unread),
            *([f"Beside names: {notes}"] if notes else []),
        ]

    def as_dict(self, players: Sequence[Player]) -> dict[str, Any]:
        """Return it as plain data."""
        duos, _, unrated = _counts(players)
        unread = [{"line": number, "text": text} for number, text in self.unread]
        notes = [{"line": number, "text": text} for number, text in self.notes]
        return {"players": len(players), "duos": duos, "unrated": unrated, "far": _far_from_others(players),
                "out": list(self.out), "late": list(self.late), "unread": unread, "notes": notes}  # fmt: skip


def _counts(players: Sequence[Player]) -> tuple[int, int, int]:
    """Return how many duos, larger parties and players without a weight there are."""
    sizes = Counter(player.party for player in players if player.party is not None)
    duos = sum(size == 2 for size in sizes.values())
    return duos, len(sizes) - duos, sum(player.rating is None for player in players)


def _far_from_others(players: Sequence[Player]) -> list[str]:
    """Return who has a weight that may be a slip: a few, many times above or below the middle one."""
    times, among = grammar()["far_times"], grammar()["far_among"]
    weights = {each.id: each.rating.mu for each in players if isinstance(each.rating, Rating)}
    middle = sorted(weights.values())[len(weights) // 2] if weights else 0.0
    far = [name for name, weight in weights.items() if not middle < times * weight < times * times * middle]
    return [f"{short(name)} {weights[name]:g}" for name in far] if len(far) * among <= len(weights) else []


@dataclass(slots=True)
class _Line:
    number: int
    raw: str
    text: str
    status: str = "in"
    block: int = 0
    changed: bool = False
    #: The text before notes were left out, and the notes.
    whole: str = ""
    notes: list[str] = field(default_factory=list)
    #: What the line was before any rule, and whether it is a list of players below a heading.
    tidy: str = ""
    listed: bool = False
    #: Whom a message brings: how many without a name, and the names.
    guests: int = 0
    named: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _State:
    where: str
    answers: frozenset[str]
    total: int
    counts: Mapping[str, int]
    counted: frozenset[int]
    first: int
    #: How many lines below titles match; ``counts`` has those of the whole text.
    below: Mapping[str, int] = field(default_factory=dict)
    section: str = "in"
    sender: str = ""
    block: int = 0
    replies: dict[str, _Line] = field(default_factory=dict)
    #: Whom messages bring who may come: the message, whose it is, how many, and the name of one.
    perhaps: list[tuple[_Line, str, int, str]] = field(default_factory=list)
    aside: list[tuple[str, str]] = field(default_factory=list)
    #: The lines, in which some rules look for numbers that count up.
    present: Sequence[str] = ()
    #: The line before which there is nothing but lines that are no players.
    head: int = -1
    #: With whom somebody said to be, and the line that says it.
    partners: dict[str, _Line] = field(default_factory=dict)
    counting: dict[str, bool] = field(default_factory=dict)


def choices_of(read: str | None) -> frozenset[str]:
    """Return the choices that an answer names, separated by commas.

    Raises
    ------
    InputError
        If one is unknown, or two answer the same question.

    Examples
    --------
    >>> sorted(choices_of("names,maybe-in"))
    ['maybe-in', 'names']
    """
    given = () if not read else READS_OF.split(read)
    known = READS if set(given) <= {*READS} else (*READS, *choices())
    for one in given:
        if one not in known:
            near = meant(one, known)
            msg = f"read must be one of {', '.join(known)}, or several with commas, got {one!r}{near}"
            raise InputError(msg)
    if len(READS_AMONG.intersection(given)) > 1:
        msg = f"read must have one of {', '.join(READS)} at most, got {read!r}"
        raise InputError(msg)
    return frozenset(given)


READS_OF, READS_AMONG = re.compile(r"\s*,\s*"), frozenset(READS)


def sift(text: str, where: str, answers: frozenset[str]) -> tuple[str, Heard]:
    r"""Return a paste with what names players and nothing else, and what else was read.

    Parameters
    ----------
    text : str
        Lines ended by ``\n``.
    where : str
        What messages call the source.
    answers : frozenset of str
        The choices that are made, see :func:`choices_of`.

    Raises
    ------
    AmbiguousError
        If a line can mean two things, and no choice says which.

    Examples
    --------
    >>> sift("In (1):\nAmber\nOut:\nBirch", "here", frozenset())[0].split()
    ['Amber']
    """
    raws = text.split("\n")
    if len(raws) > grammar()["most_lines"]:
        return text, Heard()
    tidy = [_UNSEEN.sub("", raw).translate(_WIDE).strip() for raw in raws]
    for at in range(1, len(tidy) - 1):  # as Discord copies who wrote, and when
        if tidy[at] == "\u2014" and tidy[at - 1] and tidy[at + 1]:
            tidy[at - 1 : at + 2] = [f"{tidy[at - 1]} \u2014 {tidy[at + 1]}", "", ""]
    long = {at for at, raw in enumerate(raws) if len(raw) > grammar()["most_signs"]}
    filled = [at for at, line in enumerate(tidy) if line and at not in long]
    state_below = partial(_state, tidy, filled, _matched(tidy, filled), where, answers)
    titles = _titles(raws, tidy, filled, state_below(0))
    state = state_below(len(titles))  # what lines have in common is judged without the titles above them
    lines = [*titles, *_read_all(raws, tidy, filled[len(titles) :], state)]
    _join_partners(lines, state)
    _restore_notes(lines)
    for line in lines:
        if line.status == "maybe":
            _ask("maybe", line, None, state)
    _add_guests(state)
    _unnumber(lines)
    kept = [raw if at in long else "" for at, raw in enumerate(raws)]
    for line in lines:
        if line.status in ("in", "late"):
            kept[line.number - 1] = line.text if line.changed else raws[line.number - 1]
    kinds = [(line.status, line.text) for line in lines] + state.aside
    out, late = ([name for status, text in kinds if status == wanted for name in _names(text)]
                 for wanted in ("out", "late"))  # fmt: skip
    unread = tuple((line.number, line.raw.strip()) for line in lines if line.status == "unread")
    notes = tuple(
        (line.number, note) for line in lines if line.status in ("in", "late") for note in line.notes
    )
    return "\n".join(kept), Heard(tuple(out), tuple(late), unread, notes)


def _matched(tidy: Sequence[str], filled: Sequence[int]) -> dict[str, list[bool]]:
    """Return for each context which lines match it."""
    return {name: [_found(pattern, tidy[at]) is not None for at in filled]
            for name, pattern in grammar()["contexts"].items()}  # fmt: skip


def _state(
    tidy: Sequence[str], filled: Sequence[int], matched: Mapping[str, Sequence[bool]], where: str,
    answers: frozenset[str], titles: int,
) -> _State:  # fmt: skip
    """Return what is known of a text before its lines are read, so many of them titles."""
    counts = {name: sum(each) for name, each in matched.items()}
    below = {name: sum(each[titles:]) for name, each in matched.items()}
    first, head = ([*filled, -1][at] for at in (0, titles))
    return _State(where, answers, len(filled) - titles, counts, _counted(tidy, filled), first,
                  below=below, present=[tidy[at] for at in filled], head=head)  # fmt: skip


def _titles(raws: Sequence[str], tidy: Sequence[str], filled: Sequence[int], state: _State) -> list[_Line]:
    """Return the lines above all others that say what the list is, and open nothing."""
    titles: list[_Line] = []
    try:
        for line in _read_all(raws, tidy, filled, state):
            if line.status != "unread" or state.block or state.sender:
                return titles
            titles.append(line)
    except AmbiguousError:
        return titles
    return []


def _read_all(
    raws: Sequence[str], tidy: Sequence[str], filled: Sequence[int], state: _State
) -> Iterator[_Line]:
    """Read lines one after the other."""
    for at, below in pairwise([*filled, -1]):
        changed = tidy[at] != raws[at].strip()
        line = _read(_Line(at + 1, raws[at], tidy[at], changed=changed, tidy=tidy[at]), state)
        if state.head == at and line.status in ("unread", "skip"):
            state.head = below
        yield line


def _join_partners(lines: Sequence[_Line], state: _State) -> None:
    """Leave out the line of somebody who was named above as another one's partner."""
    lead, weight = _compiled(grammar()["lead"]), _compiled(grammar()["weight"])
    for line in lines:
        if line.status not in ("in", "late"):
            continue
        name = weight.sub("", lead.sub("", line.text, count=1)).casefold()
        by = state.partners.get(name)
        if by is None and " + " in name:
            by = state.partners.get(" + ".join(reversed(name.split(" + "))))
        if by is not None and by is not line:
            line.status = "skip"


def _restore_notes(lines: Sequence[_Line]) -> None:
    """Give names back what stood beside them where it alone tells two players apart."""
    weight = _compiled(grammar()["weight"])
    lead = _compiled(grammar()["lead"])
    read = [line for line in lines if line.status in ("in", "late")]
    names = [weight.sub("", lead.sub("", line.text, count=1)).casefold() for line in read]
    twice = {name for name, times in Counter(names).items() if times > 1}
    for line, name in zip(read, names, strict=True):
        if name in twice and line.notes:
            line.text, line.notes = line.whole, []


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _found(pattern: str, line: str) -> re.Match[str] | None:
    return _compiled(pattern).search(line)


def _counted(tidy: Sequence[str], filled: Sequence[int]) -> frozenset[int]:
    """Return the lines such as ``Tanks (2)`` above as many lines as they say."""
    pattern = grammar()["contexts"]["counted"]
    heads = [(at, found) for at in range(len(filled)) if (found := _found(pattern, tidy[filled[at]]))]
    ends = [*(at for at, _ in heads[1:]), len(filled)][: len(heads)]
    return frozenset(
        filled[at]
        for (at, found), end in zip(heads, ends, strict=True)
        if end - at - 1 == int(found[1]) and end - at > 1
    )


def _holds(rule: Mapping[str, Any], line: _Line, state: _State) -> bool:
    """Tell whether the text as a whole is one that a rule is for."""
    counts, contexts = state.counts, grammar()["contexts"]
    return not (
        ("some" in rule and not counts[rule["some"]])
        or ("more" in rule and not counts[rule["more"]])
        or ("many" in rule and counts[rule["many"]] < 2)
        or ("most" in rule and (state.total < 2 or 2 * state.below[rule["most"]] < state.total))
        or ("each" in rule and (state.total < 2 or state.below[rule["each"]] != state.total))
        or any(counts[name] for name in rule.get("none", ()))
        or ("scales" in rule and sum(counts[name] > 0 for name in rule["scales"]) < 2)
        or ("few" in rule and 2 * state.below[rule["few"]] > state.total)
        or ("only" in rule and counts[rule["only"]] != 1)
        or ("others" in rule and (state.total < 3 or state.below[rule["others"]] != state.total - 1))
        or (rule.get("alone") and state.total != 1)
        or (rule.get("first") and (state.total < 2 or line.number - 1 != state.head))
        or (rule.get("after") and line.number - 1 == state.head)
        or (rule.get("unmarked") and _found(contexts["marked"], line.tidy))
        or (rule.get("counted") and line.number - 1 not in state.counted)
        or (rule.get("several") and (state.total < 2 or line.listed))
        or ("answered" in rule and rule["answered"] not in state.answers)
        or (rule.get("below") and line.number - 1 == state.first)
        or (rule.get("counting") and not _counting(rule["find"], state))
    )


def _counting(pattern: str, state: _State) -> bool:
    """Tell whether what a pattern finds first in lines counts up, from 0, 1, a or i."""
    if pattern not in state.counting:
        marks = [found[1].lower() for line in state.present if (found := _found(pattern, line))]
        numbers = [int(mark) if mark.isdigit() else _PLACES.get(mark, 0) for mark in marks]
        if marks[:1] == ["a"]:
            numbers = [ord(mark) - ord("a") + 1 for mark in marks]
        state.counting[pattern] = (
            len(numbers) > 1
            and numbers[0] in (0, 1)
            and all(later in (earlier + 1, numbers[0]) for earlier, later in pairwise(numbers))
            and len(set(numbers)) > 1
        )
    return state.counting[pattern]


#: Small Roman numbers.
_ROMAN = (*("i", "ii", "iii", "iv", "v", "vi", "vii", "viii"),
          *("ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi"))  # fmt: skip
_PLACES = {mark: n for n, mark in enumerate(_ROMAN, start=1)}


def _read(line: _Line, state: _State) -> _Line:
    """Return a line as the rules read it."""
    if state.sender and not any(
        _found(rule["find"], line.text) for rule in grammar()["rules"] if "sender" in rule
    ):
        return _message(line, state.sender, line.text, state)
    asked = False
    for rule in grammar()["rules"]:
        found = _found(rule["find"], line.text) if _holds(rule, line, state) else None
        several = "piece" in rule and "," in line.text and '"' not in line.text
        if several and (found is None or rule["piece"] == "first"):
            _pieces(rule, line, state)
            if line.status == "skip":
                break
            continue
        if found is None or (rule.get("piece") == "only" and not several):
            continue
        if "chat" in rule:
            return _message(line, found[1].strip(), found[2].strip(), state)
        if "sender" in rule:
            state.sender, line.status = found[1].strip(), "skip"
            return line
        if "section" in rule:
            _begin_section(rule["section"], line, state)
            return line
        line.listed = line.listed or "list" in rule
        if "ask" in rule:
            asked = asked or rule["ask"] == "maybe"
            _ask(rule["ask"], line, found, state, rule)
        else:
            _put(line, found, rule, state)
            line.status = rule.get("status", line.status)
        if line.status not in ("in", "late") or rule.get("status") == "in" or "stop" in rule:
            break
    line.block = state.block
    if line.status in ("in", "late") and state.section != "in" and not asked:
        line.status = state.section
    return line


def _begin_section(section: str, line: _Line, state: _State) -> None:
    """Note that a line is a heading, and whether those below it come."""
    state.section, line.status = section, "unread"
    state.block += 1


def _pieces(rule: Mapping[str, Any], line: _Line, state: _State) -> None:
    """Apply a rule to each name of a line with commas: ``Amber, Birch (late), Cedar (out)``."""
    kept = []
    parts = _COMMA.split(line.text)
    for part in parts:
        piece = _Line(line.number, line.raw, part, notes=line.notes)
        found = _found(rule["find"], part)
        if found is not None:
            _put(piece, found, rule, state)
            piece.status = rule.get("status", "in")
            if "ask" in rule:
                _ask(rule["ask"], piece, None if rule["ask"] == "maybe" else found, state)
        if piece.status in ("out", "late"):
            state.aside.append((piece.status, piece.text))
        if piece.status != "out":
            kept.append(piece.text)
    if kept != parts:
        line.text, line.changed = ", ".join(kept), True
        line.status = line.status if kept else "skip"


def _message(line: _Line, sender: str, message: str, state: _State) -> _Line:
    """Return a line of a chat: its sender, as far as the message says whether they come, and with whom."""
    sender = sender.removeprefix("~").strip()  # as WhatsApp shows who is in no address book
    before = state.replies.get(sender)
    coming = before is not None and before.status in ("in", "late", "maybe")
    reply = reply_of(message)
    brings = _found(grammar()["brings"], message)
    if brings is not None and (brings[5] or not brings[1]) and (reply or reply_of(brings[5] or "")):
        brings = None
    again = None if not coming else _found(grammar()["one_more"], message)
    if again is not None and _asked("plus", line, state)["name"] == "plus-guest":
        reply, brings = "", again
    status = reply_of(brings[1]) if brings is not None else reply
    if brings is not None and not brings[1].strip():
        status = _without_reply(brings, line, state, coming=coming)
    status = status or reply or reply_of(_SENTENCE.split(message)[-1]) or "unread"
    line.status = status
    if status == "unread":
        return line
    if status == "same" and before is not None:
        line.status = "skip"
        _bring(brings, line, before, sender, state)
        return line
    if status == "only" and brings is not None:
        line.text, line.changed, line.status = brings[5], True, "in"
        return line
    if before is not None:
        before.status = "skip"
        line.guests, line.named = before.guests if brings is None else 0, before.named
    line.text, line.changed = (f'"{sender}"' if " " in sender and '"' not in sender else sender), True
    state.replies[sender] = line
    _bring(brings, line, line, sender, state)
    return line


def _without_reply(brings: re.Match[str], line: _Line, state: _State, *, coming: bool) -> str:
    """Return what a message such as ``+2`` or ``+ Dave`` says of its sender, ``same`` where nothing new."""
    if coming:
        return "same"
    if brings[2]:
        return "maybe"
    if brings[3] and _found(grammar()["bare_count"], brings[0]):
        return "in" if _asked("guests", line, state)["name"] == "guests-besides" else "among"
    if brings[5] and _found(grammar()["bare_name"], brings[0]):
        return "only" if _asked("brings", line, state, brings)["name"] == "brings-only" else "in"
    return "in"


def _bring(brings: re.Match[str] | None, line: _Line, host: _Line, sender: str, state: _State) -> None:
    """Note whom a message brings."""
    if host.status == "among":
        host.status, host.guests = "in", -1
    if brings is None or host.status == "out":
        return
    count, name = _count(brings[3]) if brings[3] else 1, (brings[5] or "").strip()
    doubtful = name and (name[0] == name[0].lower() or _found(grammar()["bare_name"], brings[0]))
    if doubtful and _asked("brings", line, state, brings)["name"] == "brings-nobody":
        return
    if (brings[2] and brings[1]) or brings[6] or (brings[2] and line is not host):
        state.perhaps.append((line, sender, count, name))
    elif name:
        host.named = [*host.named, name]
    else:
        host.guests += count


def _count(word: str) -> int:
    """Return how many a word or a number says."""
    return int(grammar()["counts"].get(word.lower(), 0)) or int(word)


def _guests_of(host: str, count: int) -> str:
    """Return guests without a name, as a party is written."""
    guest: str = grammar()["guest"]
    return "".join(guest.replace("$1", host).replace("$2", f"{n} " if n > 1 else "")
                   for n in range(1, count + 1))  # fmt: skip


def _add_guests(state: _State) -> None:
    """Put beside those who come whom they bring, as far as these have not said otherwise themselves."""
    for line, sender, count, name in state.perhaps:
        host = state.replies[sender]
        if host.status not in ("in", "late"):
            continue
        if _asked("maybe", line, state)["name"] == "maybe-in":
            host.guests, host.named = (
                host.guests + (0 if name else count),
                [*host.named, *([name] if name else [])],
            )
        elif name:
            state.aside.append(("out", name))
    themselves = {sender.casefold(): line for sender, line in state.replies.items()}
    for sender, line in state.replies.items():
        for name in dict.fromkeys(line.named if line.status in ("in", "late") else ()):
            own = themselves.get(name.casefold())
            if own is not None and own.number > line.number and own.status not in ("in", "late"):
                continue
            if own is not None and (own is line or own.guests or own.named):
                continue
            if own is not None:
                own.status = "skip"
            line.text += f" + {name}"
        if line.status in ("in", "late"):
            line.text += _guests_of(sender, line.guests)


def _put(line: _Line, found: re.Match[str], rule: Mapping[str, Any], state: _State) -> None:
    """Rewrite what a rule found."""
    if "aside" in rule:
        state.aside.append(("out", found[rule["aside"]]))
    if "put" not in rule:
        return
    put = rule["put"]
    if rule.get("note"):
        kept = _template(put, found)
        line.whole = line.whole or line.text
        line.notes.append((found[0].replace(kept, "", 1) if kept else found[0]).strip(" -–—:"))
    if "guests" in rule:
        host, count = found[1].strip(), _count(found[rule["guests"]])
        put += _guests_of(host, count).replace("$", "")
    if "tally" in rule:
        put = put.replace("$n", str(len(_compiled(rule["tally"]).findall(found[0]))))
    if rule.get("all"):
        line.text = _compiled(rule["find"]).sub(lambda one: _template(put, one), line.text).strip()
    else:
        line.text = (line.text[: found.start()] + _template(put, found) + line.text[found.end() :]).strip()
    if rule.get("partner"):
        one, other = found[1].casefold().strip(), found[2].casefold().strip(" @")
        lead = _compiled(grammar()["lead"]).sub("", one, count=1)
        if state.partners.get(lead) is None:
            state.partners[other] = state.partners[f"{lead} + {other}"] = line
    line.changed = True


def _asked(name: str, line: _Line, state: _State, found: re.Match[str] | None = None) -> dict[str, Any]:
    """Return the choice that was made about a line."""
    return asked_choice(name, f"{state.where}, line {line.number}", line.raw.strip(), state.answers, found)


def _template(put: str, found: re.Match[str]) -> str:
    return re.sub(r"\$([0-9])", lambda gap: found[int(gap[1])] or "", put)


def _ask(
    name: str, line: _Line, found: re.Match[str] | None, state: _State, rule: Mapping[str, Any] | None = None
) -> None:
    """Apply the choice that was made about a line; ask where none was."""
    asked = grammar()["asks"][name]["choices"]
    chosen = next((choice for choice in asked if choice["name"] in state.answers), None)
    if name == "maybe" and found is not None and rule is not None:
        _put(line, found, rule, state)
        line.status = "maybe"
        return
    if chosen is None:
        says = tuple(
            choice["says"] if found is None else _template(choice["says"], found) for choice in asked
        )
        ways = {choice["name"]: (line.raw.strip(), None) for choice in asked}
        msg = f"{state.where}, line {line.number}"
        raise AmbiguousError(msg, line.raw.strip(), says, "choose with read", ways)
    if "section" in chosen:
        _begin_section(chosen["section"], line, state)
        return
    line.status = chosen.get("status", line.status)
    if rule is not None and "takes" in chosen:
        line.status = rule.get("status", line.status)
    if found is not None and "put" in chosen:
        if "best" in chosen:
            line.text = f"{found[1]} {rank_weight(found[2], chosen['best'])}"
        elif "less" in chosen:
            line.text = f"{found[1]} {chosen['less'] - float(found[2] or found[3]):g}"
        elif "scaled" in chosen:
            line.text = f"{line.text[: found.start()]}{found[1]}{_scaled(found, state):g}"
        elif "middle" in chosen:
            line.text = f"{found[1]} {(int(found[2] or found[4]) + int(found[3] or found[5])) / 2:g}"
        else:
            line.text = (
                line.text[: found.start()] + _template(chosen["put"], found) + line.text[found.end() :]
            ).strip()
        line.changed = True


def _scaled(found: re.Match[str], state: _State) -> float:
    """Return a mark such as ``4/5`` on the largest scale of the text."""
    largest = max(int(name[2:]) for name in ("of5", "of10", "of20", "of100") if state.counts[name])
    return float(found[2].replace(",", ".")) * largest / int(found[3])


_SIGNED = {"": 0, "+": 30, "-": -30, "–": -30, "−": -30}


def rank_weight(words: str, best: int) -> int:
    """Return a weight for ``Gold 2``: 100 a rank, 20 a division; without a division the middle one.

    A grade, ``A+``, is 100 above the next, and 30 more or less with a sign.
    """
    if words.isdigit():
        return 20 * (50 - int(words) if best == 1 else int(words))
    grades: list[str] = grammar()["grades"]
    if words[0].lower() in grades and words[1:] in _SIGNED:
        return 100 * (grades.index(words[0].lower()) + 1) + _SIGNED[words[1:]]
    rank, _, division = words.lower().strip().partition(" ")
    letters = re.sub("[0-9].*", "", rank)
    place: int = grammar()["divisions"].index(division.strip() or rank[len(letters) :] or "3") % 5 + 1
    ranks: list[str] = grammar()["ranks"]
    letters = grammar()["rank_aliases"].get(letters, letters)
    return 100 * (ranks.index(letters) + 1) + 20 * (5 - place if best == 1 else place - 1)


def cell_context(cells: Sequence[str], where: str, answers: frozenset[str]) -> _State:
    """Return what the cells of a column have in common, by which :func:`cell_status` judges one of them.

    Of more rows than a paste has lines, only what strikes a name through is looked at.
    """
    tidy = [_UNSEEN.sub("", cell).translate(_WIDE).strip() for cell in cells]
    filled = [at for at, cell in enumerate(tidy) if cell]
    if len(tidy) > grammar()["most_lines"]:
        return _State(where, answers, 0, {}, frozenset(), -1)
    return _state(tidy, filled, _matched(tidy, filled), where, answers, 0)


def cell_weights(
    cells: Sequence[tuple[int, str]], where: str, answers: frozenset[str]
) -> tuple[list[str], list[tuple[int, str]]]:
    """Return what a column of weights says, read as behind a name in a list, and what is left out.

    Parameters
    ----------
    cells : sequence of (int, str)
        Each with the number of its line.
    where : str
        What messages call the source.
    answers : frozenset of str
        The choices that are made.

    Raises
    ------
    AmbiguousError
        If a mark can mean two things, and no choice says which.

    Examples
    --------
    >>> cell_weights([(2, "8/10"), (3, "7/10"), (4, "6")], "here", frozenset())[0]
    ['8', '7', '6']
    >>> cell_weights([(2, "★★★☆☆"), (3, "1500 ±50")], "here", frozenset())
    (['3', '1500'], [(3, '±50')])
    """
    lines = [_Line(number, cell, f"{_BEARER} {cell.strip()}") for number, cell in cells]
    state = cell_context([line.text for line in lines], where, answers)
    for line in lines if state.total else ():
        line.text = _UNSEEN.sub("", line.text).translate(_WIDE)
        _read_cell(line, state, ("weight",))
    notes = [(line.number, note) for line in lines for note in line.notes]
    return [line.text[len(_BEARER) :].strip() for line in lines], notes


#: The name behind which a cell with a weight is read.
_BEARER = "n"


def cell_status(name: str, replies: Sequence[str], number: int, state: _State) -> tuple[str, str]:
    """Return a name in a table without the marks beside it, and whether that player comes.

    Parameters
    ----------
    name : str
        The cell with the name.
    replies : sequence of str
        The cells of columns that say who comes.
    number : int
        The number of the line.
    state : _State
        What :func:`cell_context` has returned.
    """
    line = _Line(number, name, _UNSEEN.sub("", name).translate(_WIDE).strip())
    if _PLAIN_NAME.fullmatch(line.text):
        line.text = name.strip()
    else:
        _read_cell(line, state, (True, "list"))
        line.text = (_MARK.sub("", line.text) if state.total else "") or line.text
    for cell in replies:
        line.status = reply_of(cell) or line.status
    if line.status == "maybe":
        _ask("maybe", line, None, state)
    return line.text, line.status


def _read_cell(line: _Line, state: _State, kinds: tuple[object, ...]) -> None:
    """Apply the rules for a kind of cells: those for every text, and those that lines have in common."""
    for rule in grammar()["rules"]:
        kind = rule.get("cell")
        if kind not in kinds or not (kind is True or (state.total and _holds(rule, line, state))):
            continue
        if (found := _found(rule["find"], line.text)) is None:
            continue
        if "ask" in rule:
            _ask(rule["ask"], line, found, state, rule)
        else:
            _put(line, found, rule, state)
            line.status = rule.get("status", line.status)
        if line.status in ("out", "maybe") and not rule.get("all"):
            break


#: A name that no rule for cells looks at, and what stands around one that says no more than that it is there.
_PLAIN_NAME = re.compile(r"\w+")
_MARK = re.compile(r"^(?:[-*•–—▪◦‣·●○]\s+)?(?:\[[xX✓]\]\s*)?|\s*[✅✔☑👍]\ufe0f?$")


def is_word(words: str, text: str) -> bool:
    """Tell whether a title or a cell of a table is one of the grammar's words."""
    pattern = grammar()["attendance"] if words == "attendance" else grammar()["titles"][words]
    return _found(pattern, text) is not None


def reply_of(text: str) -> str:
    """Return what an answer says, ``in``, ``out``, ``maybe`` or ``late``; nothing where it is none."""
    return next(
        (status for status, pattern in grammar()["replies"].items() if text and _found(pattern, text)), ""
    )


def asked_choice(
    name: str, at: str, text: str, answers: frozenset[str], found: re.Match[str] | None = None
) -> dict[str, Any]:
    """Return the choice that was made about a text.

    Raises
    ------
    AmbiguousError
        If none was.
    """
    asked: list[dict[str, Any]] = grammar()["asks"][name]["choices"]
    for choice in asked:
        if choice["name"] in answers:
            return choice
    ways = {choice["name"]: (text, None) for choice in asked}
    says = tuple(choice["says"] if found is None else _template(choice["says"], found) for choice in asked)
    raise AmbiguousError(at, text, says, "choose with read", ways)


def _unnumber(lines: Sequence[_Line]) -> None:
    """Take the numbers off ``1 Amber``, ``2 Birch`` where they count below one heading or below all."""
    coming = [line for line in lines if line.block and line.status in ("in", "late")]
    blocks = {line.block for line in coming}
    for below in [coming, *([line for line in coming if line.block == block] for block in blocks)]:
        found = [_NUMBERED.match(line.text) for line in below]
        if all(one and int(one[1]) == n for n, one in enumerate(found, start=1)):
            for line, one in zip(below, found, strict=True):
                line.text, line.changed = one[2] if one else line.text, True
            if below is coming:
                return


def _names(text: str) -> list[str]:
    """Return the names in a line of those who do not come, or come late."""
    parts = re.split(r"\s*[,;+]\s*", text)
    bare = (_compiled(grammar()["lead"]).sub("", part.strip(), count=1) for part in parts)
    return [
        short(name) if len(name) > 200 else name
        for one in bare
        if (name := _STRUCK.sub("", _compiled(grammar()["weight"]).sub("", one)).strip('"* '))
    ]
