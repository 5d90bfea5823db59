from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from synapse_ls.edits.distinctive_words import word_forms
from synapse_ls.edits.edit_targets import tree_after
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.setup.init.rule_adoption import AdoptionPlan, plan_adoption
from synapse_ls.setup.init.rule_sources import existing_sources, load_sources
from synapse_ls.setup.init.source_replacement import replay_first_turns
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain
from tests.edits.support import MANIFEST, SMALL, text_of
from tests.engine.blocks import block
from tests.support import corpus
from tests.trees import stored_plan, tree_of, write_tree

CLAUDE = """\
    # Payments

    Round once.

    ## Database migrations

    - Every migration can be rolled back
    - Add columns as nullable
    - Never lock the ledger

    ### Naming

    - Prefix with the date

    ## Style

    - Tabs
    """


def adopt(sources: Mapping[str, str], files: Mapping[str, str] | None = None) -> AdoptionPlan:
    texts = {path: dedent(text) for path, text in sources.items()}
    return plan_adoption(texts, tree_of(files or {}))


def adopted(sources: Mapping[str, str], files: Mapping[str, str] | None = None) -> Tree:
    return tree_after(tree_of(files or {}), adopt(sources, files).plan)


def texts(tree: Tree, label: str) -> list[str]:
    return [rule.text for rule in tree.rules_of(tree.domains_by_label[label])]


def triggers(domain: Domain) -> tuple[bool, tuple[str, ...], tuple[str, ...]]:
    assert domain.declaration is not None
    return domain.declaration.always_on, domain.declaration.recall, domain.declaration.paths


def test_a_section_about_a_subject_becomes_a_domain_that_is_always_on() -> None:
    tree = adopted({"CLAUDE.md": CLAUDE})
    assert triggers(tree.domains_by_label["DATABASE_MIGRATIONS"]) == (True, (), ())
    assert texts(tree, "DATABASE_MIGRATIONS") == [
        "Every migration can be rolled back",
        "Add columns as nullable",
        "Never lock the ledger",
        "Naming: Prefix with the date",
    ]


@pytest.mark.parametrize("title", ["Article IV: Payments", "3. Payments", "Section 2.1 - Payments"])
def test_where_a_heading_stands_is_no_part_of_its_subject(title: str) -> None:
    tree = adopted({"CLAUDE.md": f"## {title}\n- a\n- b\n- c\n"})
    assert "\n# PAYMENTS_RECALL=payments,payment\n" in text_of(tree, MANIFEST)


def test_headings_below_it_become_comments_over_their_rules() -> None:
    tree = adopted({"CLAUDE.md": CLAUDE})
    assert "\n\n# Naming\nDATABASE_MIGRATIONS_RULE_3=Naming: Prefix with the date\n" in text_of(
        tree, ".synapse/database-migrations"
    )


def test_the_rest_goes_to_global_under_its_headings() -> None:
    tree = adopted({"CLAUDE.md": CLAUDE})
    assert triggers(tree.domains_by_label["GLOBAL"])[0]
    assert text_of(tree, ".synapse/global").endswith(
        "\n# Payments\nGLOBAL_RULE_0=Round once.\n\n# Style\nGLOBAL_RULE_1=Style: Tabs\n"
    )


GIT = """\
    # CLAUDE.md

    This file provides guidance to Claude Code (claude.ai/code) when working with code.

    # Shop

    ## Git

    - Commit in the imperative
    - A commit is one change
    - Rebase a branch before you push it

    ## Package manager

    - pnpm
    - Every package has a manager in its manifest

    ## Notes

    - Be brief
    """


def test_the_title_of_a_document_is_no_domain_even_where_it_has_two() -> None:
    tree = adopted({"CLAUDE.md": GIT})
    assert set(tree.domains_by_label) == {"GLOBAL", "GIT"}
    assert len(texts(tree, "GIT")) == 3


def test_sections_on_the_first_level_are_sections() -> None:
    tree = adopted({"CLAUDE.md": "# Testing\n- a\n- b\n- c\n# Security\n- d\n- e\n- f\n"})
    assert set(tree.domains_by_label) == {"TESTING", "SECURITY"}


