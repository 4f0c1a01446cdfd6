"""What is not installed is named when it is needed: the one place that says how to install it.

Teams are balanced, explained and verified with numpy and msgspec alone; everything else is loaded where it is
used.
"""

from __future__ import annotations

from collections.abc import Mapping
from sys import stdlib_module_names

from equipoise.errors import InputError

#: The extra of equipoise that has a package, by the name that it is imported by.
EXTRAS: Mapping[str, str] = {
    "polars": "parquet", "psycopg": "postgresql", "python_calamine": "spreadsheets", "ray": "cluster",
    "zstandard": "zstd",
}  # fmt: skip


def needs(package: str) -> str:
    """Return the words for a package that is needed and is not installed, with the command that installs it.

    Parameters
    ----------
    package : str
        The name that it is imported by.

    Examples
    --------
    >>> needs("highspy")
    'needs highspy, which is not installed: pip install highspy'
    >>> needs("python_calamine")
    "needs python-calamine, which is not installed: pip install 'equipoise[spreadsheets]'"
    """
    name = package.replace("_", "-")
    wanted = f"'equipoise[{EXTRAS[package]}]'" if package in EXTRAS else name
    return f"needs {name}, which is not installed: pip install {wanted}"


def missing(what: str, error: ModuleNotFoundError) -> InputError | None:
    """Return the error for what could not be imported; None where no other package is at fault.

    Parameters
    ----------
    what : str
        What the caller typed.
    error : ModuleNotFoundError
        How the import ended.

    Examples
    --------
    >>> str(missing("open_archive", ModuleNotFoundError(name="sqlalchemy.exc")))
    'open_archive needs sqlalchemy, which is not installed: pip install sqlalchemy'
    >>> missing("open_archive", ModuleNotFoundError(name="equipoise.nosuch")) is None
    True
    """
    package = (error.name or "").partition(".")[0]
    if not package or package == "equipoise" or package in stdlib_module_names:
        return None
    return InputError(f"{what} {needs(package)}")
