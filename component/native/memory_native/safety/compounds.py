"""Words before ``system:``, ``user:`` and ``assistant:`` that make an everyday label of it.

"Operating system:", "db user:" and "research assistant:" are notes, not speakers.
Patterns for a rule's veto: each must match right before the word.
"""

from typing import Final

from memory_native.safety.rules import any_of


_OWNERS: Final = "our my their his her its"
_ARTICLES: Final = "the this that a an"  # not before "system:": a message from the system is one
_SYSTEMS: Final = """
    operating file build design type solar nervous immune digestive control ticket ticketing payment
    payments alert alarm backup heating cooling sound stereo legacy production staging test school
    grading rating points numbering naming filing booking reservation reservations billing pricing
    accounting crm erp hr cms mail email chat logging monitoring deployment ci cd database db storage
    plugin module package init window audio video security entertainment home irrigation water
    sprinkler hvac metric coordinate unit units measurement support rewards buddy inventory warehouse
    scheduling rota rule rules config configuration auth authentication login permission permissions
    scoring target host embedded distributed recommendation expert information learning management
    review voting planning source main client customer user preferred primary quality tax legal two
    three dual single number phone office car bike decimal binary ranking reward feedback multi
    based like of"""
_USERS: Final = f"""{_ARTICLES}
    power end db database sudo ssh sftp github gitlab git slack login root unix linux admin super test
    primary current each per every guest demo aws iam smtp mysql postgres service system deploy api
    main default local remote new active for heavy vim emacs mac windows iphone android"""
_ASSISTANTS: Final = f"""{_ARTICLES}
    google research teaching personal executive virtual voice medical legal office sales shop dental
    physician lab laboratory admin administrative editorial production home coding code ai new"""


def _after(nouns: str, *, signs: str) -> str:
    return rf"(?:\b{any_of(f'{_OWNERS} {nouns}')}[ -]|{signs})"


SYSTEM: Final = _after(_SYSTEMS, signs=r"```\s*")
USER: Final = _after(_USERS, signs=r"[`/=]")
ASSISTANT: Final = _after(_ASSISTANTS, signs=r"[`/=]")