def test_keywords_of_heading_and_rules_are_suggested_in_a_comment() -> None:
    manifest = text_of(adopted({"CLAUDE.md": GIT}), MANIFEST)
    assert (
        "\nGIT_ALWAYS_ON=true\n# GIT_RECALL=git,commit,commits,rebase,imperative,branch,push\n"
        in manifest
    )


def test_what_applied_always_reaches_the_agent_with_any_prompt() -> None:
    plan = stored_plan(compile_plan(adopted({"CLAUDE.md": GIT}), "root"))
    text = block(plan, "commit this", remaining=100).text
    assert "A commit is one change" in text
    assert "Package manager: pnpm" in text


def test_a_short_rule_that_goes_to_global_takes_its_heading_along() -> None:
    assert texts(adopted({"CLAUDE.md": GIT}), "GLOBAL") == [
        "Package manager: pnpm",
        "Every package has a manager in its manifest",
        "Be brief",
    ]


def test_a_short_rule_of_a_file_about_one_subject_takes_its_heading_along_but_not_its_title() -> (
    None
):
    tree = adopted({".claude/rules/api.md": "# Api\n- Version it\n## Errors\n- problem+json\n"})
    assert texts(tree, "API") == ["Version it", "Errors: problem+json"]


def test_front_matter_of_another_file_than_a_cursor_rule_makes_no_trigger() -> None:
    text = "---\ndescription: React components\n---\n- Tabs\n"
    assert triggers(adopted({"AGENTS.md": text}).domains_by_label["GLOBAL"])[0]


def test_a_domain_that_is_there_is_named_with_what_brings_it_in() -> None:
    found = adopt({"CLAUDE.md": "## Testing\n- a\n- b\n- c\n"}, SMALL)
    assert [place.trigger for place in found.placements] == ['"unit test", "coverage"']


def test_a_document_without_headings_goes_to_global() -> None:
    tree = adopted({"AGENTS.md": "- One\n- Two\n- Three\n- Four\n"})
    assert texts(tree, "GLOBAL") == ["One", "Two", "Three", "Four"]


def test_a_heading_that_names_a_part_of_the_tree_takes_none_of_it() -> None:
    tree = adopted({"CLAUDE.md": "## Commands\n- one\n- two\n- three\n## Context\n- four\n"})
    assert len(texts(tree, "GLOBAL")) == 4
    assert "COMMANDS" not in tree.domains_by_label


def test_globs_of_a_cursor_rule_become_paths() -> None:
    rule = "---\nglobs: **/*.{ts,tsx},lib/*.js\nalwaysApply: false\n---\n- No any\n"
    tree = adopted({".cursor/rules/typescript.mdc": rule})
    assert triggers(tree.domains_by_label["TYPESCRIPT"]) == (
        False,
        (),
        ("**/*.ts", "**/*.tsx", "lib/*.js"),
    )


def test_an_always_applied_cursor_rule_becomes_always_on() -> None:
    tree = adopted({".cursor/rules/tone.mdc": "---\nalwaysApply: true\n---\n- Be brief\n"})
    assert triggers(tree.domains_by_label["TONE"]) == (True, (), ())


def test_the_description_of_a_cursor_rule_becomes_its_keywords() -> None:
    rule = "---\ndescription: Use when writing React components, with hooks\n---\n- No classes\n"
    tree = adopted({".cursor/rules/frontend.mdc": rule})
    assert triggers(tree.domains_by_label["FRONTEND"])[1] == (
        "react",
        "components",
        "component",
        "hooks",
        "hook",
    )


def test_a_cursor_rule_without_any_trigger_is_always_on() -> None:
    tree = adopted({".cursor/rules/release-notes.mdc": "- One line each\n"})
    assert triggers(tree.domains_by_label["RELEASE_NOTES"]) == (True, (), ())


def test_paths_of_copilot_and_claude_rules_count_too() -> None:
    tree = adopted(
        {
            ".github/instructions/api.instructions.md": "---\napplyTo: 'src/api/**'\n---\n- Version\n",
            ".claude/rules/web.md": "---\npaths:\n  - web/**\n---\n- No jQuery\n",
        }
    )
    assert triggers(tree.domains_by_label["API"])[2] == ("**/src/api/**",), "as VS Code reads it"
    assert triggers(tree.domains_by_label["WEB"])[2] == ("web/**",)


