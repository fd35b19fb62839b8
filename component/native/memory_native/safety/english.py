"""The English families of the sanitizer, written for normalised text.

Families and severities are reference.md section 5; the spellings within a family
are wider. Two families beyond it, ``leak`` and ``hide``, only warn.
"""

from typing import Final

from memory_native.safety.compounds import ASSISTANT, SYSTEM, USER
from memory_native.safety.decision import Severity
from memory_native.safety.rules import EDGE, END, GAP, any_of, rule, words


_C, _H, _M = Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM

_IGNORE: Final = "ignore;disregard;forget"
_ORDER_ANCHORS: Final = (
    "instruction;prompt;guideline;directive;programming;safeguard;guardrail;restriction"
)

_DROP: Final = any_of("ignore disregard forget")
_EVADE: Final = (
    rf"(?:override|bypass|discard|neglect|overlook|abandon|(?:stop|quit){GAP}(?:following|obeying)"
    rf"|(?:not|n't){GAP}(?:follow|obey))"
)
_FILL: Final = rf"(?:{any_of('of the your my our these those this that any and to about')}{GAP})*+"
_ALL: Final = any_of("all any every each everything anything")
_SHARE: Final = rf"(?:(?:{_ALL}|of){GAP})*+"
_ARTICLE: Final = rf"(?:{any_of('my the these those')}{GAP})?+"
_EARLIER: Final = any_of("previous prior above earlier preceding foregoing")
_KIND: Final = (
    rf"(?:{any_of('system safety security developer original initial other existing current hidden')}"
    rf"{GAP})?+"
)
_ORDERS: Final = (
    r"(?:instruct(?:ion)?s?|prompts?|directions?|directives?|guidelines?|rules?|commands?|orders?"
    r"|messages?|context|conversations?|constraints?|restrictions?|polic(?:y|ies)|programming"
    r"|training|safeguards?|guardrails?)"
)
_OWN_ORDERS: Final = (
    r"(?:instructions?|prompts?|directives?|guidelines?|programming|safeguards?|guardrails?"
    r"|restrictions?)"
)
_TOLD: Final = (
    rf"(?:above|before|prior|you{GAP}(?:were|have{GAP}been|'ve{GAP}been){GAP}told"
    rf"|i{GAP}(?:said|told{GAP}you))"
)
_HABIT: Final = r"\b(?:i|he|she|we|they|people|users?|always|often|usually|never|would|might)[ ]"
_OTHERS: Final = r"\b(?!you\b)\w+[ ](?:will|would|can|may|could)[ ]"
_LABEL: Final = r"[\s*_`\"'\])>]*+:"

_OVERRIDE: Final = (
    rule("override", _C, _IGNORE, words(_DROP, _ALL, f"{_FILL}{_KIND}{_EARLIER}")),
    rule("override", _H, "ignore", words("ignore", rf"{_FILL}previous")),
    rule(
        "override",
        _H,
        _IGNORE,
        words(_DROP, rf"(?:{_ALL}{GAP})?+{_FILL}{_EARLIER}", f"{_KIND}{_ORDERS}"),
    ),
    rule(
        "override",
        _H,
        _IGNORE,
        words(_DROP, f"{_SHARE}your", rf"(?:{_EARLIER}{GAP})?+{_KIND}{_ORDERS}"),
    ),
    rule("override", _H, _IGNORE, words(_DROP, rf"(?:{_ALL}|what|whatever)", _TOLD)),
    rule("override", _H, "ignore;disregard", words(any_of("ignore disregard"), "the", "above")),
    rule("override", _H, "forget", words("forget", "everything"), veto=_HABIT),
    rule(
        "override",
        _H,
        _ORDER_ANCHORS,
        words(
            f"(?:{_DROP}|{_EVADE})",
            rf"{_SHARE}(?:your{GAP}(?:{_EARLIER}{GAP})?+"
            rf"|{_ARTICLE}(?:{_EARLIER}|{any_of('system safety developer original')}){GAP})",
            f"{_KIND}{_OWN_ORDERS}",
        ),
        before=96,
    ),
    rule("override", _M, "disregard", words("disregard")),
)

