"""A light English stemmer: one plural rule, one verb ending, one derivational ending.

A full Porter2 in Python costs 14 times as much per word and finds no more (retrieval.md section 0,
decision 4). The stem only has to be the same for related forms; it need not be a word.
"""

_VOWELS = frozenset("aeiouy")
_SHORTEST = 4  # words below this length are left alone
_SIBILANT_PLURALS = ("ches", "shes", "xes", "zes", "sses")
_VERB_ENDINGS = ("ing", "ed")
_KEEP_DOUBLED = frozenset("lsz")  # fall-ing, miss-ing, buzz-ing
_SUFFIXES = (
    "fulness", "ousness", "iveness", "ization", "isation", "ational", "ation", "ness", "ment",
    "able", "ible", "ful", "ive", "ion", "ity", "ist", "ism", "al", "ic", "ly", "er", "or",
)  # fmt: skip


def stem(word: str) -> str:
    """Return the stem of one lower-case ASCII *word*."""
    if len(word) < _SHORTEST:
        return word
    if word[-1] == "s":
        word = _singular(word)
    if word.endswith(_VERB_ENDINGS):
        word = _without_verb_ending(word)
    if word.endswith(_SUFFIXES):
        word = _without_suffix(word)
    return word[:-1] if len(word) >= _SHORTEST and word[-1] in "eiy" else word


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + ("y" if len(word) > _SHORTEST else "ie")
    if word.endswith(_SIBILANT_PLURALS):
        return word[:-2]
    if word[-2] in "su" or word.endswith("is"):  # status, Paris; the plurals are in `irregular`
        return word
    return word[:-1]


def _without_verb_ending(word: str) -> str:
    if len(word) <= _SHORTEST:
        return word
    if word.endswith("ied"):
        return word[:-3] + "y"
    for ending in _VERB_ENDINGS:
        if word.endswith(ending):
            return _verb_root(word, word[: -len(ending)])
    return word


def _verb_root(word: str, root: str) -> str:
    """Return *root*, or *word* when what is left could not be a verb (``sing``, ``bed``)."""
    if len(root) < 2 or _VOWELS.isdisjoint(root):  # noqa: PLR2004 - a root has two letters
        return word
    doubled = len(root) > 2 and root[-1] == root[-2] and root[-1] not in _KEEP_DOUBLED  # noqa: PLR2004
    return root[:-1] if doubled else root


def _without_suffix(word: str) -> str:
    if len(word) <= _SHORTEST:
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST:
            return word[: -len(suffix)]
    return word
