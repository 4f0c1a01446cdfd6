"""The lines of a paste without what surrounds the names: bullets, list numbers, mentions, comments, ticks.

Lines are cut into cells here, and weights are read; what the lines mean is found in
:mod:`equipoise.files.pasted_names`.  Regular expressions are compiled when they are first used: those for
everything that people paste take longer to compile than a plain roster takes to read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, NoReturn, cast

from equipoise.core.plain_data import JOINED, column_of, fail, number_of, short
from equipoise.errors import AmbiguousError


class _Pattern:
    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        """Compile, and be as quick as the compiled one from then on."""
        compiled = re.compile(self._text, self._flags)
        for method in ("search", "match", "fullmatch", "sub", "finditer", "split"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return what stands for a compiled regular expression.

    Examples
    --------
    >>> pattern("[0-9]+").sub("n", "a1b22")
    'anbn'
    """
    return cast("re.Pattern[str]", _Pattern(text, flags))


#: The plainest line with a weight, ``1500 Amber``: a roster may have a million of them.
PLAIN = pattern(r"((?!0\d)\d{1,15}(?:\.\d+)?) ([^\W\d][\w'-]*(?: [^\W\d][\w'-]*)*)")

#: A number as people write one: ``1500``, ``12.5``, ``12,5``, ``1'500``, ``1,234.5``, ``1.2k``, ``7e1``.
NUMBER = r"(?:\+?(?:\d+(?:[.,'’\u202f\u00a0]\d+)*\.?|\.\d+)(?:[eE][+-]?\d+|[kK])?)"
UNIT = r"(?:\s*(?:elo|mmr|sr|pts?|points?|rating|lp|rp)\.?)?"
LABEL = r"(?:rating|elo|mmr|skill|sr|rank|points|level|weight)\s*(?:[:=]\s*|\s)"
IS_NUMBER = pattern(rf"(?:{LABEL})?{NUMBER}{UNIT}", re.IGNORECASE)

#: Characters of a line, some hundred players: the time to read one grows with the square of them.
MOST_LINE = 5000

