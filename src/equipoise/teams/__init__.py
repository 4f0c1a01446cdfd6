"""Teams for the players who are here now: the problem, its objectives, its solvers, and the answer.

:func:`equipoise.teams.balance.balance` is the door.  Behind it a roster becomes a
:class:`~equipoise.teams.problem.problem.Problem`, an
:class:`~equipoise.teams.objectives.objective.Objective` judges splits by their team totals alone, and a
solver finds the best ones with a proven bound.
"""
