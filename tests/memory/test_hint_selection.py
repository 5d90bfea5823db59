"""Which memories are told, in which order, and why the others are not."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.engine.memory_hints import Hint, hint_identity
from synapse_ls.memory.memory_index import Candidate, make_query
from synapse_ls.memory.memory_record import Record
from synapse_ls.memory.memory_selection import HintSelection, RecallRequest, select_hints
from synapse_ls.text.iso_time import format_day
from tests.memory.records import records
from tests.support import examples

TODAY = 20_779


def candidate(title: str, **fields: Any) -> Candidate:
    text = fields.pop("text", "")
    id = f"mem-{title.lower().replace(' ', '-')}"
    record = Record(id=id, title=title, text=text, created=format_day(TODAY), **fields)
    return Candidate(record)


def chosen(*candidates: Candidate, **asked: Any) -> HintSelection:
    return select_hints(candidates, RecallRequest(**{"today": TODAY, "tokens": 1000, **asked}))


def titles(found: HintSelection) -> list[str]:
    return [hint.title for hint in found.hints]


SAID = candidate("Said", explicit=True)
WARM = candidate("Warm", evidence=3, confidence=0.6, tags=("deploy",))
COLD = candidate("Cold", tags=("deploy",))


def test_hot_is_told_unasked_warm_where_it_matches_and_cold_never() -> None:
    assert titles(chosen(SAID, WARM, COLD)) == ["Said"]
    asked = chosen(SAID, WARM, COLD, terms=make_query("deploy now"))
    assert titles(asked) == ["Said", "Warm"]
    assert {hint.title: why for hint, why in asked.left_out} == {"Cold": ("memory-cold", "0.03")}


def test_each_hint_has_its_factors_and_reasons() -> None:
    (hint,) = chosen(WARM, terms=make_query("deploy")).hints
    assert [name for name, _ in hint.factors] == [
        "evidence", "recency", "access", "confidence", "relevance", "sector",
    ]  # fmt: skip
    assert hint.reasons == ("WARM with a score of 0.18", "matches tag deploy")


def test_a_new_window_begins_with_what_is_hot() -> None:
    found = chosen(SAID, WARM, hot_only=True, terms=make_query("deploy"))
    assert titles(found) == ["Said"]
    assert found.left_out[0][1] == ("memory-begins",)


def test_sectors_that_an_agent_prefers_come_first() -> None:
    other = candidate("A other", explicit=True, sector="episodic")
    own = candidate("B own", explicit=True, sector="procedural")
    found = chosen(other, own, agent="dev", sectors=("procedural",))
    assert titles(found) == ["B own", "A other"]
    assert found.hints[0].reasons[-1] == "@dev prefers procedural memories"


def test_a_clone_is_told_only_what_is_its_own() -> None:
    own = candidate("Own", explicit=True, scope="private", agent="ana")
    assert titles(chosen(SAID, own, agent="ana", own=True)) == ["Own"]


def test_what_has_expired_is_not_told() -> None:
    over = candidate("Over", explicit=True, expires=format_day(TODAY))
    assert titles(chosen(over)) == []


@settings(max_examples=examples(50))
@given(
    st.lists(records(explicit=True, expires="", scope="shared"), max_size=6), st.integers(0, 120)
)
def test_more_room_never_takes_a_hint_away(some: list[Record], tokens: int) -> None:
    candidates = [
        Candidate(record.with_fields(id=str(number))) for number, record in enumerate(some)
    ]
    small = select_hints(candidates, RecallRequest(today=TODAY, tokens=tokens))
    large = select_hints(candidates, RecallRequest(today=TODAY, tokens=tokens + 40))
    assert titles(small) == titles(large)[: len(small.hints)]
    told = {hint.id for hint in small.hints} | {hint.id for hint, _ in small.left_out}
    assert len(told) == len(candidates)


def test_a_memory_too_long_to_be_told_in_full_is_told_in_short() -> None:
    long = candidate("Long", explicit=True, text="First paragraph.\n\n" + "word " * 900)
    (hint,) = chosen(long, level="full", tokens=200).hints
    assert hint.level == "summary"
    assert hint.shown_text == "Long: First paragraph."


def told(hint: Hint, level: str) -> str:
    return hint_identity(hint.id, hint.title, hint.text, level)


def test_what_was_told_in_this_window_stays_told() -> None:
    (hint,) = chosen(WARM, terms=make_query("deploy")).hints
    again = chosen(WARM, standing=frozenset({told(hint, "summary")}))
    assert [one.identity for one in again.hints] == [hint.identity]
    assert again.hints[0].reasons == ("it was injected in this window",)


def test_what_was_told_in_short_is_told_in_full_beside_it() -> None:
    long = candidate("Long", explicit=True, text="Short.\n\nAnd long.")
    (hint,) = chosen(long).hints
    more = chosen(long, level="full", standing=frozenset({told(hint, "summary")}))
    assert {one.level for one in more.hints} == {"summary", "full"}
    done = chosen(long, standing=frozenset({told(hint, "full")}))
    assert [one.level for one in done.hints] == ["full"]


def test_what_was_told_in_short_is_told_in_full_though_no_word_matches_any_more() -> None:
    (hint,) = chosen(WARM, terms=make_query("deploy"), level="metadata").hints
    known = frozenset({hint.identity})
    assert hint.level == "metadata"
    assert {one.level for one in chosen(WARM, level="full", standing=known).hints} == {
        "metadata",
        "full",
    }
    assert [one.level for one in chosen(WARM, level="metadata", standing=known).hints] == [
        "metadata"
    ]
    assert chosen(WARM, level="full").hints == ()


def test_what_was_forgotten_or_changed_stands_no_longer() -> None:
    (hint,) = chosen(SAID).hints
    known = frozenset({hint.identity})
    assert chosen(standing=known).hints == ()
    changed = candidate("Said", explicit=True, text="Otherwise.")
    assert hint.identity not in {one.identity for one in chosen(changed, standing=known).hints}


def test_how_much_is_told_at_each_level() -> None:
    one = candidate(
        "Deletes are soft", text="Rows stay.\n\nSet deleted_at.", tags=("db",), explicit=True
    )
    said = {
        level: chosen(one, level=level).hints[0].shown_text
        for level in ("metadata", "summary", "full")
    }
    assert said == {
        "metadata": "Deletes are soft #db",
        "summary": "Deletes are soft: Rows stay.",
        "full": "Deletes are soft\nRows stay.\n\nSet deleted_at.",
    }


def test_a_gotcha_needs_more_than_one_word_of_its_message() -> None:
    gotcha = candidate(
        "Known error: cannot use import outside of a module",
        type="gotcha",
        evidence=3,
        confidence=0.6,
        tags=("node serve", "loader"),
    )
    found = [
        titles(chosen(gotcha, terms=make_query(text, names)))
        for text, names in (
            ("sort the import lines", ()),
            ("", ("src/users/import.ts",)),
            ("why can this module not import it?", ()),
            ("node serve fails", ()),
            ("", ("src/loader.js",)),
        )
    ]
    assert [len(one) for one in found] == [0, 0, 1, 1, 1]
