"""Agents, constitution, domains, hand-offs, tasks and the bracket table, as published files have them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from synapse_ls.formats.chati import (
    agent_definition,
    config_file,
    constitution_file,
    domain_file,
    handoff_file,
    memory_files,
    work_files,
)
from synapse_ls.formats.chati.constitution_file import find_thresholds, parse_numeral
from synapse_ls.formats.constitution_file import to_roman
from tests.support import corpus


def scope(text: str) -> tuple[str | None, ...]:
    found = agent_definition.parse(dedent(text)).document
    said = (found.mission, found.inputs, found.outputs, found.criteria)
    return tuple(text.value if text else None for text in said)


def test_an_agents_sections_are_told_on_one_line() -> None:
    assert scope(
        """\
        # Brief Agent — Extraction

        ## Mission

        Extract requirements
        in **five** phases.

        A second paragraph is not injected.

        ## Inputs

        - The report
        - Access to the user

        ## Outputs

        A brief

        ## Criteria

        1. All phases done
        2. Confirmed by the user.
        """
    ) == (
        "Extract requirements in five phases.",
        "The report; Access to the user",
        "A brief",
        "All phases done; Confirmed by the user",
    )


def test_inputs_are_looked_for_below_the_hand_off() -> None:
    assert (
        scope(
            """\
        # Dev Agent

        ## Input

        $ARGUMENTS

        ## Handoff Protocol

        ### Receiving (from brief)
        ```
        Pre-conditions:
          - brief has completed
        Input data:
          Layer 1:
            - Project type
            - Findings
        ```
        """
        )[1]
        == "Project type; Findings"
    )


def test_outputs_are_the_files_that_are_saved_where_the_section_says_no_more() -> None:
    assert (
        scope(
            """\
        # Dev Agent

        ## Output

        ### Artifact
        Save to: `a/report.md`

        ```markdown
        Save to: `not/this.md`
        ```

        ### Handoff (Protocol 5.5)
        Save to: `handoffs/dev.md`
        """
        )[2]
        == "a/report.md, handoffs/dev.md"
    )


def test_criteria_may_stand_in_the_fence_of_a_self_validation() -> None:
    assert (
        scope(
            """\
        # Dev Agent

        ## Self-Validation (Protocol 5.1)

        ```
        Criteria (binary pass/fail):
        1. Tests pass
        2. No placeholders ([TODO]) in output

        Score = criteria met / total criteria
        1. Not this
        ```
        """
        )[3]
        == "Tests pass; No placeholders ([TODO]) in output"
    )


def test_an_agent_without_a_mission_is_a_problem_at_its_title() -> None:
    text = "# Dev Agent\n\n## Mission\n\n---\n"
    (problem,) = agent_definition.parse(text).problems
    assert (problem.kind, problem.span.cut(text)) == ("chati-agent-without-mission", "Dev Agent")


@pytest.mark.parametrize(
    ("numeral", "number"),
    [("I", 1), ("iv", 4), ("XVI", 16), ("17", 17), ("XIX", 19), ("IIII", 0), ("IC", 0), ("", 0)],
)
def test_numerals(numeral: str, number: int) -> None:
    assert parse_numeral(numeral) == number


def test_roman_numerals_are_read_as_they_are_written() -> None:
    assert all(parse_numeral(to_roman(number)) == number for number in range(1, 400))


def test_articles_have_a_title_and_a_severity() -> None:
    text = dedent(
        """\
        # Constitution

        ## Preamble

        ## Article I: Roles

        Every agent must achieve >= 95%.

        ### Details

        **Enforcement: BLOCK** — halted.

        ## Article II — Quality

        *2 Articles + Preamble*
        """
    )
    document, problems = constitution_file.parse(text)
    assert problems == ()
    assert [(a.number, a.numeral, a.title) for a in document.articles] == [
        (1, "I", "Roles"),
        (2, "II", "Quality"),
    ]
    assert [t.percent for t in document.articles[0].thresholds] == [95]
    assert [count.value for count in document.counts] == ["2"]


def test_the_constitution_of_the_framework_has_seventeen_articles() -> None:
    text = (corpus() / "chati/chati.dev/constitution.md").read_text(encoding="utf-8")
    assert [article.number for article in constitution_file.parse(text).document.articles] == [
        *range(1, 18)
    ]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Every agent must achieve >= 95% on its criteria", [("every agent", 95)]),
        ("- **All other agents**: 90% minimum", [("every agent", 90)]),
        ("- **qa-planning**: 95% minimum (gates the transition)", [("qa-planning", 95)]),
        ("guided or autonomous: gate scores >= 90%", [("autonomous", 90)]),
        ("Threshold: ≥ 95 % to present results", [("", 95)]),
        ("test coverage (>= 80%), and security", []),
        ("20% Human / 80% AI", []),
        ("Confidence >= 90% across all categories", []),
        ("quality degradation >15%", []),
        ("v1.95% at least", []),
    ],
)
def test_thresholds_are_what_quality_has_to_reach(line: str, found: list[tuple[str, int]]) -> None:
    assert [(t.subject, t.percent) for t in find_thresholds(line)] == found


def test_a_domain_file_has_what_its_place_asks_for() -> None:
    document, problems = domain_file.parse(
        dedent(
            """\
            mission: Write code.
            authority:
              exclusive: [code]
              blocked: [deployment, qa]
              redirectMessage: Ask devops.
            outputs: code
            rules:
              - {id: a, text: One, priority: critical}
              - {rule: Two}
            """
        )
    )
    assert [(rule.id, rule.text, rule.priority) for rule in document.rules] == [
        ("a", "One", "critical"),
        ("", "Two", "normal"),
    ]
    assert [text.value for text in document.blocked] == ["deployment", "qa"]
    assert [text.value for text in document.outputs] == ["code"]
    assert [problem.kind for problem in problems] == ["invalid-chati-rule"]


def test_a_hand_off_tells_its_summary_then_what_is_decided_and_open() -> None:
    text = dedent(
        """\
        ---
        from_agent: architect
        status: partial
        score: 92.5
        ---
        # Handoff: architect → ux

        ## Summary

        The **stack** is chosen.

        ---

        Two services.

        ## Decisions

        - **database**: PostgreSQL

        ## Blockers

        - None

        ## Criteria Unmet

        - [ ] Load test
        """
    )
    document, problems = handoff_file.parse(text)
    assert problems == ()
    assert (document.agent.value if document.agent else "", document.score) == ("architect", "92.5")
    assert [line.value for line in document.lines] == [
        "The stack is chosen.",
        "Two services.",
        "Decision: database: PostgreSQL",
        "Criterion unmet: Load test",
    ]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_front_matter_is_read_whatever_the_line_ends(ending: str) -> None:
    text = "---\nfrom_agent: dev\nscore: 0\n---\n## Summary\n\nDone.\n".replace("\n", ending)
    document = handoff_file.parse(text).document
    assert (document.agent.value if document.agent else "", document.score) == ("dev", "0")


def test_a_hand_off_without_a_summary_is_a_problem() -> None:
    text = "# Handoff: dev\n\n## Outputs\n\n- code\n"
    (problem,) = handoff_file.parse(text).problems
    assert (problem.kind, problem.span.cut(text)) == ("invalid-chati-handoff", "Handoff: dev")


def test_a_summary_of_more_than_150_lines_is_a_problem() -> None:
    text = "## Summary\n\n" + "".join(f"Line {n}.\n" for n in range(1, 153))
    (problem,) = handoff_file.parse(text).problems
    assert problem.span.cut(text) == "Line 151."


def test_a_task_has_its_criteria_as_lines() -> None:
    text = "---\nid: brief-extract\nagent: brief\ncriteria:\n  - All filled\nhandoff_to: null\n---\n# Extract\n"
    (task,) = work_files.parse_task_file(text).document.tasks
    assert (task.id, task.title, [c.value for c in task.criteria]) == (
        "brief-extract",
        "Extract",
        ["All filled"],
    )
    assert task.handoff_to is None


def test_a_definition_has_criteria_in_given_when_then_form() -> None:
    text = dedent(
        """\
        tasks:
          - id: T1.1
            title: Upload an avatar
            phase: Phase 1
            status: pending
            criteria: [{given: A user, when: She uploads, then: It shows}]
          - id: 1.2
            title: Bad
            phase: Phase 1
            status: later
            criteria: []
        """
    )
    document, problems = work_files.parse_definitions(text)
    assert [c.value for c in document.tasks[0].criteria] == [
        "Given A user, when She uploads, then It shows"
    ]
    assert [dict(problem.data)["field"] for problem in problems] == [
        "id",
        "title",
        "status",
        "criteria",
    ]


def test_rows_of_the_bracket_table_are_ranges() -> None:
    text = "| **FRESH** | 60-100% | x |\n| LAST | <25% | y |\n| HIGH | ≥ 80 % |\n| No | 1-2 |\n"
    found = config_file.parse_bracket_table(text).document.ranges
    assert [(row.name, row.low, row.high) for row in found] == [
        ("FRESH", 60, 100),
        ("LAST", 0, 25),
        ("HIGH", 80, 100),
    ]
    assert found[0].span.cut(text) == "60-100%"


@pytest.mark.parametrize(
    "text", ['{"gotchas": [{"id": "G001"}]}', '[{"id": "G001"}]', "gotchas:\n  - id: G001\n"]
)
def test_pitfalls_are_found_in_yaml_and_json(text: str) -> None:
    assert [id.value for id in memory_files.parse_gotcha(text).document.ids] == ["G001"]


ACTING = """\
# Checker Agent

