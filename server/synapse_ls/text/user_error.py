"""The error for a person that commands, queries and requests raise: a sentence and a remedy."""

from __future__ import annotations


class UserError(Exception):
    """An error told to a person: one clear sentence about what is wrong, and one about what
    to do.
    """

    def __init__(self, sentence: str, remedy: str = "") -> None:
        super().__init__(f"{sentence} {remedy}".strip())
        self.sentence = sentence
        self.remedy = remedy

    @classmethod
    def of_failure(cls, act: str, error: OSError, remedy: str) -> UserError:
        """Return that ``act`` is not possible, for the reason that the system gives."""
        return cls(f"Cannot {act}: {(error.strerror or str(error)).lower()}.", remedy)
