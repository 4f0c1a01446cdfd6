"""The kinds of page: a file each, with a ``KIND``; see :mod:`equipoise.pages.html.site`."""
