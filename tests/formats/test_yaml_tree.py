from __future__ import annotations

import gc
import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats import yaml_library
from synapse_ls.formats.yaml_tree import MAX_REPORTED, YamlNode, parse_yaml
from synapse_ls.text.finding import ParseResult
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, apply_edits
from tests.support import corpus, mark


def tree(text: str) -> YamlNode:
    root, problems = parse_yaml(text)
    assert root is not None
    assert not problems
    return root


def problems(text: str) -> list[tuple[str, str]]:
    """Kind and source text of each problem."""
    return [(p.kind, p.span.cut(text)) for p in parse_yaml(text).problems]


def pure(text: str, monkeypatch: pytest.MonkeyPatch) -> ParseResult[YamlNode | None]:
    with monkeypatch.context() as patch:
        patch.setattr(yaml_library, "CParser", None)
        return parse_yaml(text)


def value(text: str) -> object:
    return tree(f"- {text}").items[0].resolve()


def test_a_scalar_has_the_span_of_its_source_with_quotes() -> None:
    text, (plain, quoted) = mark("a: «x y»  # note\nb: «'it''s'»\n")
    root = tree(text)
    assert [root.pairs[0][1].span, root.pairs[1][1].span] == [plain, quoted]
    assert root.scalar("b") == "it's"


def test_a_block_collection_ends_with_its_last_visible_character() -> None:
    text, (outer, inner) = mark(
        """
        «top:
          «- a
          - b»


        # a note
        other:» # later
        """
    )
    root = tree(text)
    assert (root.span, root.pairs[0][1].span) == (outer, inner)


def test_a_block_scalar_ends_with_its_last_visible_character() -> None:
    text, (place,) = mark("a: «|\n  one\n  two»\n\n\nb: 1\n")
    node = tree(text).get("a")
    assert node is not None
    assert (node.span, node.value, node.style) == (place, "one\ntwo\n", "|")


def test_an_empty_value_stands_after_its_colon() -> None:
    text, (place,) = mark("a:«»   \n\n# note\n\nb: 1\n")
    assert tree(text).pairs[0][1].span == place


def test_a_flow_collection_has_the_span_of_its_brackets() -> None:
    text, (place,) = mark("a: «[1, {b: 2}]»\n")
    node = tree(text).get("a")
    assert node is not None
    assert (node.span, node.style) == (place, "flow")


def test_offsets_count_code_points() -> None:
    text, (place,) = mark("😀é: «wörld»\r\nb: 1\r\n")
    assert tree(text).pairs[0][1].span == place


def test_a_region_is_read_with_the_spans_of_the_whole_text() -> None:
    text, (region, place) = mark("# Agent\n```yaml\n«id: «dev»\n»```\n")
    root = parse_yaml(text, region=region).document
    assert root is not None
    assert root.text("id") is not None
    assert root.pairs[0][1].span == place


def test_an_alias_keeps_its_own_place_and_knows_its_target() -> None:
    text, (place,) = mark("a: &x {k: v}\nb: «*x»\n")
    alias = tree(text).pairs[1][1]
    assert (alias.kind, alias.span, alias.value) == ("alias", place, "x")
    assert alias.target_node.scalar("k") == "v"


def test_an_alias_inside_its_own_anchor_leads_nowhere() -> None:
    alias = tree("a: &x\n  b: *x\n").pairs[0][1].pairs[0][1]
    assert (alias.kind, alias.target) == ("alias", None)


def test_an_alias_bomb_costs_no_more_than_its_text() -> None:
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}, *a{i - 1}]" for i in range(1, 200)]
    first, second = tree("\n".join(lines)), tree("\n".join(lines))
    assert first == second
    assert len(repr(first)) < 200_000


def test_get_takes_the_last_of_repeated_keys() -> None:
    root = parse_yaml("a: 1\nb: 2\na: 3\n").document
    assert root is not None
    assert root.scalar("a") == "3"


