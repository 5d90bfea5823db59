"""The constitution is out of date with the Markdown that it was made from.

## What it does

Compares each article of `.synapse/constitution` with the source (`.aiox-core/constitution.md`, or
`paths.constitution` of the configuration), word by word, without back-ticks and bold marks. What
stands beside the rules of an article counts where it demands something: “Only @devops may push”.
Articles that one of the two lacks count too. A constitution that shares most of its articles with
no source is one of your own, and is left alone; so is one whose articles say in words of their own
what those of the source say, such as a summary or a translation.

One that `synapse constitution build` has made is compared character by character, with its tables
and gates: its stamps also show what somebody has edited in it since.

## Why it matters

Agents are held to the old words. What was added to the source since, and the points nested below a
rule, which the reference's generator drops, are not in the block.

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

The article's rules become those of the source, each with its points on one line; the title of a
part such as IV-A becomes a rule, too. What is injected changes. `synapse constitution build` does
the same for the whole file. The reference's generator, which its files ask for in their first
lines, loses the points again."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from synapse_ls.formats import constitution_source
from synapse_ls.formats.constitution_file import Article, ConstitutionDocument, to_roman
from synapse_ls.formats.name_normalization import to_slug
from synapse_ls.lint.fixes import next_index, own_fix, single_edit_fix
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import first_line_span
from synapse_ls.text.finding import Finding, Fix, Related
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.line_index import line_break_style
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, with_line_break

_SHOWN_KEYS = 3  # keys in a message
_REMEDY = "Bring the article up to date with its source."
_GENERATOR = "generate-constitution.js"  # of the reference; the files that it makes ask for it
_LOSSY_REMEDY = (
    f"Bring the article up to date with its source, but not with `{_GENERATOR}`, which loses such "
    "points."
)


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each article of the constitution that differs from its Markdown source,
    or is only in one of both.
    """
    document = facts.document
    if not isinstance(document, ConstitutionDocument) or tree.home_of(facts.path).squad:
        return
    # The first of the configured sources that has articles.
    for path in tree.snapshot.config.paths.constitution:
        if (
            (source := tree.snapshot.facts(path))
            and isinstance(source.document, constitution_source.ConstitutionSource)
            and source.document.articles
        ):
            break
    else:
        return
    if constitution_source.STAMP.search(facts.text):
        yield from _built_findings(facts, document, source, source.document)
        return
    articles_by_number = {article.number: article for article in source.document.articles}
    articles = {article.number: article for article in document.articles}
    alike_count = sum(
        n in articles_by_number and to_slug(a.title) == to_slug(articles_by_number[n].title)
        for n, a in articles.items()
    )
    if not (articles and 2 * alike_count >= len(articles)) or _has_own_words(
        articles, articles_by_number
    ):
        return
    numbers = Counter(article.number for article in source.document.articles)
    shared = {number for number, count in numbers.items() if count > 1}
    for number, article in articles.items():
        if number not in articles_by_number:
            first = article.title_rule or article.rules[0]
            yield Finding(
                first.text_span,
                f"Article {article.roman} is not in {source.path} any more, yet agents are held to "
                "it.",
                "Delete the article, or add it to the source.",
                related=(Related(source.path, first_line_span(source), "This is the source."),),
            )
            continue
        source_article = articles_by_number[number]
        heading = f"{article.title} {article.severity}"
        words = to_slug(" ".join((heading, *(rule.text for rule in article.rules))))
        if number not in shared and words != _source_words(source_article):
            # The finding for an article that differs from the source.
            place, points = article.title_rule or article.rules[0], 0
            if to_slug(f"{article.title} {article.severity}") == to_slug(source_article.heading):
                differing = (
                    (rule, now)
                    for rule, now in zip(article.rules, source_article.demands, strict=False)
                    if to_slug(rule.text) != to_slug(now.plain_line)
                )
                if differences := next(differing, None):
                    place = differences[0]
                    points = (
                        len(differences[1].points)
                        if to_slug(place.text) == to_slug(differences[1].text)
                        else 0
                    )
            yield Finding(
                place.text_span,
                _describe_difference(article, source_article, source.path, points),
                _LOSSY_REMEDY if points and _GENERATOR in facts.text else _REMEDY,
                _update_fix(facts, article, source_article),
                (Related(source.path, source_article.span, "The article in the source."),),
            )
    if missing := list(_missing_articles(source.document, document, shared)):
        yield _missing_finding(facts, document, source.path, missing, shared)


def _missing_finding(
    facts: FileFacts,
    document: ConstitutionDocument,
    path: str,
    missing: list[constitution_source.SourceArticle],
    shared: set[int],
) -> Finding:
    """Return the finding for articles of the source that the rule file does not have."""
    titles = ", ".join(article.heading for article in missing)
    fix, remedy = None, "Add what is missing."
    if any(article.number in shared for article in missing):
        remedy = f"Give each article of {path} a number of its own, and add what is missing."
    elif document.rules.mode == "keyvalue":
        at = len(facts.text.rstrip("\r\n"))
        lines = "".join(
            _new_lines(facts, a.number, [a.heading, *(rule.plain_line for rule in a.demands)], 0)
            for a in missing
        )
        fix = single_edit_fix(facts, "Add what is missing", Span(at, at), lines)
    return Finding(
        first_line_span(facts),
        f"The block does not have what {path} has in addition: {titles}.",
        remedy,
        fix,
        tuple(Related(path, article.span, "In the source.") for article in missing),
    )


