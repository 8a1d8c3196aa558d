"""Spanish words for time."""

from memory.engine.dates.languages.units import UNITS
from memory.engine.dates.lexicon import Lexicon, Sort

SPANISH = Lexicon("es", trimesters=True, adjective_last=True, bare_weekday=False)

SPANISH.table(
    Sort.MONTH,
    {
        **{1: "enero, ene", 2: "febrero, feb", 3: "marzo", 6: "junio", 7: "julio", 8: "agosto"},
        **{9: "septiembre, setiembre", 10: "octubre", 11: "noviembre", 12: "diciembre"},
    },
)
SPANISH.table(
    Sort.MONTH_WEAK,
    {
        3: "mar",
        4: "abril, abr",
        5: "mayo",
        6: "jun",
        7: "jul",
        8: "ago",
        9: "sep, sept",
        10: "oct",
        11: "nov",
        12: "dic",
    },
)
SPANISH.table(
    Sort.WEEKDAY,
    dict(enumerate(("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"))),
)
SPANISH.table(
    Sort.DAY,
    {-2: "anteayer, antes de ayer, antier", -1: "ayer", 0: "hoy", 1: "mañana", 2: "pasado mañana"},
)
SPANISH.table(
    Sort.DAYPART,
    {
        612: "mañana, por la mañana, en la mañana, de la mañana",
        1219: "tarde, por la tarde, en la tarde, de la tarde",
        1924: "noche, por la noche, en la noche, de la noche",
    },
)
SPANISH.table(Sort.NIGHT, {-1: "anoche", 0: "esta noche"})
for unit, forms in {
    "minute": "minuto{?s}",
    "hour": "hora{?s}",
    "day": "día{?s}",
    "week": "semana{?s}",
    "fortnight": "quincena{?s}",
    "weekend": "fin de semana, fines de semana, finde",
    "month": "mes, meses",
    "quarter": "trimestre{?s}",
    "year": "año{?s}",
}.items():
    SPANISH.add(Sort.UNIT, forms, UNITS.index(unit))
SPANISH.table(
    Sort.NUMBER,
    {
        **{1: "un, una, uno", 2: "dos, un par de", 3: "tres", 4: "cuatro", 5: "cinco", 6: "seis", 7: "siete"},
        **{8: "ocho", 9: "nueve", 10: "diez", 11: "once", 12: "doce", 13: "trece", 14: "catorce", 15: "quince"},
        **{20: "veinte", 30: "treinta", 60: "sesenta"},
    },
)
SPANISH.table(Sort.FEW, {4: "unos, unas, algunos, algunas, varios, varias, unos pocos, unos cuantos"})
SPANISH.table(
    Sort.ORDINAL,
    {1: "primer, primero, primera", 2: "segundo, segunda", 3: "tercer, tercero, tercera", 4: "cuarto, cuarta"},
)
SPANISH.table(
    Sort.SHIFT,
    {
        -1: "pasado, pasada, anterior",
        0: "este, esta, ese, esa",
        1: "próximo, próxima, siguiente",
    },
)
SPANISH.table(
    Sort.SHIFT_BACK,
    {
        -2: "antepasado, antepasada",
        -1: "pasado, pasada, anterior",
        0: "actual, en curso",
        1: "próximo, próxima, que viene, siguiente, entrante",
    },
)
SPANISH.table(
    Sort.ROLLING,
    {
        -1: "último, última, últimos, últimas, pasados, pasadas",
        1: "próximo, próxima, próximos, próximas",
    },
)
SPANISH.table(Sort.ROLLING_ONE, {-1: "último, última"})
SPANISH.table(Sort.ROLLING_BACK, {-1: "últimos, últimas, pasados, pasadas", 1: "próximos, próximas, siguientes"})
SPANISH.add(Sort.AGO_FRONT, "hace, hace como, hace unos, hace casi")
SPANISH.add(Sort.AGO, "atrás")
SPANISH.add(Sort.HENCE_FRONT, "dentro de, de aquí a")
SPANISH.add(Sort.BEFORE, "antes de, antes del, previo a, previo al, anterior a, anterior al")
SPANISH.add(Sort.AFTER, "después de, después del, tras, tras el, posterior a, posterior al")
SPANISH.add(Sort.SINCE, "desde, desde el, a partir de, a partir del")
SPANISH.add(Sort.UNTIL, "hasta, hasta el, hasta finales de")
SPANISH.add(Sort.AROUND, "alrededor de, alrededor del, hacia, hacia el, cerca de, cerca del, sobre el, en torno al")
SPANISH.add(Sort.BETWEEN, "entre")
SPANISH.add(Sort.FROM, "de, del, desde, desde el")
SPANISH.add(Sort.TO, "a, al, hasta, hasta el")
SPANISH.add(Sort.AND, "y, e, o")
SPANISH.add(Sort.ONWARD, "en adelante")
SPANISH.add(Sort.IN, "en, durante, en el mes de, durante el mes de, a lo largo de, en el, en los, en las")
SPANISH.add(Sort.ON, "el")
SPANISH.add(Sort.FOR, "para")
SPANISH.add(Sort.OF, "de, del, de el, de la")
SPANISH.add(Sort.ARTICLE, "el, la, los, las")
SPANISH.table(
    Sort.PART,
    {
        0: "a principios de, principios de, a comienzos de, comienzos de, inicios de, a inicios de, a principios del"
        ", principios del, a comienzos del, al principio de, al inicio de, al inicio del",
        1: "a mediados de, mediados de, a mediados del, mediados del",
        2: "a finales de, finales de, a fines de, fines de, al final de, a finales del, finales del, a fines del"
        ", al final del, final de",
    },
)
SPANISH.table(
    Sort.HALF,
    {0: "primera mitad de, la primera mitad de", 1: "segunda mitad de, la segunda mitad de"},
)
SPANISH.table(Sort.SEASON, {3: "primavera", 6: "verano", 9: "otoño", 12: "invierno"})
SPANISH.add(Sort.YEAR_MARK, "año, el año")
SPANISH.add(Sort.WEEK_MARK, "semana")
SPANISH.add(Sort.EVERY, "cada, todos los, todas las, todo el")
SPANISH.add(Sort.AHEAD, "voy, va a, vamos, previsto, prevista, tendré, haré, será, hay que")
SPANISH.add(
    Sort.GENERIC,
    "qué, que, cuál, cuáles, quién, cuándo, cómo, fue, fueron, es, son, era, hubo, hay, hice, hizo, hicimos, pasó"
    ", pasaba, ocurrió, sucedió, dije, dijo, dijimos, yo, nosotros, mi, mis, me, nos, se, lo, la, el, los, las, de, del"
    ", en, a, al, un, una, muestra, lista, busca, dame, todo, todos, todas, nota, notas, recuerdo, recuerdos, entrada"
    ", entradas, evento, eventos, diario, recuerda, recuérdame, con, y, o, resumen, nuevo, hablamos, escribí, he, hemos"
    ", hecho, sobre, para",
)
SPANISH.add(Sort.TITLE, "error, versión, modelo, sala, puerto, código")
