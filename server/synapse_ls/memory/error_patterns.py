"""Normalize errors into patterns that repeated occurrences share, and classify them.

Variable parts are replaced by placeholders, in an order that matters: a UUID contains digits, a
path may contain a UUID, an address a path. What tells errors apart stays: codes such as ``TS2304``,
HTTP status, quoted names. The list is that of Chati.dev's gotchas ("UUID, e-mail, path, number"),
which replaces numbers first and so never finds a UUID. Kinds: security, integration, test, lint,
build, runtime.
"""

import re
from typing import NamedTuple

from synapse_ls.text.hidden_characters import ESCAPE_SEQUENCES
from synapse_ls.text.lazy_pattern import lazy_pattern

_PREFIX_WORDS = frozenset(("sudo", "time", "env", "nice", "npx", "exec", "command"))
_SETTING = lazy_pattern(r"[^\W\d]\w*=")
_CHAIN = lazy_pattern(r"(?:(?<!\s)\s+)?(?:&&|\|\||;|\n)\s*")
# What no name of a sub-command has; dots are a masked secret.
_NO_NAME = frozenset("/.\\\"'$|><;&()=*?{}[]`,@•")
_PREPARING_COMMANDS = frozenset(
    ("cd", "export", "set", "source", "echo", "pushd", "popd", "true", ".")
)
LONGEST_PROGRAM = 60


def command_program(command: str) -> str:
    """Return the program that a command line is about, with its sub-command: ``npm test``.

    What only prepares (a folder, a variable, ``sudo``) is passed over. "" for no command.
    """
    parts = [_simple_program(part) for part in _CHAIN.split(command.strip())[:20]]
    named = [part for part in parts if part]
    telling = (part for part in named if part.partition(" ")[0] not in _PREPARING_COMMANDS)
    return next(telling, named[0] if named else "")[:LONGEST_PROGRAM]


def _simple_program(command: str) -> str:
    words = command.split()
    # A setting of the environment stands before the program, too.
    while words and (words[0] in _PREFIX_WORDS or _SETTING.match(words[0])):
        del words[0]
    if not words:
        return ""
    name = words[0].strip("\"'").replace("\\", "/").rpartition("/")[2]
    if name in ("python", "python3", "node", "uv", "poetry", "pnpm", "yarn", "bun", "npm"):
        rest = [word for word in words[1:] if word not in ("-m", "run", "exec")]
    else:
        rest = words[1:]
    more = next(iter(rest), "")
    return f"{name} {more}" if more[:1].isalpha() and not set(more) & _NO_NAME else name


PATTERN_LENGTH = 200
MESSAGE_LENGTH = 160
_LONGEST_SCAN = 20_000  # characters of an error that are looked at

GENERAL_KIND = "general"

_KIND_WORDS: tuple[tuple[str, tuple[str, ...]], ...] = (
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
         "tsc", "typescript", "babel", "bundle", "cargo", "gradle", "maven", "make", "cmake",
         "link", "linker", "modulenotfounderror", "importerror", "npm", "pip", "module", "package"),
    ),
    (
        "runtime",
        ("typeerror", "referenceerror", "syntaxerror", "rangeerror", "keyerror", "valueerror",
         "attributeerror", "nameerror", "indexerror", "exception", "panic", "segmentation", "null",
         "undefined", "crash", "crashed", "traceback", "stack", "enoent", "eacces"),
    ),
)  # fmt: skip
_WORD_PATTERN = lazy_pattern(r"[^\W_]+")
_BUILD_ERROR_CODE = lazy_pattern(r"\b(?:TS\d{3,5}|E\d{4})\b")


class Replacement(NamedTuple):
    """One step that brings an error into its pattern: what it finds, by name, and the word for
    it.
    """

    name: str
    pattern: re.Pattern[str]
    word: str