def _missing_articles(
    source: constitution_source.ConstitutionSource,
    document: ConstitutionDocument,
    shared: Collection[int],
) -> Iterator[constitution_source.SourceArticle]:
    """Yield the articles of the source that a rule file does not have; those of a number that two
    share are told apart by their headings.
    """
    numbers = {article.number for article in document.articles}
    titles = {to_slug(f"{article.title} {article.severity}") for article in document.articles}
    for article in source.articles:
        is_told = article.number not in shared or to_slug(article.heading) in titles
        if article.number not in numbers or not is_told:
            yield article


def _built_findings(
    facts: FileFacts,
    document: ConstitutionDocument,
    source: FileFacts,
    source_document: constitution_source.ConstitutionSource,
) -> Iterator[Finding]:
    """Yield one finding for each article of a built file that differs from what a build would write
    now.
    """
    differences = constitution_source.find_differences(facts.text, source_document)
    titles = {article.number: article.title_rule for article in document.articles}
    for number, lines in group_pairs((line.article, line) for line in differences).items():
        place = next((line.rule for line in lines if line.rule is not None), titles.get(number))
        name = f"Article {to_roman(number)}"
        keys = ", ".join(line.key for line in lines[:_SHOWN_KEYS])
        more = f" and {len(lines) - _SHOWN_KEYS} more" if len(lines) > _SHOWN_KEYS else ""
        fix = None
        if any(line.is_edit for line in lines):
            message = (
                f"{name} was edited here since it was built, and {source.path} does not say so: "
                f"{keys}{more}."
            )
            remedy = f"Take the edit into {source.path}, then run `synapse constitution build`."
        else:
            message = f"{name} is not as {source.path} has it now, so agents get an old text"
            message, remedy = f"{message}: {keys}{more}.", "Run `synapse constitution build`."
            edits = constitution_source.update_article(facts.text, source_document, number)
            title = f"Bring article {to_roman(number)} up to date"
            fix = own_fix(facts, title, edits) if place else None
        yield Finding(
            place.text_span if place else first_line_span(facts),
            message,
            remedy,
            fix,
            (Related(source.path, first_line_span(source), "This is the source."),),
        )


def _has_own_words(
    own: Mapping[int, Article], source_articles: Mapping[int, constitution_source.SourceArticle]
) -> bool:
    """Return whether most of the words of most articles are not in the source, so that somebody has
    written them anew.
    """
    copied = []
    for number, article in own.items():
        words = set(to_slug(" ".join(rule.text for rule in article.rules)).split())
        if number in source_articles and words:
            source_words = set(_source_words(source_articles[number]).split())
            copied.append(2 * len(words & source_words) >= len(words))
    return bool(copied) and 2 * sum(copied) < len(copied)


def _source_words(article: constitution_source.SourceArticle) -> str:
    """Return the words of an article of the source, as one slug."""
    return to_slug(" ".join((article.heading, *(rule.plain_line for rule in article.demands))))


def _describe_difference(
    article: Article, source_article: constitution_source.SourceArticle, source: str, points: int
) -> str:
    """Return what an article lacks; ``points``: how many the rule at the finding's place has
    lost.
    """
    # The titles of the parts of an article, such as IV-A, that the rule file has none of.
    slugs = {to_slug(rule.text) for rule in article.rules}
    titles = (rule.text for rule in source_article.rules if rule.is_part)
    absent = ", ".join(f"“{title}”" for title in titles if to_slug(title) not in slugs)
    if points == 1:
        sentence = (
            f"{source} has 1 point below this rule that is missing here, so the block does not "
            "have it."
        )
    elif points:
        sentence = (
            f"{source} has {points} points below this rule that are missing here, so the block "
            "does not have them."
        )
    elif absent:
        return f"{absent} of {source} is missing, so the block does not have it."
    elif added := _added_rules(article, source_article):
        return f"{source} says in addition “{added[0].plain_line}”, and the block does not have it."
    else:
        return (
            f"Article {article.roman} says something else in {source}, so the block does not have "
            "that."
        )
    return f"{sentence} Also missing: {absent}." if absent else sentence


def _added_rules(
    article: Article, source_article: constitution_source.SourceArticle
) -> tuple[constitution_source.SourceRule, ...]:
    """Return what the source says below all that the article has in the same words."""
    slugs = [to_slug(rule.text) for rule in article.rules]
    demanded = [to_slug(rule.plain_line) for rule in source_article.demands]
    return source_article.demands[len(slugs) :] if slugs == demanded[: len(slugs)] else ()


def _update_fix(
    facts: FileFacts, article: Article, source_article: constitution_source.SourceArticle
) -> Fix | None:
    """Return the fix that writes the source's rules in place of the article's, and add or deletes
    the rest.
    """
    rules = sorted(article.rules, key=lambda rule: (rule.index or 0, rule.line))
    if (title := article.title_rule) is None or not all(rule.key for rule in (title, *rules)):
        return None
    lines = [rule.plain_line for rule in source_article.demands]
    edits = [
        TextEdit(rule.text_span, text)
        for rule, text in zip((title, *rules), (source_article.heading, *lines), strict=False)
        if to_slug(rule.text) != to_slug(text)
    ]
    edits += (TextEdit(with_line_break(facts.text, rule.span), "") for rule in rules[len(lines) :])
    last = max((title, *rules), key=lambda rule: rule.span)
    if lines[len(rules) :]:
        at = Span(last.span.end, last.span.end)
        start = next_index(rules[0], rules) if rules else 1
        edits.append(
            TextEdit(at, _new_lines(facts, source_article.number, lines[len(rules) :], start))
        )
    return own_fix(facts, f"Bring article {article.roman} up to date", edits)


def _new_lines(facts: FileFacts, number: int, texts: list[str], start: int) -> str:
    """Return new lines of an article, each after a line break."""
    end = line_break_style(facts.text)
    rules = enumerate(texts, start)
    return "".join(f"{end}CONSTITUTION_RULE_ART{number}_{i}={text}" for i, text in rules)