def test_a_rule_for_every_file_is_always_on() -> None:
    tree = adopted({".cursor/rules/a-style.mdc": "---\nglobs: **/*\n---\n- Tabs\n"})
    assert triggers(tree.domains_by_label["A_STYLE"])[0]


def test_a_rule_that_comes_twice_is_taken_once_and_reported() -> None:
    found = adopt({"CLAUDE.md": "- Tabs\n", "AGENTS.md": "- tabs\n- Spaces\n"})
    assert [(part.path, part.line, part.why) for part in found.left_out] == [
        ("AGENTS.md", 1, "already in GLOBAL")
    ]


def test_a_tree_that_is_there_gets_only_what_is_new() -> None:
    tree = adopted({"CLAUDE.md": "## Testing\n- No sleeping\n- Fast\n- Small\n"}, SMALL)
    assert text_of(tree, ".synapse/testing").endswith(
        "TESTING_RULE_3=No sleeping\nTESTING_RULE_4=Fast\nTESTING_RULE_5=Small\n"
    )
    assert text_of(tree, MANIFEST) == text_of(tree_of(SMALL), MANIFEST)


def test_a_rule_that_the_file_cannot_take_is_left_out_with_the_reason() -> None:
    files = {MANIFEST: "GLOBAL_STATE=active\n", ".synapse/global": "Be brief.\n"}
    found = adopt({"CLAUDE.md": "- Sort imports\n- 1. is the first number\n"}, files)
    assert [(part.line, part.why.partition(":")[0]) for part in found.left_out] == [
        (2, "not taken by .synapse/global")
    ]
    assert [place.count for place in found.placements] == [1]


def test_a_squads_domain_of_the_same_name_is_not_touched() -> None:
    squad = "squads/etl-squad/.synapse/"
    files = {
        f"{squad}manifest": "PIPELINE_STATE=active\n",
        f"{squad}pipeline": "PIPELINE_RULE_0=Load in batches\n",
    }
    found = adopt({"CLAUDE.md": "## ETL pipeline\n- a\n- b\n- c\n"}, files)
    assert {change.path for change in found.plan.edits} == {MANIFEST, ".synapse/etl-pipeline"}


def test_adopting_again_changes_nothing() -> None:
    first = adopted({"CLAUDE.md": CLAUDE})
    assert not plan_adoption({"CLAUDE.md": dedent(CLAUDE)}, first).plan


def test_a_declared_domain_without_a_file_gets_one() -> None:
    files = {MANIFEST: "TESTING_STATE=active\n"}
    tree = adopted({"CLAUDE.md": "## Testing\n- Fast\n- Small\n- Loud\n"}, files)
    assert texts(tree, "TESTING") == ["Fast", "Small", "Loud"]


def test_settings_come_with_the_first_rule_only() -> None:
    settings = {".synapse/config.toml": "# empty\n"}
    assert len(plan_adoption({"CLAUDE.md": "- Tabs\n"}, tree_of({}), settings).plan.edits) == 3
    assert not plan_adoption({"CLAUDE.md": "```\nx\n```\n"}, tree_of({}), settings).plan


def test_the_plan_is_for_the_tree_as_it_was() -> None:
    plan = adopt({"CLAUDE.md": "- Tabs\n- Small\n"}, SMALL).plan
    assert [(change.path, change.action) for change in plan.edits] == [(".synapse/global", "edit")]


def test_the_report_accounts_for_everything() -> None:
    text = "@docs/style.md\n\n- Tabs\n\n```\nx\n```\n"
    assert adopt({"CLAUDE.md": text}).to_text().splitlines() == [
        "1 rule taken over",
        "  CLAUDE.md: 1 to GLOBAL (always on)",
        "1 part left out; it stays in its file",
        "  CLAUDE.md:5: code block: x",
        "1 mention of another file, whose content was not taken over",
        "  CLAUDE.md:1: docs/style.md",
    ]