## Mission

Check it.

## On Activation

1. Read ALL artifacts:
   - `brief.md`
   - `prd.md`
2. Read handoff from **Dev**.
3. Verify that it is complete
   - and not only begun
4. Acknowledge what was read

> "I have read it."

## Execution

### Step 1
```
1. Run the tests

Criteria:
  - All tests pass
  - 80 % are covered

Result:
- Go on
```

### Step 2

Criteria:
1. Nothing is left open.

Report it.
- To the user
"""


def test_an_agent_without_such_sections_states_inputs_and_criteria_in_its_steps() -> None:
    agent = agent_definition.parse(ACTING).document
    assert agent.inputs is not None
    assert agent.inputs.value == "ALL artifacts: `brief.md`, `prd.md`; handoff from Dev"
    assert ACTING[agent.inputs.span.start :].startswith("1. Read ALL artifacts")
    assert agent.criteria is not None
    assert agent.criteria.value == "All tests pass; 80 % are covered; Nothing is left open"


def test_a_gate_has_its_results_for_criteria() -> None:
    text = ACTING.replace("Criteria:", "Checks:")
    found = agent_definition.parse(text).document.criteria
    assert found is not None
    assert found.value == "Go on"


def test_a_section_of_its_own_goes_before_what_steps_say() -> None:
    text = f"{ACTING}\n## Inputs\n\nThe plan\n\n## Quality Criteria\n\n- It is true\n"
    agent = agent_definition.parse(text).document
    assert agent.inputs is not None
    assert agent.criteria is not None
    assert (agent.inputs.value, agent.criteria.value) == ("The plan", "It is true")


def test_every_published_agent_states_its_mission_inputs_outputs_and_criteria() -> None:
    files = sorted((corpus() / "chati/chati.dev/agents").rglob("*.md"))
    found = {path.stem: agent_definition.parse(path.read_text(encoding="utf-8")) for path in files}
    assert len(found) == 12
    assert found["qa-planning"].document.name == "QA-Planning"
    for name, parsed in found.items():
        agent = parsed.document
        said = (agent.mission, agent.inputs, agent.outputs, agent.criteria)
        assert all(text is not None and text.value for text in said), name
        assert parsed.problems == (), name
