"""Making a block fit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.engine.block_renderer import (
    FitResult,
    fit_sections,
    removal_order,
    render_block,
    summarize_keys,
)
from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.compiled_plan import Profile
from synapse_ls.engine.context_usage import tokens_of_length
from synapse_ls.engine.systems.synapse.profile import PROFILE

SYNAPSE = Profile(PROFILE)
LAYOUT = SYNAPSE.layout_in("FRESH")
RANKS = {
    "CONSTITUTION": "CONSTITUTION",
    "GLOBAL": "GLOBAL",
    "AGENT": "AGENT",
    "KEYWORD": "KEYWORD",
    "STAR": "STAR",
    "SUMMARY": "SUMMARY",
}


def entry(number: int, text: str, rank: str, group: str = "") -> Entry:
    return Entry(
        text,
        prefix=f"  {number}. ",
        rank=rank,
        hash=f"{rank}{number}",
        weight=(-number,),
        group=group,
        key=f"{rank}_RULE_{number}",
    )


def section(name: str, *texts: str, group: str = "") -> Section:
    entries = [entry(i, text, RANKS[name], group) for i, text in enumerate(texts)]
    return Section(name, f"[{name}]", "L0", entries, aside=name == "SUMMARY")


def text_of(fitted: FitResult) -> str:
    return render_block(LAYOUT, fitted.sections, fitted.cut_lines)


def test_what_fits_is_left_alone() -> None:
    sections = [section("GLOBAL", "one", "two")]
    fitted = fit_sections(SYNAPSE, LAYOUT, sections, 10_000)
    assert (fitted.cut, fitted.cut_lines, fitted.is_over) == ([], {}, False)


def test_the_least_important_entries_go_first_and_are_named() -> None:
    sections = [section("GLOBAL", *["x" * 30] * 6), section("KEYWORD", *["y" * 30] * 3)]
    fitted = fit_sections(SYNAPSE, LAYOUT, sections, 260)
    assert [e.key for e in fitted.cut] == [
        "KEYWORD_RULE_2",
        "KEYWORD_RULE_1",
        "KEYWORD_RULE_0",
        "GLOBAL_RULE_5",
        "GLOBAL_RULE_4",
    ]
    assert "  … 2 more: GLOBAL_RULE_4–5" in text_of(fitted)
    assert "[KEYWORD]\n  … 3 more: KEYWORD_RULE_0–2" in text_of(fitted)


def test_the_summary_goes_without_a_word() -> None:
    sections = [section("GLOBAL", "x" * 50), section("SUMMARY", "y" * 50)]
    fitted = fit_sections(SYNAPSE, LAYOUT, sections, 130)
    assert "SUMMARY" not in text_of(fitted)


@given(st.integers(0, 400))
def test_a_summary_is_whole_or_gone(budget: int) -> None:
    sections = [section("GLOBAL", "x" * 50), section("SUMMARY", *["y" * 20] * 5)]
    fitted = fit_sections(SYNAPSE, LAYOUT, sections, budget)
    assert text_of(fitted).count("y" * 20) in (0, 5)


def test_protected_entries_stay_over_the_budget() -> None:
    sections = [section("CONSTITUTION", "x" * 500), section("GLOBAL", "y" * 50)]
    fitted = fit_sections(SYNAPSE, LAYOUT, sections, 100)
    assert fitted.is_over
    assert "x" * 500 in text_of(fitted)
    assert "GLOBAL" not in text_of(fitted)


def test_a_hard_limit_takes_protected_entries_too() -> None:
    sections = [section("CONSTITUTION", *["x" * 50] * 10)]
    fitted = fit_sections(SYNAPSE, LAYOUT, sections, 300, protect=False)
    assert len(text_of(fitted)) <= 300
    assert fitted.cut


def test_what_the_user_asked_for_outlives_the_lines_that_name_cuts() -> None:
    sections = [section("GLOBAL", *["x" * 30] * 9), section("STAR", "y" * 30)]
    whole = len(text_of(fit_sections(SYNAPSE, LAYOUT, sections[1:], 10_000)))
    fitted = fit_sections(SYNAPSE, LAYOUT, sections, whole)
    assert "y" * 30 in text_of(fitted)
    assert "…" not in text_of(fitted)


def test_keys_are_named_as_ranges() -> None:
    assert summarize_keys(["A_RULE_5", "A_RULE_7", "A_RULE_6"]) == "A_RULE_5–7"
    assert summarize_keys(["A_RULE_0", "A_RULE_2"]) == "A_RULE_0, A_RULE_2"
    assert summarize_keys(["TASK -", "A_1"]) == "A_1, TASK -"
    assert summarize_keys([f"D{i}_RULE_0" for i in range(9)]).endswith("and others")


texts = st.text(alphabet="ab ", min_size=1, max_size=60)
groups = st.sampled_from(["", "RULES:"])


@st.composite
def blocks(draw: st.DrawFn) -> list[Section]:
    names = draw(st.lists(st.sampled_from(sorted(RANKS)), unique=True, min_size=1))
    return [
        section(name, *draw(st.lists(texts, min_size=1, max_size=6)), group=draw(groups))
        for name in names
    ]


@given(blocks(), st.integers(0, 2_000), st.booleans())
def test_the_cost_is_that_of_the_rendered_text(
    sections: list[Section], budget: int, protect: bool
) -> None:
    fitted = fit_sections(SYNAPSE, LAYOUT, sections, budget, protect=protect)
    text = text_of(fitted)
    if fitted.sections:
        assert fitted.tokens == tokens_of_length(len(text))
        assert fitted.is_over == (len(text) > budget)


@given(blocks(), st.integers(0, 1_500), st.integers(0, 1_500), st.booleans())
def test_a_smaller_budget_keeps_a_subset(
    sections: list[Section], one: int, other: int, protect: bool
) -> None:
    small, large = sorted((one, other))

    def kept(budget: int) -> set[str]:
        fitted = fit_sections(SYNAPSE, LAYOUT, sections, budget, protect=protect)
        return {e.hash for s in fitted.sections for e in s.entries}

    assert kept(small) <= kept(large)


@given(blocks(), st.integers(0, 1_500))
def test_the_cut_is_a_prefix_of_the_one_removal_order(sections: list[Section], budget: int) -> None:
    fitted = fit_sections(SYNAPSE, LAYOUT, sections, budget)
    order = [e.hash for _, e in removal_order(SYNAPSE, sections)]
    assert [e.hash for e in fitted.cut] == order[: len(fitted.cut)]


@given(blocks(), st.integers(0, 1_500))
def test_every_entry_is_kept_or_reported(sections: list[Section], budget: int) -> None:
    fitted = fit_sections(SYNAPSE, LAYOUT, sections, budget)
    kept = [e.hash for s in fitted.sections for e in s.entries]
    everything = [e.hash for s in sections for e in s.entries]
    assert sorted(kept + [e.hash for e in fitted.cut]) == sorted(everything)
