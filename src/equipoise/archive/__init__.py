"""Archives: matches that are kept once and for good, and the ratings that follow from them.

:func:`equipoise.archive.archive.open_archive` opens one.
"""