def test_the_report_says_which_parts_stay() -> None:
    def said(*texts: str) -> str:
        files = {f"{number}.md": text for number, text in enumerate(texts)}
        return next(line for line in adopt(files).to_text().splitlines() if "left out" in line)

    assert said("- Tabs\n\n```\nx\n```\n\n```\ny\n```\n") == (
        "2 parts left out; they stay in their files"
    )
    assert said("- Tabs\n\n```\nx\n```\n", "- Tabs\n") == (
        "2 parts left out; 1 of them stays in its file"
    )
    assert said("- Tabs\n", "- Tabs\n") == "1 part left out, since the tree has what it says"


PERSONA = """\
---
description: 'AIOX agent @analyst - Business Analyst'
alwaysApply: false
---

# Atlas (@analyst)

- Ask who the users are before you compare competitors
- Every figure names its source
"""


@pytest.mark.parametrize("folder", [".cursor/rules/agents", ".claude/rules/AIOX/agents"])
def test_the_persona_of_an_agent_is_told_to_that_agent(folder: str) -> None:
    found = adopt({f"{folder}/analyst.mdc": PERSONA})
    assert [(place.domain, place.trigger) for place in found.placements] == [
        ("AGENT_ANALYST", "@analyst")
    ]
    assert not found.suggestions


def test_a_file_that_is_only_kept_among_personas_is_none() -> None:
    memory = PERSONA.replace("@analyst", "the analyst")
    (place,) = adopt({".cursor/rules/agents/analyst.mdc": memory}).placements
    assert place.domain == "ANALYST" and place.trigger != "@analyst"


def test_what_is_adopted_from_real_documents_is_a_sound_tree() -> None:
    for path in sorted(corpus().rglob("*.md"))[:80]:
        tree = adopted({"CLAUDE.md": path.read_text(encoding="utf-8")})
        for name in tree.snapshot.paths():
            facts = tree.snapshot.facts(name)
            assert facts is not None
            assert facts.problems == (), f"{path.name}: {name}"
        assert tree.orphan_files == ()


def test_sources_are_files_and_folders_of_rules(tmp_path: Path) -> None:
    rules = tmp_path / ".cursor" / "rules"
    (rules / "deep").mkdir(parents=True)
    (rules / "b.mdc").write_text("- b\n")
    (rules / "deep" / "a.md").write_text("- a\n")
    (rules / "c.txt").write_text("- c\n")
    (tmp_path / "CLAUDE.md").write_text("- m\n")
    assert existing_sources(tmp_path) == ("CLAUDE.md", ".cursor/rules")
    assert dict(load_sources(tmp_path, existing_sources(tmp_path))) == {
        "CLAUDE.md": "- m\n",
        ".cursor/rules/b.mdc": "- b\n",
        ".cursor/rules/deep/a.md": "- a\n",
    }


def test_a_source_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"There is no RULES\.md"):
        load_sources(tmp_path, ["RULES.md"])


def test_what_is_imported_is_taken_over_inside_the_project_only(tmp_path: Path) -> None:
    project = tmp_path / "project"
    write_tree(
        project,
        {
            "CLAUDE.md": "@docs/style.md\n@../outside.md\n@README.md\n@package.json\n- One\n",
            "docs/style.md": "- Two\n- See @more.md\n",
            "docs/more.md": "@style.md\n- Three\n",
            "README.md": "- Fast\n",
            "package.json": "{}",
        },
    )
    (tmp_path / "outside.md").write_text("- Four\n")
    sources = load_sources(project, ["CLAUDE.md"])
    assert list(sources) == ["CLAUDE.md", "docs/style.md", "docs/more.md"]
    found = plan_adoption(sources, tree_of({}))
    assert [mention.target for mention in found.imports] == [
        "../outside.md",
        "README.md",
        "package.json",
    ]


def test_a_link_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    project = write_tree(tmp_path / "project", {"CLAUDE.md": "@rules.md\n- One\n"})
    (tmp_path / "outside.md").write_text("- Two\n")
    (project / "rules.md").symlink_to(tmp_path / "outside.md")
    assert list(load_sources(project, ["CLAUDE.md"])) == ["CLAUDE.md"]