def test_what_is_absent_null_or_a_collection_has_no_text() -> None:
    root = tree("a: ~\nb: [1]\nc:\n")
    assert [root.text(key) for key in "abcd"] == [None] * 4
    assert root.scalar("a", "default") == "default"
    assert [root.non_null(key) is None for key in "abcd"] == [True, False, True, True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("~", None),
        ("null", None),
        ("true", True),
        ("FALSE", False),
        ("yes", "yes"),
        ("on", "on"),
        ("010", 10),
        ("0o10", 8),
        ("0x1F", 31),
        ("-7", -7),
        ("1_000", "1_000"),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("-.inf", float("-inf")),
        ("2024-13-45", "2024-13-45"),
        ("1.0.0", "1.0.0"),
        ('"7"', "7"),
        ("'true'", "true"),
        ("!!str 7", "7"),
    ],
)
def test_scalars_have_the_values_of_the_core_schema(text: str, expected: object) -> None:
    found = value(text)
    assert (type(found), found) == (type(expected), expected)


def test_a_number_that_python_cannot_convert_stays_text() -> None:
    assert value("9" * 5000) == "9" * 5000


@pytest.mark.parametrize(
    "text",
    ["[http://x.y/z, a?b, why?]", "{url: http://x}", "[a:b, c::d]", "- a\x85b", "- a\u2028b"],
)
def test_what_only_yaml_1_2_allows_is_read_as_it_says(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert parse_yaml(text) == pure(text, monkeypatch)
    assert not parse_yaml(text).problems


def test_a_word_with_a_colon_in_brackets_is_one_value() -> None:
    assert [item.value for item in tree("[http://x.y, a?b]").items] == ["http://x.y", "a?b"]


def test_a_private_use_character_in_the_text_survives() -> None:
    assert tree("- '\U0010f000 a\x85b'").items[0].value == "\U0010f000 a\x85b"


def test_json_is_yaml() -> None:
    assert tree('{"a":1,"b":["x"]}').scalar("a") == "1"


def test_the_version_directive_of_yaml_1_2_is_accepted() -> None:
    assert tree("%YAML 1.2\n---\na: b\n").scalar("a") == "b"


def test_a_byte_order_mark_is_no_part_of_the_first_key() -> None:
    text, (place,) = mark("\ufeff«a»: 1\nb: 2\n")
    root = tree(text)
    assert root.pairs[0][0].span == place


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n...\n"])
def test_an_empty_document_has_no_problem(text: str) -> None:
    assert not parse_yaml(text).problems


@pytest.mark.parametrize(
    ("fixture", "words"),
    [
        ("a: b«:» c", "`: ` in an unquoted value"),
        ("a: b\n«  »c: d", "This line is indented further than the one above"),
        ("a:\n«\t»b: 1", "A tab indents this line"),
        ("a: «'»x", "quotation mark is never closed"),
        ("a: «'»x\n---\n", "quotation mark is never closed"),
        ("a: «[»1, 2", "`[` is never closed"),
        ("a: «{»b: 1", "`{` is never closed"),
        ("a: [1, «[»2,\n", "`[` is never closed"),
        ("a: &x «{»\n", "`{` is never closed"),
        ("a: «@»x", "`@` cannot begin an unquoted value"),
        ("a: *«*»b**", "`*` or `&` begins a name"),
        ('a: "«\\»q"', "unknown escape"),
        ("- a\n«b»: 1", "indentation of this line"),
        ("- [ ] «foo»", "Text stands after the closing bracket"),
        ('- "a\n  b" «f»oo', "does not belong to the value before it"),
        ("[1]\n«f»oo: 1", "Text follows the end"),
        ("a: «|»x\n", "An unquoted value cannot begin with `|`"),
        ("a: «\x07»", "YAML forbids the character U+0007"),
        ("a: «\ud800»", "YAML forbids the character U+D800"),
        ("a: «*nope»", "YAML takes `*nope` for a reference"),
    ],
)
def test_an_error_is_one_sentence_at_its_place(fixture: str, words: str) -> None:
    text, (place,) = mark(fixture)
    (problem,) = parse_yaml(text).problems
    assert (problem.kind, problem.span) == ("invalid-yaml", place)
    assert words in problem.message
    assert problem.message.endswith("so this YAML cannot be read.")


@pytest.mark.parametrize(
    ("text", "reason", "remedy", "mended"),
    [
        (
            'a:\n  - Both names (ex: "Ann Lee")\n',
            "Text stands after the closing quotation mark",
            "Put the whole value in single quotation marks.",
            "a:\n  - 'Both names (ex: \"Ann Lee\")'\n",
        ),
        (
            'a:\n  - On luck (ex: "Luck", "Work > luck")\n',
            "Text stands after the closing quotation mark",
            "Put the whole value in single quotation marks.",
            'a:\n  - \'On luck (ex: "Luck", "Work > luck")\'\n',
        ),
        (
            "a:\n  - Begin (ex: so: then)\n",
            "There is a `: ` in an unquoted value",
            "Put the whole value in single quotation marks.",
            "a:\n  - 'Begin (ex: so: then)'\n",
        ),
        (
            'a:\n  - "big" as praise # It misleads\n',
            "Text stands after the closing quotation mark",
            "Put the whole value in single quotation marks.",
            "a:\n  - '\"big\" as praise' # It misleads\n",
        ),
        (
            'a:\n  - "CSAF" (a framework)\n',
            "Text stands after the closing quotation mark",
            "Put the whole value in single quotation marks.",
            "a:\n  - '\"CSAF\" (a framework)'\n",
        ),
        (
            "a: 'b' c\n",
            "Text stands after the closing quotation mark",
            "Put the whole value in double quotation marks.",
            "a: \"'b' c\"\n",
        ),
        (
            'a: "b" | "don\'t"\n',
            "Text stands after the closing quotation mark",
            "Put the whole value in single quotation marks. Inside single quotation marks, write `'` twice.",
            "a: '\"b\" | \"don''t\"'\n",
        ),
        (
            'STEP: Greet with: "Hi"\n',
            "There is a `: ` in an unquoted value",
            "Put the whole value in single quotation marks.",
            "STEP: 'Greet with: \"Hi\"'\n",
        ),
        (
            "when:\n  - a\n  - b\n  when_not:\n    - c\n",
            "The key `when_not` is among the items of `when`",
            "Move `when_not` out to the column of `when`.",
            "when:\n  - a\n  - b\nwhen_not:\n    - c\n",
        ),
        (
            'never:\n  - word: "x"\n  source: y\n',
            "The key `source` is among the items of `never`",
            "Move `source` out to the column of `never`.",
            'never:\n  - word: "x"\nsource: y\n',
        ),
        (
            'never:\n  - a\n  - word: "x"\n    why: "y"\n  source: y\n',
            "The key `source` is among the items of `never`",
            "Move `source` out to the column of `never`.",
            'never:\n  - a\n  - word: "x"\n    why: "y"\nsource: y\n',
        ),
        (
            "a: 'It's ours, Let's go'\n",
            "Text stands after the closing quotation mark",
            "Inside single quotation marks, write `'` twice.",
            "a: 'It''s ours, Let''s go'\n",
        ),
        (
            "a: 'Let'\\''s go'\n",
            "Text stands after the closing quotation mark",
            "Inside single quotation marks, write `''` for `'\\''`.",
            "a: 'Let''s go'\n",
        ),
        (
            "- '*help' - Show all\n",
            "Text stands after the closing quotation mark",
            "Put the whole value in double quotation marks.",
            "- \"'*help' - Show all\"\n",
        ),
        (
            "table:\n  | a | b |\n  |---|---|\n",
            "The text of `table` begins on a new line, and the key has no `|`",
            "Write `table: |`.",
            "table: |\n  | a | b |\n  |---|---|\n",
        ),
        (
            "- quote:\n\n    > a\n",
            "The text of `quote` begins on a new line, and the key has no `|`",
            "Write `quote: |`.",
            "- quote: |\n\n    > a\n",
        ),
        (
            "- LARGE: >2000 lines → split\n",
            "An unquoted value cannot begin with `>`",
            "Put the whole value in single quotation marks.",
            "- LARGE: '>2000 lines → split'\n",
        ),
        (
            'a:\n  - gh pr create --title "feat: {t} [{i}]" --body x\n  - b\n',
            "There is a `: ` in an unquoted value",
            "Put the whole value in single quotation marks.",
            "a:\n  - 'gh pr create --title \"feat: {t} [{i}]\" --body x'\n  - b\n",
        ),
        (
            "a:\n  - Tokens of it are named: {a}/{b}\n  - b\n",
            "There is a `: ` in an unquoted value",
            "Put the whole value in single quotation marks.",
            "a:\n  - 'Tokens of it are named: {a}/{b}'\n  - b\n",
        ),
        (
            "- the path of it all: {a}/{b}\n  owner: c\n",
            "Text stands after the closing bracket",
            "Put the whole value in single quotation marks.",
            "- the path of it all: '{a}/{b}'\n  owner: c\n",
        ),
    ],
)
def test_a_line_that_is_refused_says_what_was_meant(
    text: str, reason: str, remedy: str, mended: str
) -> None:
    (problem,) = parse_yaml(text).problems
    assert problem.message == f"{reason}, so this YAML cannot be read."
    assert problem.remedy == remedy
    assert mend(text) == mended
    assert not parse_yaml(mended).problems


@pytest.mark.parametrize(
    ("text", "reason", "remedy"),
    [
        (
            "pack:\n  - clone.zip\n    contents:\n      - a\n",
            "The item above is the text `clone.zip`, so it can have no key `contents`",
            "Give the text a key too, such as `name: clone.zip`.",
        ),
        (
            "tests:\n  about: x\n\n  - id: one\n",
            "A list item is among the keys of a mapping",
            "Give the list a key of its own, and indent the items below it.",
        ),
        (
            'about: "A leader"\n  who maps all gaps\nb: 1\n',
            "The text goes on below a value whose quotation marks are closed",
            "Put all of the text into the quotation marks, or below a key with `|`.",
        ),
        (
            "a: 1\nPaste the raw values of the table, then go on\nb: 2\n",
            "This line is no `key: value` pair",
            "Make it a comment, or end the YAML above it.",
        ),
        ("a: 1\nb\nc: 2\n", "This line is no `key: value` pair", "Add the colon, or indent it."),
        ("a: > b\n", "Only a comment may follow `|` or `>`", "Start the text on a new line."),
    ],
)
def test_a_line_that_is_refused_says_what_to_do(text: str, reason: str, remedy: str) -> None:
    (problem,) = parse_yaml(text).problems
    assert problem.message == f"{reason}, so this YAML cannot be read."
    assert problem.remedy == remedy
    assert mend(text) == text


def test_a_list_without_brackets_is_not_made_one_item() -> None:
    text = '- "a", "b"\n'
    (problem,) = parse_yaml(text).problems
    assert problem.remedy == (
        "Give each text a line of its own, or put the whole value in single quotation marks."
    )
    assert mend(text) == text


def test_a_key_moves_out_where_lines_end_as_on_windows() -> None:
    text = "top:\r\n  never:\r\n    - a\r\n    source: b\r\n"
    assert mend(text) == text.replace("    source", "  source")
    assert mend(f"{text}  source: c\r\n") == f"{text}  source: c\r\n"


def test_items_with_a_key_of_their_own_can_be_read() -> None:
    assert not parse_yaml("source: c\nnever:\n  items:\n  - a\n  source: b\n").problems


def test_a_text_is_not_given_a_key_that_stands_below_it() -> None:
    (problem,) = parse_yaml("pack:\n  - clone.zip\n    name: a\n    size: 1\n").problems
    assert problem.remedy == "Give the text a key too, such as `title: clone.zip`."


KEY_BEFORE_ITEMS = "when:\n  - a\n  greeting: |\n    Hi: there\n\n    - you\n\n  - b\n"


def test_a_key_before_more_items_is_to_be_moved_behind_the_last() -> None:
    (problem,) = parse_yaml(KEY_BEFORE_ITEMS).problems
    assert problem.message == (
        "The key `greeting` is among the items of `when`, so this YAML cannot be read."
    )
    assert problem.remedy == "Move `greeting` out to the column of `when`, behind its last item."
    assert mend(KEY_BEFORE_ITEMS) == KEY_BEFORE_ITEMS


def test_a_list_on_the_line_of_its_key_is_named() -> None:
    text, (place,) = mark("a: «-» b\n")
    (problem,) = parse_yaml(text).problems
    assert problem.span == place
    assert problem.message == (
        "There is a `- ` where no list item can begin, so this YAML cannot be read."
    )
    assert problem.remedy == "Start the list on a new line, or quote the value."


def test_lines_below_of_which_it_is_known_what_they_mean_are_mended_at_once() -> None:
    text = "#\n" + '- "a" b\n' * 3 + "- c: d: e\n"
    (problem,) = parse_yaml(text).problems
    assert problem.message.endswith(
        "so this YAML cannot be read. Other mistakes are on 3 lines, the first of them line 3."
    )
    assert mend(text) == "#\n" + "- '\"a\" b'\n" * 3 + "- c: 'd: e'\n"
    front = f"---\n{text}---\n"
    assert mend(front, Span(4, 4 + len(text))) == f"---\n{mend(text)}---\n"
    (problem,) = parse_yaml('- "a" b\n- c: d: e\n').problems
    assert problem.message.endswith("so this YAML cannot be read. Another mistake is on line 2.")


def test_a_key_that_moves_out_and_lines_below_it_are_mended_at_once() -> None:
    text = "when:\n  - a\n  when_not:\n" + "    - 'b' c\n" * 3
    assert not parse_yaml(mend(text)).problems


def test_what_is_refused_after_the_repair_has_its_line_in_the_message() -> None:
    text = "x: 1\n" + '- "a" b\n' + "- [\n"
    region = Span(5, len(text))
    (problem,) = parse_yaml(text, region=region).problems
    assert problem.message.endswith(
        "so this YAML cannot be read. With that mended, it is refused again on line 3."
    )
    assert mend(text, region) == text.replace('"a" b', "'\"a\" b'")
    (problem,) = parse_yaml("a: b: c\nd: e: f\ng]\n").problems
    assert problem.message.endswith("With that mended, it is refused again on line 3.")


@pytest.mark.parametrize(
    "text",
    [
        "never:\n  - a\n  source: b\nsource: c\n",
        "source: c\nnever:\n  - a\n  source: b\n",
        "- source: c\n  never:\n    - a\n    source: b\n",
    ],
)
def test_a_key_is_not_moved_to_where_its_name_is_taken(text: str) -> None:
    (problem,) = parse_yaml(text).problems
    assert problem.message.startswith("The key `source` is among the items of `never`, so")
    assert mend(text) == text


@pytest.mark.parametrize("text", ['- "a" b #c\n', "a: b\n  c: d\n"])
def test_what_may_have_been_meant_otherwise_is_not_mended(text: str) -> None:
    assert mend(text) == text


def mend(text: str, region: Span | None = None) -> str:
    """Returns a text with what is known of its mistakes mended."""
    (problem,) = parse_yaml(text, region=region).problems
    told = [value.split(" ", 2) for key, value in problem.data if key == "edit"]
    edits = [TextEdit(Span(int(start), int(end)), new) for start, end, new in told]
    return apply_edits(text, edits)


def test_an_undefined_alias_leaves_the_rest_readable() -> None:
    root = parse_yaml("a: *nope\nb: 1\n").document
    assert root is not None
    assert root.scalar("b") == "1"


def test_a_repeated_key_is_reported_with_both_places() -> None:
    text, (first, second) = mark("«a»: 1\nb: 2\n«a»: 3\n")
    (problem,) = parse_yaml(text).problems
    assert (problem.kind, problem.span) == ("duplicate-yaml-key", second)
    assert dict(problem.data)["first_start"] == str(first.start)
    assert dict(problem.data)["first_end"] == str(first.end)
    assert "line 1" in problem.message


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("a: [b]\na:\n  - c\n", "Join the two lists under one key."),
        ("a: {b: 1}\na:\n  c: 2\n", "Join the two entries under one key."),
        ("a: [b]\na: {c: 2}\n", "Give one of the two another key."),
        ("a: [b]\na:\n", "Delete this entry, which is empty."),
        ("a: []\na: [b]\n", "Delete the entry on line 1, which is empty."),
        ("a: b\na: [c]\n", "Delete line 1 or line 2."),
        ("- a: b\n  a: c\n", "Delete the entry on line 1, or this one if that one is meant."),
        ("{a: b,\na: c}\n", "Delete the entry on line 1, or this one if that one is meant."),
    ],
)
def test_the_remedy_for_a_repeated_key_keeps_what_is_meant(text: str, remedy: str) -> None:
    (problem,) = parse_yaml(text).problems
    assert problem.remedy == remedy


