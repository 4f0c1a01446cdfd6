"""The solvers by name, a file each; :data:`equipoise.core.registry.SOLVERS` lists them.

What two of them share is below: :mod:`equipoise.teams.solvers.meet_in_the_middle`,
:mod:`equipoise.teams.solvers.window`, :mod:`equipoise.teams.solvers.pairwise`.
"""