REPLACEMENTS: tuple[Replacement, ...] = (
    Replacement("colour", lazy_pattern(ESCAPE_SEQUENCES), ""),
    Replacement(
        "time",
        lazy_pattern(
            r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?"
            r"|\b\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\b"
        ),
        "<time>",
    ),
    Replacement(
        "uuid",
        lazy_pattern(
            r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE
        ),
        "<uuid>",
    ),
    Replacement(
        "e-mail", lazy_pattern(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}\b"), "<e-mail>"
    ),
    Replacement(
        "address",
        lazy_pattern(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s\"'<>)\]]+", re.IGNORECASE),
        "<url>",
    ),
    Replacement(
        "path",
        lazy_pattern(
            r"(?<![\w<])[A-Za-z]:[\\/][^\s\"'<>|:*?]+"
            # what is behind a number was no path while that was there
            r"|(?<![\w/<])(?<!<n>)(?<!<hex>)(?<!<hash>)(?<!<path>)(?:~|\.{1,2})?/[\w.@+~-]+"
            r"(?:/[\w.@+~-]*)*|(?<![\w/<@.+-])[\w@+-][\w.@+-]*(?:/[\w.@+-]+)+\.\w{1,8}\b"
            r"|(?<![\w/<@.+-])[\w@+-][\w.@+-]*(?:/[\w.@+-]+){2,}"
        ),
        "<path>",
    ),
    Replacement("hexadecimal", lazy_pattern(r"\b0x[0-9a-f]+\b", re.IGNORECASE), "<hex>"),
    Replacement(
        "hash",
        lazy_pattern(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b", re.IGNORECASE),
        "<hash>",
    ),
    Replacement(
        "number",
        lazy_pattern(
            r"(?<![\w<.])(?<!http )(?<!http/)(?<!status )(?<!status: )(?<!status=)(?<!code )"
            r"[-+]?\d+(?:[.,:_]\d+)*(?=(?:ms|s|kb|mb|gb|b|px|%)?(?![\w]))",
            re.IGNORECASE,
        ),
        "<n>",
    ),
    Replacement("space", lazy_pattern(r"\s+"), " "),
)

_ERROR_LINE = lazy_pattern(
    r"^[ \t>|]{0,8}(?:\S{1,80}:\d+(?::\d+)?:?[ \t]+)?(?:"
    r"(?:uncaught |unhandled )?(?:[\w.$]{1,80}\.)?[A-Z]\w{0,60}(?:Error|Exception|Failure"
    r"|Warning)\b|(?:fatal|panic|error|erro|err!|e)(?:\[\w+\]|[ \t]+[A-Z]{1,4}\d+)?[ \t]*[:!]"
    r"|npm ERR!|FAILED?\b|failure:|✗|✕)",
    re.MULTILINE | re.IGNORECASE,
)
_ERROR_WORD = lazy_pattern(
    r"\b(?:error|failed|failure|cannot|can't|could not|unable|denied|refused|not found|no such"
    r"|undefined|unknown|invalid|timed? ?out|missing|unexpected"
    r"|erro|falhou|falha|não (?:foi|pôde|encontrad\w+|existe)|negad[oa]|inválid[oa])\b",
    re.IGNORECASE,
)
_TRACE = lazy_pattern(r"^Traceback \(most recent call last\):$", re.MULTILINE)


def error_headline(error: str) -> str:
    """Return the line of an error that says what went wrong, as it was written; "" where there is
    none.

    Of a Python traceback it is the last one, of anything else the first that begins as errors do,
    else the first with a word that errors have, else the first.
    """
    text = REPLACEMENTS[0].pattern.sub("", error[:_LONGEST_SCAN])
    if trace := list(_TRACE.finditer(text)):
        for line in text[trace[-1].end() :].splitlines():
            if line.strip() and not line.startswith((" ", "\t")):
                return line.strip()
    for sign in (_ERROR_LINE, _ERROR_WORD):
        if match := sign.search(text):
            start = text.rfind("\n", 0, match.start()) + 1
            end = text.find("\n", match.end())
            return text[start : end if end >= 0 else len(text)].strip()
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def normalise_message(message: str) -> str:
    """Return the ``message`` of an error as a pattern, without what differs between two occurrences
    of one error; at most 200 characters.
    """
    text = message[:_LONGEST_SCAN]
    for step in REPLACEMENTS:
        text = step.pattern.sub(step.word, text)
    return text.strip().lower()[:PATTERN_LENGTH]


def error_pattern(error: str) -> str:
    """Return the pattern under which an error is counted; "" for one that says nothing."""
    return normalise_message(error_headline(error))


def error_kind(message: str, command: str = "") -> str:
    """Return the kind of an error: what the error says decides before what was run.

    Whole words count: "Latest failure" is no test.
    """
    if _BUILD_ERROR_CODE.search(message):
        return "build"
    for text in (message, command):
        words = set(_WORD_PATTERN.findall(text.lower()))
        for kind, signs in _KIND_WORDS:
            if not words.isdisjoint(signs):
                return kind
    return GENERAL_KIND
