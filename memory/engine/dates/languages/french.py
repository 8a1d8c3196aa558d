"""French words for time."""

from memory.engine.dates.languages.units import UNITS
from memory.engine.dates.lexicon import Lexicon, Sort

FRENCH = Lexicon("fr", trimesters=True, unsure=frozenset({"hier", "an", "on", "or"}))

FRENCH.table(
    Sort.MONTH,
    {
        **{1: "janvier, janv", 2: "février, févr, fév", 4: "avril, avr", 6: "juin", 7: "juillet, juil"},
        **{8: "août", 9: "septembre", 10: "octobre", 11: "novembre", 12: "décembre, déc"},
    },
)
FRENCH.table(Sort.MONTH_WEAK, {3: "mars", 5: "mai", 9: "sept", 10: "oct", 11: "nov"})
FRENCH.table(
    Sort.WEEKDAY,
    dict(enumerate(("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"))),
)
FRENCH.table(
    Sort.DAY,
    {
        **{-2: "avant hier", -1: "hier", 0: "aujourd hui, aujourdhui", 1: "demain", 2: "après demain"},
    },
)
FRENCH.table(
    Sort.DAYPART,
    {612: "matin, au matin", 1218: "après midi", 1824: "soir, au soir, soirée"},
)
FRENCH.table(Sort.NIGHT, {-1: "la nuit dernière, cette nuit", 0: "ce soir"})
for unit, forms in {
    "minute": "minute{?s}",
    "hour": "heure{?s}",
    "day": "jour{?s}",
    "week": "semaine{?s}",
    "fortnight": "quinzaine{?s}",
    "weekend": "week end{?s}, weekend{?s}, fin de semaine",
    "month": "mois",
    "quarter": "trimestre{?s}",
    "year": "an, ans, année{?s}",
}.items():
    FRENCH.add(Sort.UNIT, forms, UNITS.index(unit))
FRENCH.table(
    Sort.NUMBER,
    {
        **{1: "un, une", 2: "deux", 3: "trois", 4: "quatre", 5: "cinq", 6: "six", 7: "sept", 8: "huit", 9: "neuf"},
        **{10: "dix", 11: "onze", 12: "douze", 13: "treize", 14: "quatorze", 15: "quinze", 20: "vingt"},
        **{30: "trente", 40: "quarante", 60: "soixante"},
    },
)
FRENCH.table(Sort.FEW, {4: "quelques, plusieurs"})
FRENCH.table(
    Sort.ORDINAL,
    {1: "premier, première", 2: "deuxième, second, seconde", 3: "troisième", 4: "quatrième"},
)
FRENCH.table(Sort.SHIFT, {0: "ce, cet, cette", 1: "prochain, prochaine"})
FRENCH.table(
    Sort.SHIFT_BACK,
    {
        -1: "dernier, dernière, passé, passée, derniers, dernières, précédent, précédente",
        0: "en cours, ci",
        1: "prochain, prochaine, suivant, suivante, qui vient",
    },
)
FRENCH.table(
    Sort.ROLLING,
    {
        -1: "dernier, dernière, derniers, dernières",
        1: "prochain, prochaine, prochains, prochaines",
    },
)
FRENCH.table(Sort.ROLLING_ONE, {-1: "dernier, dernière"})
FRENCH.table(Sort.ROLLING_BACK, {-1: "derniers, dernières, passés", 1: "prochains, prochaines"})
FRENCH.add(Sort.AGO_FRONT, "il y a, voici, voilà, il y a environ, ya, y a")
FRENCH.add(Sort.HENCE_FRONT, "dans, d ici")
FRENCH.add(Sort.HENCE, "plus tard")
FRENCH.add(Sort.BEFORE, "avant, avant le, avant la")
FRENCH.add(Sort.AFTER, "après, après le, après la")
FRENCH.add(Sort.SINCE, "depuis, depuis le, à partir du, à partir de, à compter du, dès le")
FRENCH.add(Sort.UNTIL, "jusqu au, jusqu à, jusqu en, jusqu, jusque")
FRENCH.add(Sort.AROUND, "vers, vers le, autour du, autour de, environ, aux alentours du, aux environs du")
FRENCH.add(Sort.BETWEEN, "entre")
FRENCH.add(Sort.FROM, "du, de, d, depuis")
FRENCH.add(Sort.TO, "au, à, jusqu au, jusqu à, jusqu en")
FRENCH.add(Sort.AND, "et, ou")
FRENCH.add(
    Sort.IN, "en, au mois de, au mois d, pendant, durant, courant, au cours de, au cours des, au, au cours du, dans"
)
FRENCH.add(Sort.ON, "le, au")
FRENCH.add(Sort.FOR, "pour")
FRENCH.add(Sort.OF, "de, d, du, l, de l, de la")
FRENCH.add(Sort.ARTICLE, "le, la, l, les, des, du, au, ces")
FRENCH.table(
    Sort.PART,
    {
        0: "début, au début de, au début du, début de, début du, en début de, au début d, le début de, le début du",
        1: "mi, à la mi, milieu de, milieu du, au milieu de, au milieu du, courant",
        2: "fin, à la fin de, à la fin du, fin de, fin du, en fin de, la fin de, la fin du, à la fin d",
    },
)
FRENCH.table(Sort.HALF, {0: "première moitié de, première moitié du", 1: "seconde moitié de, deuxième moitié de"})
FRENCH.table(Sort.SEASON, {3: "printemps", 6: "été", 9: "automne", 12: "hiver"})
FRENCH.add(Sort.YEAR_MARK, "année, an, l année")
FRENCH.add(Sort.WEEK_MARK, "semaine")
FRENCH.add(Sort.EVERY, "chaque, tous les, toutes les, tout, toute")
FRENCH.add(Sort.AHEAD, "vais, va, allons, prévu, prévue, aurai, aura, ferai, serai, à venir")
FRENCH.add(
    Sort.GENERIC,
    "qu, que, qui, quoi, quel, quelle, quels, quelles, quand, comment, est, ce, s, c, il, ils, elle, je, j, on, nous"
    ", tu, vous, ai, a, as, avons, avez, ont, était, étaient, sont, passé, passe, passait, arrivé, fait, dit, se, y"
    ", me, m, moi, montre, liste, trouve, tout, tous, toutes, note, notes, souvenir, souvenirs, entrée, entrées"
    ", événement, événements, évènements, journal, rappelle, le, la, les, l, de, des, du, d, à, au, en, un, une, avec"
    ", et, ou, résumé, nouveau, parlé, discuté, écrit, noté, t, mes, nos, mon, notre",
)
FRENCH.add(Sort.TITLE, "erreur, version, modèle, salle, port, code")
