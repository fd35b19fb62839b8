"""What a command ends with when it does not succeed."""


class Refusal(Exception):
    """One sentence for the model, in the words that the tool's documentation uses."""
