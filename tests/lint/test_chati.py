"""What is wrong in real trees of Chati.dev is found, and nothing else is."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.text.finding import Severity
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.chati_trees import LINTED
from tests.lint.clean import findings
from tests.support import corpus
from tests.trees import tree_of

SESSION = LINTED[".chati/session.yaml"]
GLOBAL = LINTED["chati.dev/domains/global.yaml"]


def found(files: Mapping[str, str]) -> list[str]:
    return findings({**LINTED, **files})


def test_invalid_yaml_is_an_error_at_its_line() -> None:
    broken = GLOBAL.replace("modes:\n", "  stray: key\nmodes:\n")
    (diagnostic,) = lint_tree(tree_of({**LINTED, "chati.dev/domains/global.yaml": broken}))
    assert (diagnostic.code, diagnostic.severity) == ("SYN117", Severity.ERROR)
    assert broken[: diagnostic.span.start].count("\n") == broken.split("\n").index("  stray: key")


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ("  - Just text\n", ["SYN041 Just text"]),
        ("  - dev-provider: One provider\n    priority: normal\n", ["SYN041 dev-provider"]),
        ("  - {id: a}\n", ["SYN041 id"]),
        ("  - {text: Without an id}\n", ["SYN041 text"]),
        ("  - {id: a, text: One, priority: urgent}\n", ["SYN041 urgent"]),
        ("  - {id: a, text: One}\n  - {id: a, text: Two}\n", ["SYN041 a"]),
        ("  - {id: a, rule: Chati.dev's loader takes this too}\n", []),
    ],
)
def test_rules_have_an_id_and_a_text(items: str, said: list[str]) -> None:
    assert found({"chati.dev/domains/agents/dev.yaml": f"rules:\n{items}"}) == said


def test_a_rule_that_is_named_by_its_key_gets_an_id() -> None:
    path = "chati.dev/domains/agents/dev.yaml"
    text = 'rules:\n  - dev-provider: "One & only"\n    priority: high\n'
    (diagnostic,) = lint_tree(tree_of({**LINTED, path: text}))
    assert diagnostic.fix is not None
    assert not diagnostic.fix.safe
    ((_, edit),) = diagnostic.fix.edits
    mended = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
    assert mended == ('rules:\n  - id: dev-provider\n    text: "One & only"\n    priority: high\n')
    assert found({path: mended}) == []


def test_articles_beside_the_rules_are_one_finding_where_they_stand() -> None:
    text = (
        LINTED["chati.dev/domains/constitution.yaml"].replace("articleCount: 2", "articleCount: 3")
        + "articles:\n  article-iii:\n    name: Third\n    rules: [Be careful.]\n"
    )
    constitution = LINTED["chati.dev/constitution.md"] + "\n## Article III: Third\n"
    assert found(
        {
            "chati.dev/domains/constitution.yaml": text,
            "chati.dev/constitution.md": constitution,
            "chati.dev/intelligence/context-engine.md": "Articles I-III",
        }
    ) == ["SYN042 articles"]


@pytest.mark.parametrize("count", ["1", "3"])
def test_the_count_is_that_of_the_constitution(count: str) -> None:
    text = LINTED["chati.dev/domains/constitution.yaml"].replace("Count: 2", f"Count: {count}")
    assert found({"chati.dev/domains/constitution.yaml": text}) == [f"SYN044 {count}"]


def test_a_footer_counts_too() -> None:
    text = LINTED["chati.dev/constitution.md"] + "\n*Constitution v1 — 16 Articles + Preamble*\n"
    assert found({"chati.dev/constitution.md": text}) == ["SYN044 16"]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("Autonomous profile: threshold 90%.", ["SYN045 90%"]),
        ("Autonomous profile: threshold 95%.", []),
        ("Keep 90% of the tests.", []),
        ("Test coverage of every agent is at least 80%.", []),
        ("qa-planning needs a minimum of 70%.", []),
    ],
)
def test_thresholds_of_a_domain_agree_with_the_constitution(rule: str, said: list[str]) -> None:
    constitution = LINTED["chati.dev/constitution.md"] + "\n- autonomous: 95% minimum\n"
    assert (
        found(
            {
                "chati.dev/constitution.md": constitution,
                "chati.dev/domains/agents/dev.yaml": f'rules: [{{id: a, text: "{rule}"}}]\n',
            }
        )
        == said
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Quality >= 90% self-validation required.", ["SYN045 90%"]),
        ("Quality >= 95% self-validation required.", []),
        ("Quality of every agent is >= 90%.", ["SYN045 90%"]),
        ("Quality; test coverage of at least 90%.", []),
    ],
)
def test_an_article_is_restated_with_its_threshold(text: str, said: list[str]) -> None:
    files = {
        "chati.dev/constitution.md": "## Article I: Quality\n\n"
        "1. Every agent must achieve >= 95% before presenting results\n",
        "chati.dev/domains/constitution.yaml": f'rules: [{{id: art-i, text: "{text}"}}]\n',
    }
    assert [one for one in found(files) if one.startswith("SYN045")] == said


def test_another_article_about_the_same_subject_may_ask_something_else() -> None:
    files = {
        "chati.dev/constitution.md": "## Article I: Mode\n\nAutonomous needs a gate of its own.\n\n"
        "## Article II: Profile\n\n- autonomous: 95% minimum\n",
        "chati.dev/domains/constitution.yaml": 'rules: [{id: art-i, text: "Autonomous mode: gate >= 90%."}]\n',
    }
    assert not [one for one in found(files) if one.startswith("SYN045")]


def test_two_memories_have_two_ids_and_a_copy_of_ours_is_none_of_them() -> None:
    memory = (
        "---\nid: mem-2026-02-12-077\ntype: gotcha\nagent: dev\ntags: [x]\nconfidence: 0.5\n"
        "sector: semantic\ntier: warm\ncreated_at: 2026-02-12\n---\n\n# One\n"
    )
    files = {
        ".chati/memories/dev/daily/a.md": memory,
        ".chati/memories/shared/durable/b.md": memory,
        ".synapse/memory/shared/durable/mem-2026-02-12-077.md": memory,
    }
    (diagnostic,) = [one for one in lint_tree(tree_of({**LINTED, **files})) if one.code == "SYN903"]
    assert (diagnostic.path, diagnostic.related[0].path) == (
        ".chati/memories/shared/durable/b.md",
        ".chati/memories/dev/daily/a.md",
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("mode: build\n", "", ["SYN046 build"]),
        ("mode: build\n", "mode: validate\n", []),
        ("state: build", "state: planning", ["SYN046 build"]),
        ("mode: build\n", "mode: build\nproject_type: brownfield\n", ["SYN046 brownfield"]),
        ("mode: build\n", "mode: build\ncompleted_agents: [dev]\n", ["SYN046 dev"]),
        ("mode: build\n", "mode: build\ncompleted_agents: [brief]\n", []),
    ],
)
def test_a_session_says_one_thing(old: str, new: str, said: list[str]) -> None:
    assert found({".chati/session.yaml": SESSION.replace(old, new)}) == said


def test_a_session_in_planning_needs_no_mode() -> None:
    text = SESSION.replace("mode: build\n", "").replace("state: build", "state: planning")
    assert found({".chati/session.yaml": text}) == []


def test_a_missing_mode_is_added() -> None:
    text = SESSION.replace("mode: build\n", "")
    (diagnostic,) = lint_tree(tree_of({**LINTED, ".chati/session.yaml": text}))
    assert diagnostic.fix is not None
    ((path, edit),) = diagnostic.fix.edits
    assert path == ".chati/session.yaml"
    assert text[: edit.span.start] + edit.new_text + text[edit.span.end :] == SESSION


def test_an_agent_of_a_step_needs_a_file() -> None:
    workflow = LINTED["chati.dev/workflows/greenfield-fullstack.yaml"]
    assert found(
        {"chati.dev/workflows/greenfield-fullstack.yaml": workflow.replace("qa-pl", "qa-fl")}
    ) == ["SYN047 qa-flanning"]
    assert found(
        {"chati.dev/domains/workflows/greenfield-fullstack.yaml": "steps: [brief, devops]\n"}
    ) == ["SYN047 devops"]


@pytest.mark.parametrize(
    ("follower", "said"),
    [
        ("qa-check", []),
        ("brief", []),
        ("orchestrator", []),
        ("null", []),
        ("qa-chekc", ["SYN047 qa-chekc"]),
    ],
)
def test_a_task_is_followed_by_a_task_or_an_agent(follower: str, said: list[str]) -> None:
    task = "---\nid: {}\nagent: brief\nhandoff_to: {}\n---\n\n# Task\n\n1. Do it.\n"
    tasks = {
        "chati.dev/tasks/brief-extract.md": task.format("brief-extract", follower),
        "chati.dev/tasks/qa-check.md": task.format("qa-check", "null"),
    }
    assert [one for one in found(tasks) if one.startswith("SYN047")] == said


def test_the_orchestrator_is_known_without_a_file() -> None:
    text = SESSION.replace("current_agent: dev", "current_agent: orchestrator")
    assert found({".chati/session.yaml": text}) == []


def test_a_hand_off_may_be_named_by_path_or_agent() -> None:
    path = "chati.dev/artifacts/handoffs/qa-planning-handoff.md"
    windows = path.replace("/", "\\")
    for name in ("qa-planning", "qa-planning-handoff.md", "./" + path, windows):
        assert found({".chati/session.yaml": SESSION.replace(path, name)}) == []


@pytest.mark.parametrize(
    "wrong", [".chati/artifacts/handoffs/qa-planning-handoff.md", "handoffs/qa-planning"]
)
def test_a_wrong_path_of_a_hand_off_is_no_name(wrong: str) -> None:
    path = "chati.dev/artifacts/handoffs/qa-planning-handoff.md"
    assert found({".chati/session.yaml": SESSION.replace(path, wrong)}) == [f"SYN048 {wrong}"]
    assert found({".chati/session.yaml": SESSION.replace(path, "brief")}) == ["SYN048 brief"]


def test_two_hand_offs_of_one_name_are_reported_where_nobody_reads() -> None:
    text = LINTED["chati.dev/artifacts/handoffs/qa-planning-handoff.md"]
    assert found({".chati/artifacts/handoffs/qa-planning-handoff.md": text}) == ["SYN048 ---"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("tier: hot", "tier: boiling", ["SYN040 boiling"]),
        ("type: lesson", "type: procedural", ["SYN040 procedural"]),
        ("id: mem-2026-02-12-001", "id: uploads", ["SYN040 uploads"]),
        ("confidence: 0.9", "confidence: 9", ["SYN040 9"]),
        ("tags: [uploads]", "tags: []", ["SYN040 []"]),
        ("agent: dev\n", "", ["SYN040 id"]),
        ("created_at: 2026-02-12T10:15:00Z", "created_at: yesterday", ["SYN040 yesterday"]),
    ],
)
def test_a_memory_meets_its_schema(old: str, new: str, said: list[str]) -> None:
    path = ".chati/memories/shared/durable/uploads.md"
    assert found({path: LINTED[path].replace(old, new)}) == said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("60-100%", "70-100%", ["SYN050 70-100%"]),
        ("40-60%", "40-65%", ["SYN050 40-65%"]),
        ("<25%", "<30%", ["SYN050 <30%"]),
        ("<25%", "less than 25 %", []),
        ("| **CRITICAL** | <25% |", "| **LAST** | <25% |", []),
    ],
)
def test_the_bracket_table_has_neither_gaps_nor_overlaps(
    old: str, new: str, said: list[str]
) -> None:
    path = "chati.dev/intelligence/context-engine.md"
    assert found({path: LINTED[path].replace(old, new)}) == said


def test_real_files_of_the_framework_have_these_findings_alone() -> None:
    loaded = load_tree(str(corpus() / "chati"), LoadScope.ALL)
    diagnostics = lint_tree(Tree(loaded.index.snapshot()), notes=loaded.notes, select=("ALL",))
    assert [(d.code, d.path.rpartition("/")[2]) for d in diagnostics] == [
        ("SYN045", "constitution.md"),
        ("SYN044", "constitution.yaml"),
        ("SYN044", "context-engine.md"),
        ("SYN044", "context-engine.md"),
    ]


ARTICLE = "## Article {}: {}\n\n1. Be brief.\n\n---\n\n"


def test_an_article_without_a_rule_is_named() -> None:
    constitution = "# Constitution\n\n" + "".join(
        ARTICLE.format(numeral, "One") for numeral in ("I", "II", "III")
    )
    rules = "".join(f"  - id: art-{n}\n    text: Be brief.\n" for n in ("i", "iii"))
    files = {
        "chati.dev/constitution.md": constitution,
        "chati.dev/domains/constitution.yaml": f"articleCount: 2\nrules:\n{rules}",
    }
    (found,) = lint_tree(tree_of(files), select=("SYN044",))
    assert found.message == (
        "Article II of `chati.dev/constitution.md` has no rule below `rules`, so no prompt gets it from "
        "this file (3 articles, 2 rules)."
    )
    assert found.remedy == "Add a rule `art-ii`, and write 3 here."


@pytest.mark.parametrize(
    ("articles", "count"),
    [
        ("  article-ii:\n    rules:\n      - brief: Be brief.\n", 0),
        ("  II:\n    rules: [Be brief.]\n", 0),
        ("  article-iii:\n    rules: [Be brief.]\n", 1),  # which the constitution does not have
        ("  article-i:\n    rules: [Be brief.]\n", 1),  # which has a rule
        ("  article-ii:\n    name: Two\n    rules: []\n", 1),
        ("  article-ii: Be brief.\n", 1),
        ("  - article-ii: Be brief.\n", 1),
    ],
)
def test_an_article_whose_rules_are_to_be_moved_is_not_said_to_have_none(
    articles: str, count: int
) -> None:
    rules = "articleCount: 2\nrules:\n  - id: art-i\n    text: Be brief.\narticles:\n"
    files = {
        "chati.dev/constitution.md": ARTICLE.format("I", "One") + ARTICLE.format("II", "Two"),
        "chati.dev/domains/constitution.yaml": rules + articles,
    }
    assert len(lint_tree(tree_of(files), select=("SYN044",))) == count


def test_a_wrong_count_beside_articles_to_be_moved_is_called_wrong() -> None:
    rules = "articleCount: 1\nrules:\n  - id: art-i\n    text: Be brief.\narticles:\n"
    files = {
        "chati.dev/constitution.md": ARTICLE.format("I", "One") + ARTICLE.format("II", "Two"),
        "chati.dev/domains/constitution.yaml": f"{rules}  II:\n    rules: [Be brief.]\n",
    }
    (found,) = lint_tree(tree_of(files), select=("SYN044",))
    assert found.remedy == "Write 2."


def test_what_is_below_a_key_among_the_rules_becomes_rules() -> None:
    text = "rules:\n  - id: a\n    text: Be brief.\n  more:\n    - b: Be kind.\n"
    (found,) = lint_tree(tree_of({"chati.dev/domains/global.yaml": text}), select=("SYN117",))
    assert found.remedy == "Make what is below it items of `rules`, with an `id` and a `text` each."
    assert found.fix is None


def test_a_count_that_is_right_is_not_to_be_written_again() -> None:
    files = {
        "chati.dev/constitution.md": ARTICLE.format("I", "One") + ARTICLE.format("II", "Two"),
        "chati.dev/domains/constitution.yaml": "articleCount: 2\nrules:\n  - id: art-i\n    text: Be brief.\n",
    }
    (found,) = lint_tree(tree_of(files), select=("SYN044",))
    assert found.remedy == "Add a rule `art-ii`."


@pytest.mark.parametrize("said", ["Articles I-II", "Articles I-IV"])
def test_a_wrong_number_of_articles_is_called_wrong(said: str) -> None:
    constitution = "# Constitution\n\n" + "".join(
        ARTICLE.format(numeral, "One") for numeral in ("I", "II", "III")
    )
    files = {
        "chati.dev/constitution.md": constitution,
        "chati.dev/domains/constitution.yaml": f"# {said}\nrules:\n  - id: art-i\n    text: Be brief.\n",
    }
    (found,) = lint_tree(tree_of(files), select=("SYN044",))
    assert found.message == (
        f"This says {said}, but `chati.dev/constitution.md` has 3, so whoever reads this gets a "
        "wrong number."
    )
