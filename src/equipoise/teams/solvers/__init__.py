"""The solvers by name, a file each; :data:`equipoise.registry.SOLVERS` lists them.

What two of them share is below: :mod:`equipoise.teams.solvers.meeting`,
:mod:`equipoise.teams.solvers.windows`, :mod:`equipoise.teams.solvers.pairwise`.
"""
