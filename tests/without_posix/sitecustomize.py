"""Python without what Windows does not have: Python itself loads this where its folder is in PYTHONPATH."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from functools import partial

#: Modules, functions and signals that exist on POSIX only.
MODULES = ("fcntl", "resource", "termios", "grp")
FUNCTIONS = ("fork", "nice", "pread", "sched_getaffinity")
SIGNALS = ("SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM")
#: What a process of ours does without too, but pytest and its helpers need.
NOT_OF_TESTS = ("pwd", "uvloop"), ("getuid",), ("SIGKILL",)


def _no_handler(*arguments: object) -> None:
    """Refuse as the loops of Windows do."""
    raise NotImplementedError


def take_away(*, all_of_it: bool) -> None:
    """Take POSIX away from this process."""
    besides = NOT_OF_TESTS if all_of_it else ((), (), ())
    for name in (*MODULES, *besides[0]):
        sys.modules[name] = None  # type: ignore[assignment]  # as Python has it: importing it fails
    for place, names in ((os, (*FUNCTIONS, *besides[1])), (signal, (*SIGNALS, *besides[2]))):
        for name in names:
            if hasattr(place, name):
                delattr(place, name)
    if all_of_it:
        socket.socketpair = partial(socket.socketpair, socket.AF_UNIX)  # type: ignore[assignment]  # of loops here
        del socket.AF_UNIX
    asyncio.SelectorEventLoop.add_signal_handler = _no_handler  # type: ignore[method-assign]


if __name__ == "sitecustomize":
    take_away(all_of_it=True)