#: Signs that are not seen; the joiners inside emoji and Persian or Indic words are part of the name.
_UNSEEN = pattern(
    f"[\u200b\u200e\u200f\u2060-\u2064\u2066-\u2069\u202a-\u202e\ufeff\u00ad]|(?!{JOINED})[\u200c\u200d]"
)
_SPACES = pattern("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\v\f]")
_BULLET = pattern(
    r"(?:[-*•–—▪◦‣·●○■□➤➜►▶→>~]|\+(?=\s))\s+(?:\[[ xX✓]?\]\s*)?|[•▪◦‣●○■□➤➜►▶]\s*|\[[ xX✓]?\]\s+"
)
_LIST_NUMBER = pattern(
    "(?:([0-9]{1,4})[.)](?![0-9])\\s*|([0-9]{1,4})[-–]\\s+|\\(([0-9]{1,4})\\)\\s+|#([0-9]{1,4})[.):]?\\s+|([0-9])\ufe0f?\u20e3\\s*)"
)
_COMMENT = pattern(r"(?:^|(?<=\s))(?:#(?![0-9])|#(?=\s*$)|//\s).*$")
_TICK = pattern("\\s*[✅✔☑👍\ufe0f]+$|^[✅✔☑]\ufe0f?\\s*")
_HEADING = pattern(
    r"(?:team|squad|group|lobby)(?: ?(?:[0-9]{1,2}|[A-Za-z]))?|players|names|@everyone|@here", re.IGNORECASE
)
#: Who wrote a message, as Discord puts it above the message.
_SENDER = pattern(
    r"(.{1,60}?)\s+—\s+(?:(?:[^\W\d]+ at )?|\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? )"
    r"\d{1,2}:\d{2}(?:\s*[AaPp][Mm])?"
)
_MENTION = pattern(r"(?<!\w)@~?(?=[^\W\d_])")
_EMPHASIS = pattern(r"(\*\*|\*|`)(?=\S)(.+?)(?<=\S)\1")
#: A quoted name; quotes within a name, as in ``Amber "The Wall" Stone``, are part of it.
_QUOTED = pattern(
    r"(?<![^\s,;|+/(])(?:\"((?:[^\"]|\"\")+)\"|“([^”]+)”|«\s*([^»]+?)\s*»|„([^“”]+)[“”])"
    r"(?=\s*(?:$|[,;:=|+/#\d(\[-]))"
)
_CHAT = pattern(
    r"\[?(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s+)?\d{1,2}:\d{2}(?::\d{2})?(?:\s*[AaPp]\.?[Mm]\.?)?"
    r"(?:,\s*\d{1,4}[./-]\d{1,2}[./-]\d{1,4})?\]?\s*[-–]?\s*"
    r"([^:\n]{1,60}):\s*(.*)"
)
#: What people answer in a chat to say that they play.
_COMES = pattern(
    r"(?:\+|\+1|in|i'?m in|me|me too|yes|yep|y|ok|x|here|count me in|👍|✅|✋|🙋)[.! ]*", re.IGNORECASE
)
#: What programs print for numbers that are none, or write in other ways than people do.
_NO_WEIGHT = pattern(r"(?:[+-]?(?:nan|inf(?:inity)?)|0x[0-9a-f]+|[0-9]+(?:_[0-9]+)+)(?=\s)", re.IGNORECASE)
_NEGATIVE = pattern(r"(?:^|(?<=[\s,;:=]))-(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?=[\s,;]|$)")
#: A number with a comma in it before a name: ``12,5 Amber``.
_COMMA_LEADS = pattern(r"(\d+),(\d+)\s+[^\W\d]")
#: A plus sign before a number and a name: ``+1 Amber``.
_PLUS_LEADS = pattern(r"\+(\d+)\s+([^\W\d].*)")
#: What is no name: a time, an address, somebody who may not come, and an answer behind a colon.
_TIME = pattern(
    r"(?:^|\s)(?:\d{1,2}:\d{2}(?:\s?[ap]\.?m\.?)?|\d{1,2}\s?(?:[ap]\.?m\.?|uhr|h))$", re.IGNORECASE
)
_ADDRESS = pattern(r"[a-z]+://", re.IGNORECASE)
_UNSURE = pattern(r"\((?:maybe|tentative|unsure|not sure|out|no|\?+)\)$|[^\W\d]\?$", re.IGNORECASE)
_ANSWER = pattern(r"(?!\d+:)([^:]{1,60}):\s+(\D+)")
#: Numbers with a point, with a point and a comma, with a decimal comma, and with a point before three digits.
_POINT, _BOTH = pattern(r"\d\.\d"), pattern(r"\d\.\d{3},\d")
_COMMA = pattern(r"(?<![A-Za-z_\d])\d+,\d{1,2}(?!\d)|\d\.\d{3},\d")
_GROUPED = pattern(r"(?<![\d.,])([1-9]\d{0,2})\.(\d{3})(?![\d.,])")
#: What stands for a quoted name, comma or slash and all, until the line has been cut.
HELD = "\ue000"


class PasteLine(NamedTuple):
    """A line that names somebody, without what surrounds the names."""

    number: int
    text: str
    held: tuple[str, ...]
    #: The number in a list, None where there is none; a mark such as ``1.`` leaves no doubt.
    listed: int | None
    #: Whether a bullet or a list's number stood before it.
    marked: bool = False

    @property
    def shown(self) -> str:
        """The line as messages quote it."""
        return shown(self.text, self.held)


def shown(text: str, held: Sequence[str]) -> str:
    """Return a text as messages quote it, with the quotes of the names that were put aside."""
    return named(text, [f'"{name}"' for name in held])