def test_imports_are_followed_as_deep_as_clients_do(tmp_path: Path) -> None:
    files = {f"r{i}.md": f"- Rule {i}\n@r{i + 1}.md\n" for i in range(9)}
    write_tree(tmp_path, {"CLAUDE.md": "@r0.md\n", **files})
    assert list(load_sources(tmp_path, ["CLAUDE.md"]))[-1] == "r4.md"


def test_clients_that_do_not_import_only_mention(tmp_path: Path) -> None:
    write_tree(tmp_path, {"AGENTS.md": "@style.md\n- One\n", "style.md": "- Two\n"})
    assert list(load_sources(tmp_path, ["AGENTS.md"])) == ["AGENTS.md"]


def test_a_file_with_two_names_is_taken_once(tmp_path: Path) -> None:
    write_tree(tmp_path, {"AGENTS.md": "- One\n"})
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    assert list(load_sources(tmp_path, ["CLAUDE.md", "AGENTS.md"])) == ["CLAUDE.md"]


def test_all_that_clients_know_is_found(tmp_path: Path) -> None:
    names = [
        *("CLAUDE.md", ".claude/CLAUDE.md", ".claude/rules/web.md", "AGENTS.md", "GEMINI.md"),
        *(".cursor/rules/a.mdc", ".cursorrules", ".github/copilot-instructions.md"),
        ".github/instructions/api.instructions.md",
    ]
    write_tree(tmp_path, {name: f"- Rule of {name}\n" for name in names})
    assert list(load_sources(tmp_path, existing_sources(tmp_path))) == names


def test_a_file_of_a_folder_of_rules_is_one_domain() -> None:
    text = "# Web\n## Pages\n- a\n- b\n- c\n## Forms\n- d\n- e\n- f\n"
    tree = adopted({".claude/rules/web.md": text})
    assert set(tree.domains_by_label) == {"WEB"}
    assert triggers(tree.domains_by_label["WEB"]) == (True, (), ())


def test_a_cursor_rule_that_waits_to_be_named_is_woken_by_its_name() -> None:
    rule = "---\ndescription:\nglobs:\nalwaysApply: false\n---\n- One line each\n"
    tree = adopted({".cursor/rules/release-notes.mdc": rule})
    assert triggers(tree.domains_by_label["RELEASE_NOTES"]) == (False, ("release", "releases"), ())


@pytest.mark.parametrize("name", ["pm", "ui", "all-rules"])
def test_a_name_without_a_telling_word_wakes_its_cursor_rule_as_it_stands(name: str) -> None:
    rule = "---\nalwaysApply: false\n---\n- Name the port\n"
    tree = adopted({f".cursor/rules/{name}.mdc": rule})
    label = name.upper().replace("-", "_")
    assert triggers(tree.domains_by_label[label])[:2] == (False, (name,))


def test_a_file_whose_name_no_domain_can_have_is_told_when_it_applies() -> None:
    scoped = "---\nglobs: src/**\ndescription: テストを書くとき\n---\n- テストを先に書く\n"
    named = {".cursor/rules/テスト.mdc": scoped, "文書/AGENTS.md": "- 敬語で書く\n"}
    tree = adopted({**named, ".cursor/rules/共通.mdc": "- 日本語で答える\n"})
    assert texts(tree, "GLOBAL") == ["日本語で答える"]
    assert texts(tree, "SCOPED_RULES") == ["テストを先に書く"]
    assert triggers(tree.domains_by_label["SCOPED_RULES"])[2] == ("src/**",)
    assert triggers(tree.domains_by_label["SCOPED_RULES_2"])[2] == ("文書/**",)


def test_english_endings_are_put_to_no_word_with_letters_of_another_language() -> None:
    rule = "---\ndescription: propagação e migrations\n---\n- Avise todos\n"
    tree = adopted({".cursor/rules/aviso.mdc": rule})
    recall = triggers(tree.domains_by_label["AVISO"])[1]
    assert recall == ("propagação", "propagações", "migrations", "migration")


