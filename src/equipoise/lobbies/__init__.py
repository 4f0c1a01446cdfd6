"""Players and parties into teams and lobbies: the problem, its solvers, its bounds, and the answer.

:func:`equipoise.lobbies.fill.fill` is the door.  Behind it players and rules become a
:class:`~equipoise.lobbies.problem.LobbyProblem`; a :class:`~equipoise.lobbies.layout.Layout` says how many
teams of which make-up each lobby gets; a solver chooses who is in them, with a proven bound.
"""
