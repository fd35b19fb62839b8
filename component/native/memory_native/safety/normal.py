"""Text as the sanitizer sees it: one spelling for everything that looks or reads alike.

Compatibility forms are decomposed, marks and invisible characters removed,
look-alikes of other alphabets and invisible tag letters mapped to the letter
they stand for, traditional Chinese mapped to simplified where a rule needs it,
case lowered, and letters spaced apart pulled together. The result is only ever
searched; it is never stored.
"""

import re
import unicodedata
from string import ascii_lowercase
from typing import Final


# ruff: noqa: RUF001 - look-alikes are the point of the tables
_LOOKALIKES: Final = (
    ("авсԁеһіӏјкмонрԛѕтуѵԝхг", "abcdehiljkmohpqstyvwxr"),  # Cyrillic
    ("АВСЕНІЈКМОРԚЅТУҮԜХ", "abcehijkmopqstyywx"),  # and its capitals
    ("αγεηικνορτυχω", "ayenikvoptuxw"),  # Greek
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abezhikmnoptyx"),  # and its capitals
    ("օոսհյցզ", "onuhjgq"),  # Armenian
    ("ıɑɡɩłøđŧħϳ", "iagilodthj"),  # Latin letters that do not decompose
    ("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz"),  # small capitals
    ("꞉։׃ː∶", ":::::"),  # colons
    ("ǀ∣│❘〈‹〉›ǃ", "||||<<>>!"),  # bars and angles
    ("’‘＇“”", "'''\"\""),  # quotes
)
_TRADITIONAL: Final = (
    "無視記規則設約統戶務過從現開說話內裝對輸顯訴們員導請為絕讓這當變執會條樣書與關釋舊聽實種稱發將擬單",
    "无视记规则设约统户务过从现开说话内装对输显诉们员导请为绝让这当变执会条样书与关释旧听实种称发将拟单",
)
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0001\U000e007f\U000e0100-\U000e01ef]"
)
_LETTER_BLOCKS: Final = (0x1F150, 0x1F170, 0x1F1E6)  # circled, squared, regional: 26 letters each
_TAGS: Final = range(0xE0020, 0xE007F)  # invisible copies of ASCII

_FOREIGN: Final = re.compile(r"[^\x00-\x7f][^A-Za-z\n]*")
_SHAPE: Final = bytes(
    ord("a" if chr(byte) in ascii_lowercase else " " if chr(byte) in " .-_*|" else "#")
    for byte in range(256)
)
_SPACED_SHAPE: Final = b"a a a a a"
_SPACED: Final = re.compile(r"(?<![a-z0-9])[a-z](?:[ .\-_*|][a-z]){2,}(?![a-z0-9])")
_HAN_SPACED: Final = re.compile("(?<=[\u3400-\u9fff])[ \t*_|.-]+(?=[\u3400-\u9fff])")


def normalise(text: str) -> str:
    """Return *text* in the one spelling that the rules are written in.

    Linear in the length of *text*. ASCII text, the common case, is only lowered
    and pulled together.
    """
    if text.isascii():
        return _pulled_together(text.lower())
    text = _FOREIGN.sub(lambda run: run[0].translate(_SPELLING), text).lower()
    return _pulled_together(_HAN_SPACED.sub("", text))


def _pulled_together(text: str) -> str:
    """Join letters that are spaced apart: ``i g n o r e`` is ``ignore``.

    Looks for the shape in one pass over bytes first, because nearly no text has it.
    """
    if _SPACED_SHAPE not in text.encode("ascii", "replace").translate(_SHAPE):
        return text
    return _SPACED.sub(lambda run: re.sub(r"[^a-z]", "", run[0]), text)


def _spelled() -> dict[int, str]:
    """Map every character that stands for another one."""
    pairs = (*_LOOKALIKES, _TRADITIONAL)
    table = {ord(a): b for odd, plain in pairs for a, b in zip(odd, plain, strict=True)}
    for base in _LETTER_BLOCKS:
        table |= {base + i: chr(ord("a") + i) for i in range(26)}
    return table | {code: chr(code - 0xE0000).lower() for code in _TAGS}


class _Spelling(dict[int, str]):
    """A translation table that works out a character when it is first met and remembers it."""

    def __missing__(self, code: int) -> str:
        spelled = "".join(map(_plain, unicodedata.normalize("NFKD", chr(code))))
        self[code] = spelled
        return spelled


def _plain(sign: str) -> str:
    if unicodedata.category(sign) in {"Mn", "Me"} or _INVISIBLE.match(sign):
        return ""
    if ord(sign) in _STANDS_FOR:
        return _STANDS_FOR[ord(sign)]
    small = unicodedata.normalize("NFKD", sign.lower())
    return small if small == sign else "".join(map(_plain, small))


_STANDS_FOR: Final = _spelled()
_SPELLING: Final = _Spelling(_STANDS_FOR)
