"""How this provider says no: a kind, a code, and the argument at fault."""


class Refusal(Exception):
    """Becomes the contract's ``failure``. *kind* is ``input``, ``operation`` or ``unavailable``.

    ``input`` blames the caller, ``operation`` the documents as they are. *code* is a word
    that the host has a sentence for; nobody ever sees a text of ours.
    """

    def __init__(self, kind: str, code: str, field: str | None = None) -> None:
        """Keep the three parts."""
        super().__init__(code)
        self.kind = kind
        self.code = code
        self.field = field


def unsupported() -> Refusal:
    """Return the refusal for what the contract has and this provider does not do."""
    return Refusal("operation", "unsupported")