def lines_of(text: str, where: str) -> Iterator[PasteLine]:
    """Yield the lines that name somebody, without what surrounds the names."""
    sender = ""
    for number, raw in enumerate(text.split("\n"), start=1):
        if len(raw) > MOST_LINE:
            msg = f"it has {len(raw)} characters; a line may have {MOST_LINE}: write one player a line"
            fail(f"{where}, line {number}", msg)
        if raw.strip().startswith("```"):
            continue
        if PLAIN.fullmatch(raw):
            yield PasteLine(number, raw, (), None)
            continue
        line, held = unquoted(_SPACES.sub(" ", _UNSEEN.sub("", _grouped(raw))))
        line = _COMMENT.sub("", line).strip()
        at = f"{where}, line {number}"
        if not line:
            continue
        line, sender = _who(line, sender, at, raw)
        listed, rest = _unlisted(line)
        marked, line = rest != line, rest
        line = _TICK.sub("", line).strip()
        if not line:  # a free slot of a numbered list
            continue
        if (line.endswith(":") or _HEADING.fullmatch(line)) and not held:
            fail(at, f"{short(line)} looks like a heading; put # before a line that names nobody")
        if _asks(line) and not held:
            fail(at, f"{short(line)} looks like a sentence; put # before a line that names nobody")
        line = _MENTION.sub(
            "", re.sub(r"(?<=[^\s,;+/|&:=-])\s+(?=@~?[^\W\d_]|<@[!&]?\d+>)", ", ", _EMPHASIS.sub(r"\2", line))
        )
        yield PasteLine(number, line, held, listed, marked)


def _asks(line: str) -> bool:
    """Tell whether a line is a question to everyone, as ``who is in tonight?``."""
    return line.endswith("?") and len(line.split()) > 2


def _grouped(raw: str) -> str:
    """Write spaces that group digits as apostrophes, minus signs and decimal signs in ASCII."""
    raw = re.sub(r"(?<=\d)٫(?=\d)", ".", re.sub(r"(?<=\d)٬(?=\d)", "'", raw))
    return re.sub("(?<!\\S)−(?=[0-9])", "-", re.sub("(?<=[0-9])[\u202f\u00a0](?=[0-9]{3})", "'", raw))


def unquoted(line: str) -> tuple[str, tuple[str, ...]]:
    """Put quoted names aside, so that nothing in them cuts the line."""
    held: list[str] = []

    def keep(match: re.Match[str]) -> str:
        held.append(next(group for group in match.groups() if group).replace('""', '"'))
        return f"{HELD}{len(held) - 1}{HELD}"

    return _QUOTED.sub(keep, line), tuple(held)


def named(text: str, held: Sequence[str]) -> str:
    """Return a text with the quoted names where they stood."""
    return re.sub(f"{HELD}(\\d+){HELD}", lambda match: held[int(match[1])], text).strip() if held else text


def _unlisted(line: str) -> tuple[int | None, str]:
    """Take a bullet and a list's number off a line."""
    bullet = _BULLET.match(line)
    if bullet and line[bullet.end() :].strip():
        line = line[bullet.end() :].lstrip()
    elif bullet and not line[bullet.end() :].strip():
        return None, ""
    mark = _LIST_NUMBER.match(line)
    if mark is None:
        return None, line
    return int(next(group for group in mark.groups() if group)), line[mark.end() :]


def _who(line: str, above: str, at: str, raw: str) -> tuple[str, str]:
    """Return whom a line names, nobody where it is a message, and whose message the next line is."""
    head = _SENDER.fullmatch(line)
    if head is not None:
        return head[1], head[1]
    if not above:
        return _sender(line, at, raw), ""
    if _COMES.fullmatch(line):
        return "", above
    raise _doubtful_message(above, line, at, raw)


def _sender(line: str, at: str, raw: str) -> str:
    """Return who wrote a line of a chat's record, where the message says no more than that they play."""
    chat = _CHAT.fullmatch(line)
    if chat is None:
        return line
    sender, message = chat[1].strip(), chat[2].strip()
    if _COMES.fullmatch(message):
        return sender
    raise _doubtful_message(sender, message, at, raw)


def _doubtful_message(sender: str, message: str, at: str, raw: str) -> AmbiguousError:
    """Return what is wrong with a message that does not say in a word that its sender plays."""
    return AmbiguousError(
        at, raw.strip(), (f"{short(sender)} plays", f"{short(message)} plays"),
        "leave the names alone, one a line",
    )  # fmt: skip


def check_list_numbers(lines: Sequence[PasteLine], where: str) -> None:
    """Refuse marks such as ``1500.`` that do not count up: they may be weights."""
    before = 0
    for line in lines:
        if line.listed is None:
            continue
        if line.listed > len(lines) + 100 or (line.listed < before and line.listed > 1):
            readings = (f"{line.listed} is a number of a list", f"{line.listed} is the weight")
            at, text = f"{where}, line {line.number}", f"{line.listed}. {line.text}"
            raise AmbiguousError(at, text, readings,
                                 "write weights without a full stop behind them")  # fmt: skip
        before = line.listed


