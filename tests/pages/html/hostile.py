"""Names that would break a page, a table or a picture that is written carelessly."""

from __future__ import annotations

#: Markup, quotes, templates, bidirectional and control signs, formulas, addresses, paths, and long ones.
HOSTILE = (
    "<script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "</title></style></script><script>document.title='owned'</script>",
    "'\"`&amp;${1+1}{{7*7}}{% raw %}",
    "\u202eevil\u202c\u2066\u200b",
    "\x1b[31mred\x07\x00",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "@SUM(A1)",
    "-2+3",
    "\t=1",
    "javascript:alert(1)",
    "../../etc/passwd",
    "con",
    "CON",
    "a\u0301" * 50,
    "\U0001f98a\u200d\U0001f525",
    "x" * 10_000,
)