def test_a_file_for_a_folder_becomes_a_domain_for_its_files() -> None:
    tree = adopted({"packages/api/AGENTS.md": "- Version every route\n"})
    assert triggers(tree.domains_by_label["PACKAGES_API"])[2] == ("packages/api/**",)


def test_keywords_that_were_suggested_can_be_switched_on() -> None:
    texts = {"CLAUDE.md": dedent(GIT)}
    found = plan_adoption(texts, tree_of({}))
    words = ("git", "commit", "commits", "rebase", "imperative", "branch", "push")
    assert found.suggestions == {"GIT": words}
    woken = plan_adoption(texts, tree_of({}), by_keyword=found.suggestions)
    domain = tree_after(tree_of({}), woken.plan).domains_by_label["GIT"]
    assert triggers(domain) == (False, found.suggestions["GIT"], ())
    assert woken.suggestions == {}
    assert "# GIT_RECALL" not in text_of(tree_after(tree_of({}), woken.plan), MANIFEST)


def test_the_first_block_says_what_keywords_save() -> None:
    texts = {"CLAUDE.md": dedent(GIT)}
    always = tree_after(tree_of({}), plan_adoption(texts, tree_of({})).plan)
    woken = tree_after(tree_of({}), plan_adoption(texts, tree_of({}), by_keyword=["GIT"]).plan)
    costs = [replay_first_turns(tree, "", ())[0].tokens for tree in (woken, always)]
    assert 0 < costs[0] < costs[1]


def test_a_rule_for_other_files_is_kept_for_each_of_them() -> None:
    sources = {
        ".cursor/rules/api.mdc": "---\nglobs: api/**\n---\n- Log with slog\n",
        ".cursor/rules/web.mdc": "---\nglobs: web/**\n---\n- Log with slog\n",
        "AGENTS.md": "- Log with slog\n",
    }
    tree = adopted(sources)
    assert [texts(tree, label) for label in ("API", "WEB", "GLOBAL")] == [["Log with slog"]] * 3


def test_what_is_told_always_is_told_once() -> None:
    found = adopt(
        {
            "AGENTS.md": "- Log with slog\n",
            ".cursor/rules/api.mdc": "---\nglobs: api/**\n---\n- Log with slog\n",
        }
    )
    assert [part.why for part in found.left_out] == ["already in GLOBAL"]


def test_what_one_file_says_of_a_subject_and_another_always_is_told_always_and_once() -> None:
    sources = {
        "CLAUDE.md": "## Git\n\n- Rebase first\n- Sign commits\n- No merges\n- Push by hand\n",
        "AGENTS.md": "- Push by hand\n",
    }
    found = plan_adoption(sources, tree_of({}), by_keyword=["GIT"])
    tree = tree_after(tree_of({}), found.plan)
    assert texts(tree, "GLOBAL") == ["Push by hand"]
    assert texts(tree, "GIT") == ["Rebase first", "Sign commits", "No merges"]
    assert [(part.path, part.why) for part in found.left_out] == [
        ("CLAUDE.md", "already in GLOBAL")
    ]


def test_a_page_in_the_folder_of_cursor_waits_to_be_named() -> None:
    tree = adopted({".cursor/rules/agents/architect.md": "- Draw first\n"})
    assert triggers(tree.domains_by_label["ARCHITECT"]) == (False, ("architect", "architects"), ())


def test_words_of_other_languages_that_say_nothing_are_no_keywords() -> None:
    text = "## Convenções Git\n- Sempre usar commits para uma mudança\n- Nunca fazer push\n- Ver o log\n"
    manifest = text_of(adopted({"CLAUDE.md": text}), MANIFEST)
    found = next(line for line in manifest.splitlines() if "_RECALL=" in line)
    words = found.partition("=")[2].split(",")
    assert not {"sempre", "usar", "para", "uma", "nunca", "fazer", "ver"}.intersection(words)


def test_words_are_suggested_in_the_forms_that_prompts_have_them_in() -> None:
    text = "## Testing\n- Migrations are reversible\n- Don't mock\n- The owner's key\n"
    manifest = text_of(adopted({"CLAUDE.md": text}), MANIFEST)
    found = next(line for line in manifest.splitlines() if "_RECALL=" in line)
    words = found.partition("=")[2].split(",")
    assert {"testing", "test", "tests", "migrations", "migration", "owner"} <= set(words)
    assert "don" not in words


