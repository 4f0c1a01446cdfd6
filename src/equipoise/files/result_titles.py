"""What the columns of results may be called, in English, German, French and Spanish; no row is read here."""

from __future__ import annotations

import re

#: Titles and the columns that they are.
TITLES = {
    title: column
    for column, titles in {
        "winner": "victor|won by|winning team|sieger|gewinner|gagnant|vainqueur|ganador|ganadora",
        "loser": "lost by|losing team|verlierer|perdant|perdedor|perdedora",
        "result": "outcome|ergebnis|résultat|resultat|resultado",
        "score": "final score|spielstand|endstand|marque|marcador|tanteo",
        "home": "home team|heim|heimteam|domicile|equipo local|local",
        "away": "away team|gast|gäste|auswärts|extérieur|visiteur|visitante",
        "date": "datum|fecha|jour|day|when|game date|match date|spieltag",
        "player": "players|spieler|spielerin|joueur|joueuse|jugador|jugadora",
        "team": "side|mannschaft|équipe|equipo",
        "map": "karte|carte|mapa",
    }.items()
    for title in titles.split("|")
}

#: What a team made, beside the name of a team.
MADE = frozenset(("score", "scores", "goals", "points", "pts", "tore", "buts", "goles", "puntos", "punkte"))

#: What says that nobody won.
DRAWN = frozenset(
    ("draw", "drawn", "tie", "tied", "unentschieden", "remis", "nul", "match nul", "égalité", "empate", "x")
)

_NUMBERED = re.compile(r"(.*?)[ _#]*(\d+|[a-d]?)")


def result_title(title: str) -> str:
    """Return what a column of results is called here.

    Examples
    --------
    >>> [result_title(each) for each in ("Sieger", "Player A", "Tore Heim", "away goals", "Red1")]
    ['winner', 'player1', 'score home', 'score away', 'red1']
    """
    text = " ".join(title.strip().lower().split())
    if text in TITLES:
        return TITLES[text]
    words = text.split(" ")
    made = next((word for word in words if word in MADE), None)
    if made is not None and len(words) > 1 and text.replace("_", " ") not in ("team score", "points score"):
        rest = " ".join(word for word in words if word != made)
        team = result_title(rest)
        return text if made == "score" and team == rest else f"score {team}"
    found = _NUMBERED.fullmatch(text)
    head, number = (found[1], found[2]) if found else (text, "")
    head = TITLES.get(head, head)
    if number.isalpha() and head == "player":
        number = str("abcd".index(number) + 1)
    plain = head in TITLES.values() and number and text not in TITLES.values()
    return f"{head}{' ' if number.isalpha() else ''}{number}" if plain else text


def are_results(titles: list[str]) -> bool:
    """Tell whether a table with these columns has results: two teams or players, and how it ended.

    Examples
    --------
    >>> are_results(["Team A", "Team B", "Score"]), are_results(["Player", "Team", "Score"])
    (True, False)
    """
    columns = [result_title(each) for each in titles]
    ended = any(each in ("score", "result", "winner") or each.startswith("score") for each in columns)
    teams = {each for each in columns if re.fullmatch(r"(?:player|team)[ _]?(?:\d+|[a-d])|home|away", each)}
    return ended and len(teams) > 1