_IDENTITY: Final = (
    rule(
        "identity",
        _H,
        "now",
        words(r"you(?:'re|\s*+are|\s*+will)", r"now(?!\s(?:able|ready|on)\b)"),
        before=24,
    ),
    rule("identity", _H, "from now on", words("from now on", "you", "are")),
    rule(
        "identity",
        _M,
        "from now on",
        words("from now on", "you", any_of("will must act answer respond")),
    ),
    rule("identity", _M, "act", rf"{EDGE}act\s++as{END}", veto=_OTHERS),
    rule("identity", _M, "pretend", words("pretend", "to", "be")),
    rule("identity", _M, "pretend", words("pretend", "(?:that)?+", "you", any_of("are have"))),
    rule("identity", _M, "play as", words("role", "play as"), before=8),
    rule(
        "identity",
        _M,
        "do anything now;developer mode",
        words(
            "(?:do anything now|developer mode)",
            rf"(?:is{GAP})?+(?:enabled|activated|active|on[:.!,]|you)",
        ),
    ),
)

_NEW_ORDERS: Final = (
    rule(
        "orders",
        _H,
        "instructions;directives",
        words(any_of("new updated"), "(?:system)?+", "(?:instructions|directives)")
        + r"(?!\s(?:for|about|on)\s(?!you|all|(?:the|this|any|every)?\s?(?:assistant|ai|model|agent)))",
        before=32,
    ),
)

_SPEAKER: Final = (
    rule("role", _C, "system", rf"{EDGE}system{_LABEL}", veto=SYSTEM),
    rule("role", _H, "assistant", rf"{EDGE}assistant{_LABEL}", veto=ASSISTANT),
    rule("role", _H, "user", rf"{EDGE}user{_LABEL}(?![a-z0-9_$/{{])", veto=USER),
    rule("role", _H, "```", rf"```+\s*+system{END}"),
)

_TEMPLATE: Final = (
    rule("token", _C, "<|", r"<\|(?:[a-z_/]|[^\n]{0,40}?\|>)"),
    rule("token", _C, "|>", r"(?<=[a-z0-9_])\|>"),
    rule("token", _C, "inst]", r"\[\s*+/?\s*+inst\]", before=8),
    rule("token", _C, "inst ", r"\[\s*+/?\s*+inst\s++\]", before=8),
    rule("token", _C, "<sys;</sys", r"</?(?:system|system_prompt|sys)\s*+>"),
    rule("token", _C, "\0", r"\x00"),
)

_CODE: Final = (
    rule("code", _H, "eval;exec", rf"{EDGE}(?:eval|exec)\(", veto=r"(?<!os)(?<!builtins)\."),
    rule("code", _H, "eval;exec", rf"{EDGE}(?:eval|exec)\s++\((?:[\"'`]|[\w.]+\()"),
    rule("code", _M, "sudo", rf"```+\s*+(?:bash|sh|shell|zsh){END}[^`]*?\bsudo\b", before=400),
    rule("code", _M, "base64", r"base64[:\s]\s*+[a-z0-9+/=]{50}"),
)

_BEYOND: Final = (
    rule(
        "leak",
        _M,
        "prompt;instruction",
        words(
            any_of("reveal print output show repeat leak expose display disclose"),
            rf"(?:{any_of('me us out back the your full entire complete exact verbatim')}{GAP})*+"
            rf"{any_of('system initial hidden original secret')}",
            "(?:prompts?|instructions?)",
        ),
        before=80,
    ),
    rule(
        "leak",
        _M,
        "http://;https://;attacker;@",
        rf"{EDGE}{any_of('send forward email post upload exfiltrate transmit')}\b[^\n]*?"
        rf"{EDGE}(?:passwords?|credentials?|secrets?|(?:api|private) keys?|chat history|conversations?)"
        r"\b[^\n]*?\bto\b[^\n]{0,40}?(?:https?://|attacker|\w@\w)",
        before=200,
    ),
    rule(
        "hide",
        _M,
        "the user",
        rf"(?:not|n't|never|without)\s++(?:ever\s++)?+{any_of('tell inform notify alert mention reveal show')}"
        rf"(?:ing)?+\b[^\n.]{{0,40}}?\bthe user{END}",
        before=64,
    ),
)

ENGLISH: Final = (
    *_OVERRIDE,
    *_IDENTITY,
    *_NEW_ORDERS,
    *_SPEAKER,
    *_TEMPLATE,
    *_CODE,
    *_BEYOND,
)
