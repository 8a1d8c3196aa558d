"""English words for time."""

from memory.engine.dates.languages.units import UNITS
from memory.engine.dates.lexicon import Lexicon, Sort

ENGLISH = Lexicon("en", month_first=True, capitals=True, bare_month=True, seasons=True)

ENGLISH.table(
    Sort.MONTH,
    {1: "january", 2: "february", 7: "july", 9: "september", 10: "october", 11: "november", 12: "december"},
)
ENGLISH.table(
    Sort.MONTH_WEAK,
    {
        **{1: "jan", 2: "feb", 3: "march, mar", 4: "april, apr", 5: "may", 6: "june, jun", 7: "jul"},
        **{8: "august, aug", 9: "sep, sept", 10: "oct", 11: "nov", 12: "dec"},
    },
)
ENGLISH.table(
    Sort.WEEKDAY,
    dict(enumerate(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))),
)
ENGLISH.table(
    Sort.WEEKDAY_SHORT,
    dict(enumerate(("mon", "tue, tues", "wed, weds", "thu, thur, thurs", "fri", "sat", "sun"))),
)
ENGLISH.table(
    Sort.DAY,
    {
        -2: "day before yesterday, the day before yesterday",
        -1: "yesterday",
        0: "today",
        1: "tomorrow",
        2: "day after tomorrow, the day after tomorrow",
    },
)
ENGLISH.table(
    Sort.DAYPART,
    {612: "morning", 1217: "afternoon", 1724: "evening"},
)
ENGLISH.table(Sort.NIGHT, {-1: "last night", 0: "tonight", 1: "night"})
for at, unit in enumerate(UNITS):
    ENGLISH.add(Sort.UNIT, f"{unit}{{?s}}", at)
ENGLISH.add(Sort.UNIT, "week end{?s}", UNITS.index("weekend"))
ENGLISH.table(
    Sort.NUMBER,
    {
        **{1: "one, a, an", 2: "two, a couple of, couple of, couple", 3: "three", 4: "four", 5: "five", 6: "six"},
        **{7: "seven", 8: "eight", 9: "nine", 10: "ten", 11: "eleven", 12: "twelve, a dozen", 13: "thirteen"},
        **{14: "fourteen", 15: "fifteen", 16: "sixteen", 18: "eighteen", 20: "twenty", 24: "twenty four"},
        **{30: "thirty", 40: "forty", 50: "fifty", 60: "sixty", 90: "ninety", 100: "a hundred, one hundred"},
    },
)
ENGLISH.table(Sort.FEW, {4: "a few, few, several, some"})
ENGLISH.table(
    Sort.ORDINAL,
    {
        **{1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", 6: "sixth", 7: "seventh", 8: "eighth"},
        **{9: "ninth", 10: "tenth", 11: "eleventh", 12: "twelfth", 13: "thirteenth", 14: "fourteenth"},
        **{15: "fifteenth", 16: "sixteenth", 17: "seventeenth", 18: "eighteenth", 19: "nineteenth"},
        **{20: "twentieth", 21: "twenty first", 22: "twenty second", 23: "twenty third", 24: "twenty fourth"},
        **{25: "twenty fifth", 26: "twenty sixth", 27: "twenty seventh", 28: "twenty eighth"},
        **{29: "twenty ninth", 30: "thirtieth", 31: "thirty first"},
    },
)
ENGLISH.table(
    Sort.SHIFT, {-1: "last, previous, this past, past", 0: "this, current", 1: "next, coming, upcoming, this coming"}
)
ENGLISH.table(Sort.SHIFT_BACK, {-2: "before last", 2: "after next"})
ENGLISH.table(Sort.ROLLING, {-1: "last, past, previous, preceding", 1: "next, coming, following"})
ENGLISH.table(
    Sort.ROLLING_ONE,
    {
        -1: "in the last, over the last, during the last, within the last, in the past, over the past, during the past"
        ", within the past, for the past, for the last, the past, past, this past, in the previous",
        1: "in the next, over the next, during the next, within the next, in the coming, over the coming",
    },
)
ENGLISH.add(Sort.AGO, "ago")
ENGLISH.add(Sort.HENCE, "from now, from today, hence")
ENGLISH.add(Sort.BEFORE, "before, prior to, earlier than, ahead of, pre")
ENGLISH.add(Sort.AFTER, "after, later than, following, post")
ENGLISH.add(Sort.SINCE, "since, ever since, starting, starting on, starting in, starting from, on or after")
ENGLISH.add(Sort.UNTIL, "until, till, up to, up until, by, no later than, through, on or before")
ENGLISH.add(Sort.AROUND, "around, about, circa, approximately, roughly, close to, near, at around, on or about")
ENGLISH.add(Sort.ABOUT, "about")
ENGLISH.add(Sort.BETWEEN, "between")
ENGLISH.add(Sort.FROM, "from")
ENGLISH.add(Sort.TO, "to, until, till, through, up to, thru")
ENGLISH.add(Sort.AND, "and, or")
ENGLISH.add(Sort.ONWARD, "onwards, onward, on, and later, or later, and after, forward")
ENGLISH.add(Sort.IN, "in, during, within, throughout, over, back in, sometime in, as of, dated, in the month of")
ENGLISH.add(Sort.ON, "on, at")
ENGLISH.add(Sort.FOR, "for")
ENGLISH.add(Sort.OF, "of, in, on")
ENGLISH.add(Sort.ARTICLE, "the")
ENGLISH.table(
    Sort.PART,
    {
        0: "early, the beginning of, beginning of, the start of, start of, the early part of, the beginning in",
        1: "mid, middle of, the middle of, the mid",
        2: "late, the end of, end of, the late part of",
    },
)
ENGLISH.table(
    Sort.HALF, {0: "first half of, the first half of", 1: "second half of, the second half of, latter half of"}
)
ENGLISH.table(Sort.SEASON, {3: "spring", 6: "summer", 9: "autumn, fall", 12: "winter"})
ENGLISH.add(Sort.YEAR_MARK, "year, the year")
ENGLISH.add(Sort.WEEK_MARK, "week, calendar week, iso week, cw, kw")
ENGLISH.add(Sort.EVERY, "every, each, most, all, any, other, per")
ENGLISH.add(
    Sort.AHEAD,
    "will, upcoming, going to, scheduled, due, i 'll, shall, coming up, planned for",
)
ENGLISH.add(
    Sort.GENERIC,
    "what, which, who, when, how, did, do, does, done, doing, was, were, is, are, am, be, been, had, have, has, i, we"
    ", you, they, it, he, she, my, our, your, me, us, them, happened, happen, happening, happens, occurred, said, say"
    ", mentioned, go, going, went, there, show, list, tell, find, get, give, anything, everything, something, all, any"
    ", note, notes, memory, memories, entry, entries, event, events, thing, things, stuff, diary, journal, remember"
    ", recall, remembered, the, a, an, about, of, to, from, on, in, at, for, that, this, please, summary, summarize"
    ", summarise, recap, new, with, and, or, talk, talked, discuss, discussed, written, wrote, stored, recorded"
    ", would, could, can, will, up, s, d, ve, ll, schedule, agenda, calendar, day, time",
)
ENGLISH.add(
    Sort.TITLE,
    "black, good, casual, ash, fat, super, palm, easter, bloody, cyber, freaky, giving, red, ruby, happy, blue, shrove"
    ", maundy, holy, error, version, model, port, code, status, windows, office, room, build, release, issue, ticket",
)