def test_each_rule_that_would_wait_has_a_word_or_is_said_to_have_none() -> None:
    text = (
        "## Database\n- Prices are integers, in cents\n"
        "- Each change of the schema has a migration, and one that takes it back\n"
        "- A query for a list has a limit\n- Keep it small\n"
    )
    found = plan_adoption({"CLAUDE.md": text}, tree_of({}))
    assert {"prices", "schema", "query"} <= set(found.suggestions["DATABASE"])
    assert found.wordless == {"DATABASE": ("Keep it small",)}


def test_words_have_the_forms_of_their_own_language_and_names_have_none() -> None:
    text = (
        "## Traduções dos módulos\n- A branch de tradução sai da main antes de cada mudança\n- Use Python com Django\n"
        "- Uma branche nova\n- As migrações da loja ficam no repositório\n- AIOS e DevOps para todos\n"
    )
    (words,) = plan_adoption({"CLAUDE.md": text}, tree_of({})).suggestions.values()
    assert {"traduções", "tradução", "módulos", "módulo"} <= set(words)
    assert not {"branches", "branchs", "pythons", "djangos", "aio", "devop"} & set(words)


def test_small_words_of_portuguese_and_spanish_are_no_keywords() -> None:
    text = (
        "## Textos\n- Prefira frases curtas nas telas e nos botões\n- Evite gírias nas mensagens\n"
        "- Escribe según el glosario\n"
    )
    (words,) = plan_adoption({"CLAUDE.md": text}, tree_of({})).suggestions.values()
    assert not {"na", "nas", "no", "nos", "prefira", "evite", "escribe", "según"} & set(words)


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("tradução", ("tradução", "traduções")),
        ("traduções", ("traduções", "tradução")),
        ("órgãos", ("órgãos", "órgão")),
        ("migraciones", ("migraciones", "migración")),
        ("django", ("django",)),
        ("devops", ("devops",)),
        ("deploys", ("deploys", "deploy")),
        ("branches", ("branches", "branch")),
        ("caches", ("caches", "cache")),
        ("policies", ("policies", "policy")),
    ],
)
def test_forms_of_a_word_are_words(word: str, forms: tuple[str, ...]) -> None:
    assert word_forms(word) == forms


def test_a_sentence_that_has_its_file_read_is_no_rule() -> None:
    found = adopt({"CLAUDE.md": "Read this before you work in the repository.\n\n- Sell books\n"})
    assert [part.why for part in found.left_out] == ["about the file itself"]


def test_a_mentioned_file_that_does_not_exist_is_said_to_be_none() -> None:
    found = adopt({"CLAUDE.md": "- Sell books as in @docs/gone.md\n"})
    assert "gone.md (there is no such file)" in found.to_text({"docs/gone.md"})
    assert "no such file" not in found.to_text()


def test_a_rule_that_forbids_or_demands_is_not_left_to_words_but_the_rest_of_its_subject_is() -> (
    None
):
    sources = {
        "CLAUDE.md": "## Git\n- Rebase first\n- Sign commits\n- No merges\n",
        "AGENTS.md": "## Git\n- Small commits\n- Never push to main\n- Tag releases\n",
    }
    found = plan_adoption(sources, tree_of({}))
    assert list(found.suggestions) == ["GIT"]
    assert (found.kept, found.unconditional) == ({"GIT": (1, 6)}, {})
    assert triggers(tree_after(tree_of({}), found.plan).domains_by_label["GIT"])[0]
    woken = tree_after(
        tree_of({}), plan_adoption(sources, tree_of({}), by_keyword=found.suggestions).plan
    )
    assert texts(woken, "GLOBAL") == ["Git: Never push to main"]
    assert "Never push to main" not in texts(woken, "GIT") and len(texts(woken, "GIT")) == 5
    assert triggers(woken.domains_by_label["GIT"]) == (False, found.suggestions["GIT"], ())
    plan = stored_plan(compile_plan(woken, ""))
    told = block(plan, "hello").text
    assert "Never push to main" in told and "Rebase first" not in told


