"""What an error is about, by whole words: "Latest failure" is no test."""

from __future__ import annotations

import re

GENERAL = "general"

_WORDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "security",
        ("xss", "csrf", "unauthorized", "unauthorised", "forbidden", "certificate", "tls", "ssl",
         "authentication", "authorization", "credential", "credentials", "jwt", "permission"),
    ),
    (
        "integration",
        ("http", "https", "fetch", "axios", "cors", "webhook", "database", "postgres", "postgresql",
         "mysql", "mongodb", "redis", "supabase", "prisma", "econnrefused", "enotfound",
         "etimedout", "econnreset", "socket", "dns", "network", "connection"),
    ),
    (
        "test",
        ("test", "tests", "jest", "vitest", "mocha", "chai", "pytest", "unittest", "playwright",
         "cypress", "assertionerror", "assert", "expect", "expected", "fixture", "snapshot"),
    ),
    (
        "lint",
        ("lint", "eslint", "prettier", "stylelint", "ruff", "flake8", "pylint", "rubocop", "clippy",
         "checkstyle", "indentation"),
    ),
    (
        "build",
        ("build", "compile", "compiler", "compilation", "webpack", "vite", "esbuild", "rollup",
         "tsc", "typescript", "babel", "bundle", "cargo", "gradle", "maven", "make", "cmake", "link",
         "linker", "modulenotfounderror", "importerror", "npm", "pip", "module", "package"),
    ),
    (
        "runtime",
        ("typeerror", "referenceerror", "syntaxerror", "rangeerror", "keyerror", "valueerror",
         "attributeerror", "nameerror", "indexerror", "exception", "panic", "segmentation", "null",
         "undefined", "crash", "crashed", "traceback", "stack", "enoent", "eacces"),
    ),
)  # fmt: skip
KINDS = (*(kind for kind, _ in _WORDS), GENERAL)
_WORD = re.compile(r"[^\W_]+")
_CODE = re.compile(r"\b(?:TS\d{3,5}|E\d{4})\b")


def kind_of(message: str, command: str = "") -> str:
    """One of `KINDS`: what the error says decides before what was run."""
    if _CODE.search(message):
        return "build"
    for text in (message, command):
        words = set(_WORD.findall(text.lower()))
        for kind, signs in _WORDS:
            if not words.isdisjoint(signs):
                return kind
    return GENERAL
