"""What a person who waits should hear while it happens: the core tells it here, and the shell says it.

A list is empty unless a program puts a listener into it; nothing depends on whether there is one.
"""

from __future__ import annotations

from collections.abc import Callable

#: Called when a kernel begins to be compiled, with whether the result is kept for later processes.
compiling: list[Callable[[bool], None]] = []

#: Called before standard input is read.
waiting: list[Callable[[], None]] = []
