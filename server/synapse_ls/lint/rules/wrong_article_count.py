"""A file of Chati.dev says another number of articles than its constitution has.

## What it does

Compares `articleCount`, "17 Articles" and "Articles I-XVI", wherever a file of Chati.dev says so, with
the articles of `chati.dev/constitution.md` and with the rules of `domains/constitution.yaml`.

## Why it matters

An article that is counted and not there, or there and not counted, is one that agents are not told.

## Example

```bad
-- chati.dev/constitution.md --
## Article I: Governance

## Article II: Quality
-- chati.dev/domains/constitution.yaml --
articleCount: 1
rules:
  - id: art-i
    text: Agents follow their role.
```

```good
-- chati.dev/constitution.md --
## Article I: Governance

## Article II: Quality
-- chati.dev/domains/constitution.yaml --
articleCount: 2
rules:
  - id: art-i
    text: Agents follow their role.
  - id: art-ii
    text: Quality is checked.
```

## Evidence

mateusmetzker/Chati.dev: at `1fa102b` the constitution has 17 articles, `articleCount` says 16 and
`context-engine.md` "Articles I-XVI"; at v3.2.5 `articleCount` says 19 over 17 rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.formats.chati.bracket_table import BracketTable, article_ranges
from synapse_ls.formats.chati.constitution import ConstitutionFile, number_of, roman
from synapse_ls.formats.chati.domain import DomainFile
from synapse_ls.formats.problem import Text
from synapse_ls.lint.diagnostic import Finding, Related, Severity
from synapse_ls.lint.lookup import first_line
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.text.counted import counted as counting
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.systems import chati
from synapse_ls.workspace.tree import Tree


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each place that says another number."""
    source = tree.snapshot.facts(chati.CONSTITUTION)
    known = source.document if source else None
    articles = len(known.articles) if isinstance(known, ConstitutionFile) else 0
    document = facts.document
    if isinstance(document, ConstitutionFile):
        for said in document.counts:
            if articles and int(said.value) != articles:
                yield _finding(source, said, articles, said.value, own=True)
    elif isinstance(document, DomainFile) and facts.path == chati.ARTICLES:
        yield from _counted(source, document, articles)
        yield from _ranges(source, article_ranges(facts.text), articles)
    elif isinstance(document, BracketTable):
        yield from _ranges(source, document.articles, articles)


def _counted(source: FileFacts | None, document: DomainFile, articles: int) -> Iterator[Finding]:
    said, rules = document.count, len(document.rules)
    if said is None or not said.value.isdecimal():
        return
    if articles and int(said.value) != articles:
        yield _finding(source, said, articles, said.value)
    elif rules and int(said.value) != rules:
        yield Finding(
            said.span,
            f"`articleCount` says {said.value}, and {rules} rules stand here, so agents that are told "
            "the count miss some of what it promises.",
            f"Write {rules}, or add the rules that are missing.",
        )


def _ranges(source: FileFacts | None, said: tuple[Text, ...], articles: int) -> Iterator[Finding]:
    for numeral in said:
        if articles and number_of(numeral.value) != articles:
            yield _finding(source, numeral, articles, f"I-{numeral.value}")


def _finding(
    source: FileFacts | None, said: Text, articles: int, written: str, *, own: bool = False
) -> Finding:
    last = roman(articles)
    place = Related(chati.CONSTITUTION, first_line(source), f"Articles I to {last} are here.")
    where = "the constitution has" if own else "`chati.dev/constitution.md` has"
    counted = f"Articles {written}" if "-" in written else counting(int(written), "article")
    return Finding(
        said.span,
        f"This speaks of {counted}, and {where} {articles}, so readers of one miss what the other "
        "says.",
        f"Write {f'I-{last}' if '-' in written else articles}.",
        related=() if own else (place,),
    )


RULE = TreeRule(
    code="SYN744",
    name="wrong-article-count",
    severity=Severity.INFO,
    kinds=frozenset({FileKind.CHATI_DOMAIN, FileKind.CHATI_CONSTITUTION, FileKind.CHATI_BRACKETS}),
    check=check,
    reads={"chati": Reach.EVERYWHERE},
)
