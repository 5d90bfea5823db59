"""The constitution is out of date with the Markdown that it was made from.

## What it does

Compares each article of `.synapse/constitution` with the source (`.aiox-core/constitution.md`, or
`paths.constitution` of the configuration), word by word, without back-ticks and bold marks. Articles
that one of the two lacks count too. A constitution that shares most of its articles with no source is
one of your own, and is left alone.

One that `synapse constitution build` has made is compared character by character, with its tables and
gates: its stamps also tell what somebody has edited in it since.

## Why it matters

Agents are held to the old words. What was added to the source since, and the points nested below a
rule, which the reference's generator drops, reach no agent.

## Example

```bad
-- .aiox-core/constitution.md --
### I. Tests First (NON-NEGOTIABLE)

- MUST: Write the failing test first, for
  - every feature
  - every bug
- MUST NOT: Skip a test
-- .synapse/constitution --
CONSTITUTION_RULE_ART1_0=Tests First (NON-NEGOTIABLE)
CONSTITUTION_RULE_ART1_1=MUST: Write the failing test first, for
```

```good
-- .aiox-core/constitution.md --
### I. Tests First (NON-NEGOTIABLE)

- MUST: Write the failing test first, for
  - every feature
  - every bug
- MUST NOT: Skip a test
-- .synapse/constitution --
CONSTITUTION_RULE_ART1_0=Tests First (NON-NEGOTIABLE)
CONSTITUTION_RULE_ART1_1=MUST: Write the failing test first, for every feature; every bug
CONSTITUTION_RULE_ART1_2=MUST NOT: Skip a test
```

## Evidence

`scripts/generate-constitution.js` of SynkraAI/aios-core makes the file from the source. It reads no
nested list items: its own article IV loses what a specification may be traced to.

## Fix

The article's rules become those of the source, each with its points on one line. What is injected
changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from synapse_ls.formats.constitution import Article, ConstitutionDocument, to_roman
from synapse_ls.formats.constitution_build import Difference, differences, is_stamped, update
from synapse_ls.formats.constitution_source import ConstitutionSource, SourceArticle
from synapse_ls.formats.names import slug
from synapse_ls.lint.diagnostic import Finding, Fix, Related, Severity
from synapse_ls.lint.fixes import line_break, next_index, whole_line
from synapse_ls.lint.lookup import first_line
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.text.edit import TextEdit
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree

_SHOWN = 3  # keys in a message
_REMEDY = "Bring the article up to date with its source."


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each article that differs from its source, or that only one of both has."""
    document = facts.document
    if not isinstance(document, ConstitutionDocument) or tree.home_of(facts.path).squad:
        return
    source = _source(tree)
    if source is None or not isinstance(source.document, ConstitutionSource):
        return
    if is_stamped(facts.text):
        yield from _built(facts, document, source, source.document)
        return
    given = {article.number: article for article in source.document.articles}
    own = {article.number: article for article in document.articles}
    if not _is_made_from(own, given):
        return
    for number, article in own.items():
        if number not in given:
            yield _dropped(article, source)
        elif _words_of(article) != _words_in(given[number]):
            yield _differing(facts, article, given[number], source)
    missing = [article for number, article in given.items() if number not in own]
    if missing:
        yield _missing(facts, document, missing, source)


def _built(
    facts: FileFacts, document: ConstitutionDocument, source: FileFacts, said: ConstitutionSource
) -> Iterator[Finding]:
    """One finding for each article of a built file that is not as it would be built now."""
    found: dict[int, list[Difference]] = {}
    for one in differences(facts.text, said):
        found.setdefault(one.article, []).append(one)
    titles = {article.number: article.title_rule for article in document.articles}
    for number, lines in found.items():
        place = next((one.rule for one in lines if one.rule is not None), titles.get(number))
        edited = any(one.is_edit for one in lines)
        name, keys = f"Article {to_roman(number)}", ", ".join(one.key for one in lines[:_SHOWN])
        more = f" and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
        if not edited:
            edits = tuple((facts.path, edit) for edit in update(facts.text, said, number))
            message = f"{name} is not as {source.path} has it now, so agents are told old words"
            fix = (
                Fix(f"Bring article {to_roman(number)} up to date", False, edits) if place else None
            )
            yield Finding(
                place.text_span if place else first_line(facts),
                f"{message}: {keys}{more}.",
                "Run `synapse constitution build`.",
                fix,
                (Related(source.path, first_line(source), "This is the source."),),
            )
            continue
        yield Finding(
            place.text_span if place else first_line(facts),
            f"{name} was edited here since it was built, and {source.path} does not say so: "
            f"{keys}{more}.",
            f"Take the edit into {source.path}, then run `synapse constitution build`.",
            related=(Related(source.path, first_line(source), "This is the source."),),
        )


