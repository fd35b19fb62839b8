"""Words that carry grammar rather than content, and words that carry time or person.

Every table is in the form a lookup sees: lower case, without accents or apostrophes. English and
Chinese only (retrieval.md section 8 names the gap).
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH = _words(
    """
    a about above after again against all also am an and any are arent as at be because been before
    being below between both but by can cannot cant could couldnt did didnt do does doesnt doing
    done dont down during each either else ever every few for from further get gets getting got had
    hadnt has hasnt have havent having he her here hers herself him himself his how i if im
    in into is isnt it its itself ive just let lets like many me might more most much must my myself
    neither nor not now of off on once only or other ought our ours ourselves out over own per quite
    rather same shall she should shouldnt since so some something such than that the their theirs
    them themselves then there these they thing things this those through to too under until up upon
    us very was wasnt we were werent what when where whether which while who whom whose why will
    with wont would wouldnt yes yet you your yours yourself yourselves
    """
)

HAN_CHARACTERS = frozenset("的了是在我你他她它们这那有和就不也都很吗呢吧啊哦呀么什个与及或被把为之")

FIRST_PERSON = _words("i im ive my me mine we our ours us")
FIRST_PERSON_HAN = frozenset("我咱俺")

TEMPORAL = _words(
    """
    yesterday today tonight tomorrow last next ago recently since monday tuesday wednesday thursday
    friday saturday sunday january february march april june july august september october november
    december weekend week weeks month months year years day days morning afternoon evening night
    """
)
TEMPORAL_HAN = (
    "昨天",
    "今天",
    "明天",
    "前天",
    "后天",
    "上周",
    "下周",
    "去年",
    "今年",
    "明年",
    "月",
    "号",
    "日",
)

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
MONTH_ABBREVIATIONS = {
    "jan": "january",
    "feb": "february",
    "mar": "march",
    "apr": "april",
    "jun": "june",
    "jul": "july",
    "aug": "august",
    "sep": "september",
    "sept": "september",
    "oct": "october",
    "nov": "november",
    "dec": "december",
}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
