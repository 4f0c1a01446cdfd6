"""The solvers by name, a file each; :data:`equipoise.registry.SOLVERS` lists them.

What two of them share is below: :mod:`equipoise.teams.halves`, :mod:`equipoise.teams.components`,
:mod:`equipoise.teams.moves`.
"""
