"""Nearly every shape of a secret is masked, and nearly nothing else."""

from __future__ import annotations

import re

import pytest

from synapse_ls.text import secret_masking, secret_names
from synapse_ls.text.secret_masking import find_secrets, mask_secrets
from synapse_ls.text.secret_shapes import PLACED_SHAPES, TOKEN_SHAPES
from tests.text.secret_lists import make_harmless, make_plain_secrets, make_secrets
from tests.text.shape_notation import fill_shape, read_shapes


def test_every_shape_of_a_secret_is_masked_as_a_whole() -> None:
    listed = make_secrets()
    assert len(listed) >= 85
    missed = []
    for name, (text, secret) in listed.items():
        said = mask_secrets(f"We ran it.\n{text}\nIt failed.")
        if any(part in said for part in (secret, secret[-8:])):
            missed.append(name)
        assert len(said) == len(text) + len("We ran it.\n\nIt failed.")
    assert missed == []


def test_secrets_with_a_shape_or_a_name_are_reported_too() -> None:
    missed = [name for name, (text, _) in make_secrets().items() if not list(find_secrets(text))]
    assert missed == [
        name for name in make_secrets() if name.endswith(("no name", "without a name"))
    ]


@pytest.mark.parametrize(("text", "secret"), make_plain_secrets())
def test_what_the_name_of_a_secret_holds_is_masked_whatever_it_looks_like(
    text: str, secret: str
) -> None:
    assert mask_secrets(text) == text.replace(secret, "•" * len(secret))


def test_harmless_text_stays_as_it_is() -> None:
    listed = make_harmless()
    assert len(listed) >= 60
    assert [text for text in listed if mask_secrets(text) != text] == []


def test_masked_text_has_nothing_to_mask() -> None:
    for text, _ in make_secrets().values():
        said = mask_secrets(text)
        assert mask_secrets(said) == said


def test_no_repetition_in_a_pattern_is_unbounded() -> None:
    modules = (vars(secret_names), vars(secret_masking))
    own = [value for module in modules for value in module.values() if isinstance(value, str)]
    shapes = [shape for row in (*TOKEN_SHAPES, *PLACED_SHAPES) for shape in row[2:]]
    listed = [*shapes, *(value for value in own if "{" in value or "[" in value)]
    for shape in listed:
        bare = re.sub(r"\\.|\[(?:\\.|[^\]])+\]", "x", shape)
        assert "*" not in bare and "+" not in bare, shape


@pytest.mark.parametrize(
    "name", ["password", "db_password_prod", "OldApiKey", "aws_credentials", "pw"]
)
@pytest.mark.parametrize(
    "shape",
    [
        "{}:\n  {}\n",
        "{}: >-\r\n    {}\r\n",
        '"{}" =\n\t"{}"\n',
        "<{}>\n{}</x>\n",
        "{}\u200b:\n  {}\n",
        "x:{}:\n  {}\n",
    ],
)
def test_a_secret_below_its_name_is_found_in_a_long_text_as_in_a_short_one(
    shape: str, name: str
) -> None:
    short = shape.format(name, "Xk39fjQ02nvLw8Zs7ab")
    long = short + "Nothing here.\n" * 200
    assert list(find_secrets(long)) == list(find_secrets(short)) != []


def test_nearly_every_shape_that_vendors_publish_is_masked_as_a_whole() -> None:
    rows = [row.split(" | ", 1) for row in read_shapes("vendor_shapes.txt")]
    assert len(rows) >= 150
    missed = []
    for seed in range(3):
        for name, shape in rows:
            text, secret = fill_shape(shape, seed)
            said = mask_secrets(f"We ran it.\n{text}\nIt failed.")
            if any(part in said for part in (secret, secret[-8:])):
                missed.append((name, text))
    assert len(missed) <= 0.03 * 3 * len(rows), missed


def test_nearly_no_harmless_id_is_masked() -> None:
    rows = read_shapes("harmless_ids.txt")
    assert len(rows) >= 100
    masked = []
    for seed in range(3):
        for shape in rows:
            text = fill_shape(shape, seed)[0].replace(r"\n", "\n")
            if mask_secrets(f"We ran it.\n{text}\nIt failed.") != f"We ran it.\n{text}\nIt failed.":
                masked.append(text)
    assert len(masked) <= 0.01 * 3 * len(rows), masked


@pytest.mark.parametrize("secret", ["q7Vd2LmX9RtYw4Zs8NbJ3hKc", "9f8e7d6c5b4a39281706f5e4d3c2b1a0"])
def test_a_secret_is_masked_in_every_notation(secret: str) -> None:
    unmasked = []
    for notation in read_shapes("secret_notations.txt"):
        text = notation.replace(r"\n", "\n").replace(r"\r", "\r").replace("<value>", secret)
        masked = mask_secrets(f"We ran it.\n{text}\nIt failed.")
        if secret[-8:] in masked or not masked.startswith("We ran it.\n"):
            unmasked.append(notation)
    assert unmasked == []


def test_so_is_a_password_that_looks_like_a_word() -> None:
    unmasked = []
    for notation in read_shapes("secret_notations.txt"):
        text = notation.replace(r"\n", "\n").replace(r"\r", "\r").replace("<value>", "Sommer2026!x")
        if "password" in notation.lower() and "2026" in mask_secrets(
            f"We ran it.\n{text}\nIt failed."
        ):
            unmasked.append(notation)
    assert unmasked == []
