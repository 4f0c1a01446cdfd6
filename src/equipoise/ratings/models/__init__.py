"""Rating models, one file each; they do not know one another.  See :mod:`equipoise.ratings.model`."""