def test_keys_of_different_types_and_merges_do_not_repeat() -> None:
    assert problems("1: a\n'1': b\n<<: *x\n<<: *x\n".replace("*x", "{}")) == []


def test_only_the_first_of_several_documents_is_read_and_that_is_said() -> None:
    text = "---\na: 1\n---\n# prose\n- not: [read\n"
    root, found = parse_yaml(text)
    assert root is not None
    assert root.scalar("a") == "1"
    assert [(p.kind, p.span.cut(text)) for p in found] == [("extra-yaml-document", "---")]


def test_a_text_that_is_too_long_is_not_read() -> None:
    assert problems("a: 1\n" * 300_000)[0][0] == "yaml-too-large"


def test_a_document_of_too_many_values_is_not_read() -> None:
    root, (problem,) = parse_yaml("- a\n" * 100_001)
    assert root is None
    assert problem.kind == "yaml-too-large"


@pytest.mark.parametrize("opening", ["[", "[\n", "- ", "{a: ", "? "])
def test_nesting_has_a_limit_at_its_exact_place(opening: str) -> None:
    root, (problem,) = parse_yaml(opening * 5000)
    assert root is None
    assert (problem.kind, problem.span.start) == ("yaml-too-deep", 100 * len(opening))


def test_deep_indentation_has_a_limit() -> None:
    text = "".join(" " * depth + "a:\n" for depth in range(300))
    assert [kind for kind, _ in problems(text)] == ["yaml-too-deep"]