def test_a_subject_of_strict_rules_waits_for_nothing() -> None:
    text = "## Security\n- Never log tokens\n- Always ask\n- Secrets come from the vault\n"
    found = plan_adoption({"CLAUDE.md": text}, tree_of({}), by_keyword=["SECURITY"])
    assert triggers(tree_after(tree_of({}), found.plan).domains_by_label["SECURITY"])[0]
    assert (found.suggestions, found.kept) == ({}, {})
    assert found.unconditional == {"SECURITY": "Never log tokens"}


@pytest.mark.parametrize(
    ("rule", "is_strict"),
    [
        ("Nunca traduza nomes de produtos", True),
        ("Não apague migrações aplicadas", True),
        ("Siempre pide permiso antes de borrar", True),
        ("Build it, but do not deploy", True),
        ("Não use fixtures JSON", False),
        ("Don't use Redux for new screens", False),
        ("No uses fixtures", False),
        ("Prefira testes que não tocam o banco", False),
    ],
)
def test_what_a_subject_is_done_with_is_no_ban(rule: str, is_strict: bool) -> None:
    text = f"## Loja\n- {rule}\n- Caixa primeiro\n- Livros depois\n"
    found = plan_adoption({"CLAUDE.md": text}, tree_of({}))
    assert bool(found.kept) is is_strict


def test_a_line_with_a_colon_that_goes_on_an_item_is_part_of_its_rule() -> None:
    text = "- Full check: `./scripts/test` runs on the\n  default Python. Not so in CI: there it runs on all\n- Be brief\n"
    assert texts(adopted({"CLAUDE.md": text}), "GLOBAL") == [
        "Full check: `./scripts/test` runs on the default Python. Not so in CI: there it runs on all",
        "Be brief",
    ]


def test_the_headings_of_all_that_goes_to_one_domain_stay_above_their_rules() -> None:
    text = "# Shop\n- Sell books\n## Style\n- Small functions\n- No dead code\n## Never\n- rebase\n"
    lines = text_of(adopted({"CLAUDE.md": text}), ".synapse/global").splitlines()
    assert lines[-8:] == [
        "GLOBAL_RULE_0=Sell books",
        "",
        "# Style",
        "GLOBAL_RULE_1=Style: Small functions",
        "GLOBAL_RULE_2=Style: No dead code",
        "",
        "# Never",
        "GLOBAL_RULE_3=Never: rebase",
    ]


def test_a_sentence_that_only_names_a_file_that_was_taken_over_is_no_rule() -> None:
    texts = {
        "CLAUDE.md": "- See @docs/layout.md for the layout\n- See @docs/other.md\n- Sell books\n",
        "docs/layout.md": "- Routes have no logic\n",
        "docs/other.md": "- Logic has no routes\n\n```\nx\n```\n",
    }
    found = plan_adoption(texts, tree_of({}))
    rules = text_of(tree_after(tree_of({}), found.plan), ".synapse/global")
    assert "docs/layout.md" not in rules and "See @docs/other.md" in rules
    assert 1 in found.told_lines["CLAUDE.md"], "and it goes from the file"


def test_words_that_tell_a_subject_from_others_are_suggested() -> None:
    text = (
        "## Testing\n- Every fix has a test with the word ledger\n- Mock the clock\n- Tests live here\n"
        "## Database\n- Migrations append columns\n- Merged ones stay\n- Edit no ledger by hand\n"
    )
    found = plan_adoption({"CLAUDE.md": text}, tree_of({})).suggestions
    assert {"mock", "clock"} <= set(found["TESTING"])
    assert not {"live", "ledger", "append", "edit", "merged"} & {
        *found["TESTING"],
        *found["DATABASE"],
    }


def test_a_short_rule_under_always_is_not_turned_round() -> None:
    tree = adopted({"CLAUDE.md": "# Shop\n## Always\n- Never skip hooks\n- Don't push\n"})
    assert texts(tree, "GLOBAL") == ["Never skip hooks", "Don't push"]
