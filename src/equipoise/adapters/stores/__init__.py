"""Archives: matches that are kept once and for ever, and the ratings that follow from them.

:func:`equipoise.adapters.stores.archive.open_archive` is the door.
"""