def check_header(lines: Sequence[PasteLine], where: str) -> None:
    """Refuse ``Spieler;Punkte`` and ``Name  Elo`` above players: columns that nobody can know."""
    rows = [cells_of(line.text) for line in lines]
    words = lines[0].text.split() if len(rows) > 1 and len(rows[0]) == 1 else []
    if len(words) > 1 and all(column_of(word) for word in words):
        fail(f"{where}, line {lines[0].number}",
             f"{short(lines[0].shown)} looks like a header; separate its columns, and the cells below, "
             "by commas, semicolons or tabs")  # fmt: skip
    if len(rows) < 2 or len(rows[0]) < 2 or re.search(r"\d", lines[0].text):
        return
    numbers = [sum(IS_NUMBER.fullmatch(cell) is not None for cell in row) for row in rows[1:]]
    if {len(row) for row in rows} == {len(rows[0])} and set(numbers) == {1}:
        fail(f"{where}, line {lines[0].number}",
             f"{short(lines[0].shown)} looks like a header that is not known; "
             "write one such as 'name,weight', or put # before it")  # fmt: skip


def check_weight(line: PasteLine, at: str) -> None:
    """``Amber -5`` and ``nan Amber``: no weight, and hardly a name."""
    negative = _NEGATIVE.search(line.text)
    if negative:
        fail(at, f"the weight must be at least 0, got {negative[0]} (a column 'mu' may be negative)")
    odd = _NO_WEIGHT.match(line.text)
    if odd:
        fail(
            at,
            f"weight {odd[0]!r} is not a number; numbers look like 42 or 3.5 (quote a name that begins so)",
        )


def check_beginning(line: PasteLine, at: str) -> None:
    """``12,5 Amber``: a decimal comma, or two cells; ``+1 Amber``: who plays, or a weight."""
    comma, plus = _COMMA_LEADS.match(line.text), _PLUS_LEADS.match(line.text)
    if comma:
        weight = f"{comma[1]}.{comma[2]}"
        readings = (f"a weight of {weight}", f"a weight of {comma[1]} and a name that begins with {comma[2]}")
        raise AmbiguousError(at, line.shown, readings, f"write the weight as {weight}, or after the name")
    if plus:
        readings = (f"{short(named(plus[2], line.held))} plays", f"a weight of {plus[1]}")
        raise AmbiguousError(at, line.shown, readings, "leave the plus sign out, or the number too")


def plain_name(text: str) -> str:
    """Return a name without signs that are not seen, the at sign of a mention, and what makes it bold."""
    return _MENTION.sub("", _EMPHASIS.sub(r"\2", _SPACES.sub(" ", _UNSEEN.sub("", text)).strip()))


def cells_of(text: str) -> list[str]:
    """Cut a line at tabs, else at semicolons, else at commas; a comma inside a number is none of these."""
    text = text.replace("؛", ";")
    for separator in ("\t", ";"):
        if separator in text:
            cells = text.split(separator)
            break
    else:
        if "," not in text and not re.search("[，、،]", text):
            return [text]
        # "Amber,1500" is two cells, "Amber 12,5" is one: a comma between digits cuts only where no space is.
        decimal = re.search(r"\s[0-9][0-9.]*,[0-9]", text)
        within = r"(?<![0-9]),|,(?![0-9])|[，、،]" if decimal else r"[,，、،]"
        cells = re.split(within, text)
    while len(cells) > 1 and not cells[-1].strip():
        cells.pop()
    return [cell.strip() for cell in cells]


def is_open(text: str) -> bool:
    """Tell whether a text opens a bracket that it does not close, or closes one that it did not open."""
    return any(text.count(opening) != text.count(closing) for opening, closing in ("[]", "{}", "()"))


