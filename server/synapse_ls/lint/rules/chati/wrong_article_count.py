"""A file of Chati.dev says another number of articles than its constitution has.

## What it does

Compares `articleCount`, "17 Articles" and "Articles I-XVI", wherever a file of Chati.dev says so,
with the articles of `chati.dev/constitution.md` and with the rules of `domains/constitution.yaml`.

## Why it matters

An article that is counted and not there, or there and not counted, is one that agents do not get.
Articles whose rules are below `articles`, which no reader looks into, are left to SYN042.

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
`context-engine.md` "Articles I-XVI"; at v3.2.5 `articleCount` says 19 over 17 rules, and the rules
of the last two articles are below `articles`."""

from collections.abc import Iterator

from synapse_ls.formats.chati import config_file, domain_file
from synapse_ls.formats.chati.constitution_file import ConstitutionDocument, parse_numeral
from synapse_ls.formats.constitution_file import to_roman
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import first_line_span
from synapse_ls.text.finding import Finding, Related, Text
from synapse_ls.text.phrases import format_count as counting
from synapse_ls.workspace import chati_places


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each place with another number of articles than the constitution
    has.
    """
    source = tree.snapshot.facts(chati_places.CONSTITUTION)
    constitution = tree.snapshot.document(chati_places.CONSTITUTION, ConstitutionDocument)
    articles = len(constitution.articles) if constitution else 0
    if isinstance(document := facts.document, ConstitutionDocument):
        for count in document.counts:
            if articles and int(count.value) != articles:
                yield _wrong_count_finding(source, count, articles, count.value, own=True)
    elif isinstance(document, domain_file.DomainDocument) and facts.path == chati_places.ARTICLES:
        yield from _count_findings(source, document, articles)
        yield from _range_findings(source, config_file.article_ranges(facts.text), articles)
    elif isinstance(document, config_file.BracketTable):
        yield from _range_findings(source, document.articles, articles)


def _count_findings(
    source: FileFacts | None, document: domain_file.DomainDocument, articles: int
) -> Iterator[Finding]:
    count, rules = document.count, len(document.rules)
    if count is None or not count.value.isdecimal():
        return
    elsewhere = {parse_numeral(key.value.rpartition("-")[2]) for key in document.unread_articles}
    # None where the id of a rule does not say which article it is about.
    numbers = {parse_numeral(rule.id.rpartition("-")[2]) for rule in document.rules}
    without = [n for n in range(1, articles + 1) if n not in numbers] if 0 not in numbers else []
    missing = tuple(to_roman(number) for number in without if number not in elsewhere)
    # Whether each of the other articles has one rule.
    is_one_each = bool(without) and rules + len(without) == articles
    if is_one_each and missing:
        # The finding about articles that have no rule, at the count.
        ids = ", ".join(f"`art-{numeral.lower()}`" for numeral in missing)
        counted = f"{counting(articles, 'article')}, {counting(rules, 'rule')}"
        is_counted = int(count.value) == articles
        if missing[1:]:
            missing_sentence = (
                f"Articles {', '.join(missing)} of `chati.dev/constitution.md` have no rule below "
                f"`rules`, so no prompt gets them from this file ({counted})."
            )
            remedy = (
                f"Add rules {ids}."
                if is_counted
                else f"Add rules {ids}, and write {articles} here."
            )
        else:
            missing_sentence = (
                f"Article {missing[0]} of `chati.dev/constitution.md` has no rule below `rules`, "
                f"so no prompt gets it from this file ({counted})."
            )
            remedy = (
                f"Add a rule {ids}."
                if is_counted
                else f"Add a rule {ids}, and write {articles} here."
            )
        place = _constitution_place(source, articles)
        yield Finding(count.span, missing_sentence, remedy, related=(place,))
    elif articles and int(count.value) != articles:
        yield _wrong_count_finding(source, count, articles, count.value)
    elif rules and int(count.value) != rules and not is_one_each:
        yield Finding(
            count.span,
            f"`articleCount` says {count.value}, but the file has {counting(rules, 'rule')}, so "
            "whoever reads this gets a wrong number.",
            f"Write {rules}, or add the rules that are missing.",
        )


def _constitution_place(source: FileFacts | None, articles: int) -> Related:
    words = f"Articles I to {to_roman(articles)} are here."
    return Related(chati_places.CONSTITUTION, first_line_span(source), words)


def _range_findings(
    source: FileFacts | None, said: tuple[Text, ...], articles: int
) -> Iterator[Finding]:
    for numeral in said:
        if articles and parse_numeral(numeral.value) != articles:
            yield _wrong_count_finding(source, numeral, articles, f"I-{numeral.value}")


def _wrong_count_finding(
    source: FileFacts | None, said: Text, articles: int, written: str, *, own: bool = False
) -> Finding:
    last = to_roman(articles)
    where = f"the constitution has {articles}"
    if not own:
        where = f"`chati.dev/constitution.md` has {articles}"
    counted = f"Articles {written}" if "-" in written else counting(int(written), "article")
    return Finding(
        said.span,
        f"This says {counted}, but {where}, so whoever reads this gets a wrong number.",
        f"Write {f'I-{last}' if '-' in written else articles}.",
        related=() if own else (_constitution_place(source, articles),),
    )
