"""How players become teams and lobbies: one file a solver, registered in :mod:`equipoise.registry`.

A solver takes a :class:`~equipoise.lobbies.problem.LobbyTask` and returns a
:class:`~equipoise.lobbies.problem.Placed`; solvers do not know one another.
"""