def _source(tree: Tree) -> FileFacts | None:
    """The first of the configured sources that has articles."""
    for path in tree.snapshot.config.paths.constitution:
        facts = tree.snapshot.facts(path)
        if facts and isinstance(facts.document, ConstitutionSource) and facts.document.articles:
            return facts
    return None


def _is_made_from(own: Mapping[int, Article], given: Mapping[int, SourceArticle]) -> bool:
    """Whether at least half of the articles are those of the source, by number and title."""
    shared = sum(n in given and slug(a.title) == slug(given[n].title) for n, a in own.items())
    return bool(own) and 2 * shared >= len(own)


def _words_of(article: Article) -> str:
    heading = f"{article.title} {article.severity}"
    return slug(" ".join((heading, *(rule.text for rule in article.rules))))


def _words_in(article: SourceArticle) -> str:
    return slug(" ".join((article.heading, *(rule.line for rule in article.rules))))


def _dropped(article: Article, source: FileFacts) -> Finding:
    first = article.title_rule or article.rules[0]
    return Finding(
        first.text_span,
        f"Article {article.roman} is not in {source.path} any more, yet agents are held to it.",
        "Delete the article, or add it to the source.",
        related=(Related(source.path, first_line(source), "This is the source."),),
    )


def _differing(
    facts: FileFacts, article: Article, given: SourceArticle, source: FileFacts
) -> Finding:
    place, lost = article.title_rule or article.rules[0], False
    if slug(f"{article.title} {article.severity}") == slug(given.heading):
        pairs = zip(article.rules, given.rules, strict=False)
        differing = ((rule, now) for rule, now in pairs if slug(rule.text) != slug(now.line))
        found = next(differing, None)
        if found:
            place, lost = found[0], slug(found[0].text) == slug(found[1].text)
    effect = (
        f"The points below this rule in {source.path} are missing, so no agent reads them."
        if lost
        else f"Article {article.roman} says something else in {source.path}, so no agent reads that."
    )
    return Finding(
        place.text_span,
        effect,
        _REMEDY,
        _update(facts, article, given),
        (Related(source.path, given.span, "The article in the source."),),
    )


def _update(facts: FileFacts, article: Article, given: SourceArticle) -> Fix | None:
    """Put the source's rules in the places of the article's, add what is missing, delete the rest."""
    own = sorted(article.rules, key=lambda rule: (rule.index or 0, rule.line))
    title = article.title_rule
    if title is None or not all(rule.key for rule in (title, *own)):
        return None
    lines = [rule.line for rule in given.rules]
    edits = [
        TextEdit(rule.text_span, text)
        for rule, text in zip((title, *own), (given.heading, *lines), strict=False)
        if slug(rule.text) != slug(text)
    ]
    edits += (TextEdit(whole_line(facts.text, rule.span), "") for rule in own[len(lines) :])
    last = max((title, *own), key=lambda rule: rule.span)
    if lines[len(own) :]:
        at = Span(last.span.end, last.span.end)
        start = next_index(own[0], own) if own else 1
        edits.append(TextEdit(at, _lines(facts, given.number, lines[len(own) :], start)))
    title_of_fix = f"Bring article {article.roman} up to date"
    return Fix(title_of_fix, False, tuple((facts.path, edit) for edit in edits))


def _lines(facts: FileFacts, number: int, texts: list[str], start: int) -> str:
    """New lines of an article, each after a line break."""
    end = line_break(facts.text)
    rules = enumerate(texts, start)
    return "".join(f"{end}CONSTITUTION_RULE_ART{number}_{i}={text}" for i, text in rules)


def _missing(
    facts: FileFacts,
    document: ConstitutionDocument,
    missing: list[SourceArticle],
    source: FileFacts,
) -> Finding:
    titles = ", ".join(article.heading for article in missing)
    fix = None
    if document.rules.mode == "keyvalue":
        at = len(facts.text.rstrip("\r\n"))
        lines = "".join(
            _lines(facts, a.number, [a.heading, *(rule.line for rule in a.rules)], 0)
            for a in missing
        )
        fix = Fix("Add what is missing", False, ((facts.path, TextEdit(Span(at, at), lines)),))
    return Finding(
        first_line(facts),
        f"No agent reads what {source.path} has in addition, because it is not here: {titles}.",
        _REMEDY,
        fix,
        tuple(Related(source.path, article.span, "In the source.") for article in missing),
    )


RULE = TreeRule(
    code="SYN203",
    name="stale-constitution",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.CONSTITUTION}),
    check=check,
    reads={"source": Reach.EVERYWHERE},
)