def test_many_problems_of_a_kind_are_not_all_reported() -> None:
    assert len(parse_yaml("a: 1\n" * 1000).problems) == MAX_REPORTED


LONG = 400_000
HOSTILE = {
    "items": "- a\n" * (LONG // 4),
    "pairs": "a: b\n" * (LONG // 5),
    "flow": "[" + "a," * (LONG // 2 - 1) + "]",
    "brackets": "[" * LONG,
    "dashes": "- " * (LONG // 2),
    "anchors": "- &a x\n" + "- *a\n" * (LONG // 6),
    "undefined aliases": "- *a\n" * (LONG // 5),
    "directives": "%TAG !a! x\n" * (LONG // 11),
    "quotes": '"' * LONG,
    "stars": "*" * LONG,
    "tabs": "\t" * LONG,
    "next lines": "\x85" * LONG,
    "questions": "a?" * (LONG // 2),
    "colons": "a:" * (LONG // 2),
    "documents": "---\n" * (LONG // 4),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_costs_no_more_than_its_length(text: str) -> None:
    parse_yaml("a: b")
    quarter, whole = (processor_seconds(text[: len(text) // part]) for part in (4, 1))
    assert whole < 10 * quarter + 0.2  # a reader that looks back each time takes 16 times as long


def processor_seconds(text: str) -> float:
    gc.disable()  # a collection looks at all that other tests have made
    try:
        before = time.process_time()
        parse_yaml(text)
        return time.process_time() - before
    finally:
        gc.enable()


@given(st.text())
def test_any_text_gives_spans_inside_it(text: str) -> None:
    check_spans(text)


YAMLISH = st.lists(
    st.sampled_from([*"ab:-[]{}'\"|>?!&*#%@,~ \n\t\r", "\n  ", ": ", "- ", "---\n", "é", "\x85"])
).map("".join)


@given(YAMLISH)
def test_anything_like_yaml_gives_spans_inside_it(text: str) -> None:
    check_spans(text)


@given(YAMLISH)
def test_the_parser_without_c_never_raises(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_library, "CParser", None)
        check_spans(text)


def check_spans(text: str) -> None:
    root, found = parse_yaml(text)
    for problem in found:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
    if root is not None:
        check_node(root, Span(0, len(text)))


def check_node(node: YamlNode, around: Span) -> None:
    assert around.start <= node.span.start <= node.span.end <= around.end
    for child in (*node.items, *(each for pair in node.pairs for each in pair)):
        check_node(child, node.span)


keys = st.text(st.characters(codec="utf-8", categories=["L", "Nd"]), min_size=1, max_size=8)
simple = keys | st.integers() | st.booleans() | st.none()


@given(st.dictionaries(keys, simple | st.lists(simple) | st.dictionaries(keys, simple)))
def test_what_json_writes_is_read_back(data: dict[str, object]) -> None:
    root = tree(json.dumps(data, ensure_ascii=False))
    assert plain(root) == data


def plain(node: YamlNode) -> object:
    if node.kind == "mapping":
        return {key.value: plain(value) for key, value in node.pairs}
    return [plain(item) for item in node.items] if node.kind == "sequence" else node.resolve()


def yaml_files() -> list[Path]:
    return [p for p in sorted(corpus().rglob("*")) if p.suffix in (".yaml", ".yml")]


def test_real_files_are_read_alike_with_and_without_c(monkeypatch: pytest.MonkeyPatch) -> None:
    files = yaml_files()
    assert len(files) > 40
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert parse_yaml(text) == pure(text, monkeypatch), path


def test_real_files_have_no_yaml_errors() -> None:
    for path in yaml_files():
        root, found = parse_yaml(path.read_text(encoding="utf-8"))
        assert root is not None, path
        assert {problem.kind for problem in found} <= {"extra-yaml-document"}, path


@pytest.mark.parametrize(
    "fixture", ["«[»workflow:", "a: «[»b: 1,", "«{»a: 1", "&x «[»a", "[{a: «[»b:"]
)
def test_the_innermost_open_bracket_is_the_place(fixture: str) -> None:
    text, (place,) = mark(fixture)
    (problem,) = parse_yaml(text).problems
    assert problem.span == place


def test_entries_that_are_merged_in_are_found_after_ones_own() -> None:
    text = (
        "a: &a {x: 1, y: 1}\nb: &b\n  <<: *a\n  y: 2\nc:\n  <<: [*b, *a]\n  z: 3\n"
        'd:\n  "<<": *a\ne: &e\n  <<: *e\n'
    )
    root, problems = parse_yaml(text)
    assert root is not None
    merged = root.get("c")
    assert merged is not None
    assert [merged.scalar(key) for key in "xyz"] == ["1", "2", "3"]
    assert merged.key_node("y") == root.get("b").key_node("y")  # type: ignore[union-attr]
    assert root.get("d").get("x") is None  # type: ignore[union-attr]
    assert root.get("e").get("x") is None  # type: ignore[union-attr]
    assert problems == ()


def test_a_bomb_of_merges_costs_no_more_than_its_text() -> None:
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{n}: &a{n}\n  <<: [*a{n - 1}, *a{n - 1}]" for n in range(1, 200)]
    root, _ = parse_yaml("\n".join(lines))
    assert root is not None
    last = root.get("a199")
    assert last is not None
    assert (last.scalar("x"), last.scalar("no")) == ("1", "")


def test_one_line_that_has_to_be_quoted_is_one_mistake() -> None:
    (problem,) = parse_yaml("- *force is an exception\n").problems
    assert "YAML takes `*force` for a reference" in problem.message