def weight_of(text: str, at: str, line: str, field: str = "weight") -> float:
    """Return a number as people write it; one that may have grouped digits or decimals is not guessed."""
    bare = re.sub(rf"^{LABEL}|{UNIT}$", "", text.strip(), flags=re.IGNORECASE)
    digits = re.sub(r"['’]", "", bare)
    factor = 1000.0 if digits[-1:] in "kK" else 1.0
    digits = digits.rstrip("kK")
    if "," in digits and "." in digits:
        last = max(digits.rfind(","), digits.rfind("."))
        digits = re.sub("[.,]", "", digits[:last]) + "." + digits[last + 1 :]
    elif digits.count(",") > 1 or digits.count(".") > 1:
        if not re.fullmatch(r"\d{1,3}([.,]\d{3})+", digits):
            fail(at, f"{field} {text!r} is not a number; numbers look like 42 or 3.5")
        digits = re.sub("[.,]", "", digits)
    elif re.fullmatch(r"[1-9]\d{0,2},\d{3}", digits):
        whole, decimal = digits.replace(",", ""), digits.replace(",", ".")
        raise AmbiguousError(
            at, line, (f"a {field} of {whole}", f"a {field} of {decimal}"), f"write {whole} or {decimal}"
        )
    else:
        digits = digits.replace(",", ".")
    return factor * number_of(digits, field, at)


def parts_of(cell: str) -> list[str]:
    """Cut ``Amber + Birch`` and ``Amber/Birch`` into players; ``C++`` and ``10/10`` stay whole."""
    parts = [part.strip() for part in re.split(r"\s*\+\s*|\s*(?<!<)/\s*|\s+&\s+", cell)]
    if any(map(is_open, parts)):  # "Amber (she/her)"
        return [cell]
    if len(parts) > 1 and all(re.search(rf"[^\W\d_]|{HELD}", part) for part in parts):
        return parts
    return [cell]


def refuse_cells(cells: Sequence[str], line: PasteLine, at: str) -> NoReturn:
    """``Amber, 1500, 80``: more cells than a name and a weight."""
    fail(at, f"{short(line.shown)} has {len(cells)} cells, and it is not clear which is the weight; "
             "write 'name, weight' on a line each, or begin with a header such as 'name,weight'")  # fmt: skip


def refuse_shared_weight(line: PasteLine, at: str) -> NoReturn:
    """``Amber/Birch 1500``: one weight for two."""
    raise AmbiguousError(at, line.shown, ("the weight of each of them", "the weight of both together"),
                         "write a weight for each, as in 'Amber 1500 + Birch 1400'")  # fmt: skip


def refuse_points(places: Sequence[tuple[str, str]], *, doubtful: bool) -> None:
    """``1.500`` beside ``950``, ``12,5`` or semicolons: a decimal point, or a group of digits.

    Parameters
    ----------
    places : sequence of pairs of str
        Where each text stands, and the text: a line, or a cell with a number.
    doubtful : bool
        Whether there are whole numbers of 100 and above, or semicolons, as where commas are decimal signs.
    """
    pointed = [(at, text) for at, text in places if _POINT.search(text) and not _BOTH.search(text)]
    grouped = [_GROUPED.search(text) for _, text in pointed]
    if not pointed or not all(grouped):  # with other decimals about, a point is a point
        return
    (at, text), found = pointed[0], grouped[0]
    if found is not None and (doubtful or any(_COMMA.search(each) for _, each in places)):
        readings = (f"a weight of {found[1]}{found[2]}", f"a weight of {found[0]}")
        raise AmbiguousError(at, text, readings, f"write {found[1]}{found[2]} or {float(found[0]):g}")


def check_name(name: str, line: PasteLine, at: str) -> None:
    """``Amber - 15:30``, ``Amber: yes``, ``Amber (maybe)`` and an address: no name, or not one who plays."""
    if _TIME.search(line.text):
        fail(at, f"{short(line.shown)} has a time in it; write the name alone, or a name and a weight")
    if _ADDRESS.match(name):
        fail(at, f"{short(line.shown)} looks like an address; write the name of the player")
    if _UNSURE.search(name):
        readings = ("somebody who plays", "somebody who may not")
        raise AmbiguousError(at, line.shown, readings, "write the name alone, or delete the line")
    answer = _ANSWER.fullmatch(name)
    if answer:
        both = (f"{short(answer[1])} plays", f"{short(answer[2])} plays", "one player")
        raise AmbiguousError(at, line.shown, both, "write the names alone, one a line")
