"""What may go wrong where the parts meet, told to a person."""

from __future__ import annotations


class ServiceError(Exception):
    """One clear sentence about what is wrong, and one about what to do."""

    def __init__(self, sentence: str, remedy: str) -> None:
        super().__init__(f"{sentence} {remedy}".strip())
        self.sentence = sentence
        self.remedy = remedy
