"""Errors in the form in which two of them are the same one."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from synapse_ls.memory.error_patterns import error_headline, error_pattern, normalise_message


@pytest.mark.parametrize(
    ("message", "pattern"),
    [
        (
            "job 3f2504e0-4f89-41d3-9a0c-0305e82c3301 failed after 12 tries",
            "job <uuid> failed after <n> tries",
        ),
        ("no account for ana.souza+test@mail.example.com", "no account for <e-mail>"),
        (
            "ENOENT: no such file, open '/home/ana/app/src/a.ts'",
            "enoent: no such file, open '<path>'",
        ),
        (r"cannot open C:\Users\Ana\app\a.ts", "cannot open <path>"),
        ("src/billing/refund.py:41:7: error: Name 'x'", "<path>:<n>: error: name 'x'"),
        ("connect ECONNREFUSED 127.0.0.1:5432", "connect econnrefused <n>"),
        ("port 5432 is in use", "port <n> is in use"),
        ("GET https://api.example.com/v1/users/7?x=1 timed out", "get <url> timed out"),
        ("at 2026-11-20T09:30:00.123Z the job died", "at <time> the job died"),
        ("commit 9fceb02d0ae598e95dc970b74767f19372d61af8 not found", "commit <hash> not found"),
        ("segfault at 0x7fffDEADBEEF", "segfault at <hex>"),
        ("took 120ms, 3.5s in all", "took <n>ms, <n>s in all"),
        ("\x1b[31mError:\x1b[0m   boom", "error: boom"),
    ],
)
def test_what_differs_from_run_to_run_goes(message: str, pattern: str) -> None:
    assert normalise_message(message) == pattern


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("error TS2304: Cannot find name 'x'", "error TS2345: Cannot find name 'x'"),
        ("HTTP 401 from the service", "HTTP 503 from the service"),
        ("Cannot find module 'left-pad'", "Cannot find module 'right-pad'"),
        ("status 404", "status 500"),
    ],
)
def test_what_tells_errors_apart_stays(one: str, other: str) -> None:
    assert normalise_message(one) != normalise_message(other)


@pytest.mark.parametrize("port", ["5432", "3306", "27017"])
def test_the_same_error_on_another_port_is_the_same(port: str) -> None:
    assert (
        error_pattern(f"Error: connect ECONNREFUSED 127.0.0.1:{port}")
        == "error: connect econnrefused <n>"
    )


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    f()\n'
            "ValueError: not a number: 'x'\n",
            "ValueError: not a number: 'x'",
        ),
        (
            "> app@1.0.0 test\n> jest\n\nTypeError: Cannot read properties of undefined\n    at f (a.js:1:2)",
            "TypeError: Cannot read properties of undefined",
        ),
        (
            "Compiling app\nerror[E0308]: mismatched types\n --> src/main.rs:4:5",
            "error[E0308]: mismatched types",
        ),
        ("src/a.ts(3,5): note\nfatal: not a git repository", "fatal: not a git repository"),
        ("bash: foo: command not found", "bash: foo: command not found"),
        ("Erro: não foi possível abrir o arquivo", "Erro: não foi possível abrir o arquivo"),
        ("something odd\nmore", "something odd"),
        ("  \n\t\n", ""),
        ("", ""),
    ],
)
def test_the_line_that_says_what_went_wrong(error: str, line: str) -> None:
    assert error_headline(error) == line


@example("0/@")
@example("0x1/a")
@example("0123abc/a")
@given(st.text(max_size=300))
def test_what_is_normalised_stays_as_it_is(text: str) -> None:
    once = normalise_message(text)
    assert len(once) <= 200
    assert normalise_message(once)[:200] == once or len(once) == 200


@given(st.text(max_size=500))
def test_any_text_has_a_headline_that_stands_in_it(text: str) -> None:
    assert error_headline(text) in text.replace("\x1b", "\x1b") or "\x1b" in text


@pytest.mark.parametrize(
    "part", ["a/", "1", "-", "@a.", "error ", "0a", "http://", "\x1b[", "<path>"]
)
def test_hostile_errors_are_quick(part: str) -> None:
    began = time.process_time()
    error_pattern(part * (100_000 // len(part)))
    assert time.process_time() - began < 1
