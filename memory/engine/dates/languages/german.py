"""German words for time."""

from memory.engine.dates.languages.units import UNITS
from memory.engine.dates.lexicon import Lexicon, Sort

GERMAN = Lexicon("de", capitals=True, bare_month=True)
_ADJECTIVE = "{e er es en em}"

GERMAN.table(
    Sort.MONTH,
    {
        **{1: "januar{?s}, jänner{?s}", 2: "februar{?s}, feber", 3: "märz, maerz", 4: "april{?s}", 6: "juni{?s}"},
        **{7: "juli{?s}", 8: "august{?s}", 9: "september{?s}", 10: "oktober{?s}", 11: "november{?s}"},
        **{12: "dezember{?s}"},
    },
)
GERMAN.table(
    Sort.MONTH_WEAK,
    {
        **{1: "jan", 2: "feb", 3: "mär, mrz", 4: "apr", 5: "mai", 6: "jun", 7: "jul", 8: "aug"},
        **{9: "sep, sept", 10: "okt", 11: "nov", 12: "dez"},
    },
)
GERMAN.table(
    Sort.WEEKDAY,
    {
        **{0: "montag{?s}", 1: "dienstag{?s}", 2: "mittwoch{?s}", 3: "donnerstag{?s}", 4: "freitag{?s}"},
        **{5: "samstag{?s}, sonnabend{?s}", 6: "sonntag{?s}"},
    },
)
GERMAN.table(
    Sort.DAY,
    {
        **{-3: "vorvorgestern", -2: "vorgestern", -1: "gestern", 0: "heute", 1: "morgen"},
        **{2: "übermorgen, uebermorgen"},
    },
)
GERMAN.table(
    Sort.DAYPART,
    {609: "früh, frueh", 612: "morgen, vormittag", 1114: "mittag", 1217: "nachmittag", 1724: "abend"},
)
GERMAN.table(Sort.NIGHT, {-1: "letzte nacht, vergangene nacht", 0: "heute nacht", 1: "nacht"})
for unit, forms in {
    "minute": "minute{?n}",
    "hour": "stunde{?n}",
    "day": "tag{?e es en s}",
    "week": "woche{?n}",
    "weekend": "wochenende{?s n}",
    "month": "monat{?e en s es}",
    "quarter": "quartal{?e en s}",
    "year": "jahr{?e en es s}",
}.items():
    GERMAN.add(Sort.UNIT, forms, UNITS.index(unit))
GERMAN.table(
    Sort.NUMBER,
    {
        **{1: "ein, eine, einem, einer, einen", 2: "zwei, ein paar wenigen", 3: "drei", 4: "vier", 5: "fünf, fuenf"},
        **{6: "sechs", 7: "sieben", 8: "acht", 9: "neun", 10: "zehn", 11: "elf", 12: "zwölf, zwoelf"},
        **{13: "dreizehn", 14: "vierzehn", 15: "fünfzehn", 20: "zwanzig", 30: "dreißig", 60: "sechzig", 90: "neunzig"},
    },
)
GERMAN.table(Sort.FEW, {4: "einigen, ein paar, paar, wenigen, einige, mehreren"})
GERMAN.table(
    Sort.ORDINAL,
    {
        **{1: "erst{e er es en}", 2: "zweit{e er es en}", 3: "dritt{e er es en}", 4: "viert{e er es en}"},
        **{5: "fünft{e er es en}", 6: "sechst{e er es en}", 7: "siebt{e er es en}", 8: "acht{e er es en}"},
        **{9: "neunt{e er es en}", 10: "zehnt{e er es en}"},
    },
)
GERMAN.table(
    Sort.SHIFT,
    {
        -2: f"vorletzt{_ADJECTIVE}",
        -1: f"letzt{_ADJECTIVE}, vorig{_ADJECTIVE}, vergangen{_ADJECTIVE}",
        0: f"dies{_ADJECTIVE}, laufend{_ADJECTIVE}, heurig{_ADJECTIVE}",
        1: f"nächst{_ADJECTIVE}, naechst{_ADJECTIVE}, kommend{_ADJECTIVE}",
        2: f"übernächst{_ADJECTIVE}",
    },
)
GERMAN.table(
    Sort.ROLLING,
    {
        -1: f"letzt{_ADJECTIVE}, vergangen{_ADJECTIVE}, vorig{_ADJECTIVE}",
        1: f"nächst{_ADJECTIVE}, naechst{_ADJECTIVE}, kommend{_ADJECTIVE}",
    },
)
GERMAN.table(
    Sort.ROLLING_ONE,
    {-1: "innerhalb der letzten, innerhalb des letzten", 1: "innerhalb der nächsten, innerhalb des nächsten"},
)
GERMAN.add(Sort.AGO_FRONT, "vor, vor etwa, vor ungefähr, vor rund, vor ca, vor circa")
GERMAN.add(Sort.HENCE_FRONT, "in")
GERMAN.add(Sort.BEFORE, "vor, bevor")
GERMAN.add(Sort.AFTER, "nach")
GERMAN.add(Sort.SINCE, "seit, ab")
GERMAN.add(Sort.UNTIL, "bis, bis zu, bis zum, bis zur, spätestens, bis ende")
GERMAN.add(Sort.AROUND, "um, gegen, ungefähr, etwa, circa, ca, rund um, um den, ungefähr am, etwa am")
GERMAN.add(Sort.BETWEEN, "zwischen")
GERMAN.add(Sort.FROM, "von, vom")
GERMAN.add(Sort.TO, "bis, bis zum, bis zu, bis zur, bis ende")
GERMAN.add(Sort.AND, "und, oder")
GERMAN.add(Sort.ONWARD, "an, ab")
GERMAN.add(Sort.IN, "in, im, während, innerhalb, im monat, im laufe, im verlauf, im jahr, im jahre")
GERMAN.add(Sort.ON, "am, an, zum")
GERMAN.add(Sort.FOR, "für")
GERMAN.add(Sort.OF, "im, in, des, der, vom, von, am, dem")
GERMAN.add(Sort.ARTICLE, "der, die, das, dem, den, des")
GERMAN.table(
    Sort.PART,
    {
        0: "anfang, früh im, zu beginn des, zu beginn, beginn, anfang des, zu anfang, am anfang des",
        1: "mitte, mitte des, in der mitte des",
        2: "ende, spät im, ende des, am ende des, gegen ende, gegen ende des",
    },
)
GERMAN.table(
    Sort.HALF,
    {
        0: "erste hälfte, ersten hälfte, erste hälfte des, ersten hälfte des, erste jahreshälfte",
        1: "zweite hälfte, zweiten hälfte, zweite hälfte des, zweiten hälfte des",
    },
)
GERMAN.table(Sort.SEASON, {3: "frühling, frühjahr", 6: "sommer", 9: "herbst", 12: "winter"})
GERMAN.add(Sort.YEAR_MARK, "jahr, jahre, jahres")
GERMAN.add(Sort.WEEK_MARK, "kw, woche, kalenderwoche")
GERMAN.add(Sort.EVERY, f"jed{_ADJECTIVE}, alle, guten, immer")
GERMAN.add(Sort.AHEAD, "werde, wird, werden, wirst, steht an, geplant, anstehend, fällig, ansteht")
GERMAN.add(
    Sort.GENERIC,
    "was, welche, welcher, welches, wer, wann, wie, war, waren, ist, sind, gab, gibt, es, ich, wir, du, ihr, sie, er"
    ", habe, haben, hat, hatte, hatten, hast, habt, mein, meine, unser, unsere, mir, uns, passiert, passierte, geschah"
    ", geschehen, gesagt, gemacht, getan, los, zeig, zeige, liste, such, finde, alles, etwas, alle, notiz, notizen"
    ", erinnerung, erinnerungen, eintrag, einträge, ereignis, ereignisse, tagebuch, erinnere, der, die, das, den, dem"
    ", von, vom, zu, zum, im, in, am, an, bitte, zusammenfassung, neues, neu, mit, und, oder, besprochen, geredet"
    ", aufgeschrieben, notiert, gespeichert, denn, so, tag, über",
)
GERMAN.add(Sort.TITLE, "fehler, version, modell, raum, ausgabe, schwarzer, blauer, grüner, port, code")
