/**
 * This module renders Markdown for tooltips and pages. Text from a workspace must never become
 * links or markup. Pure.
 */

/** Words of which a renderer makes a link, whatever is escaped in them. The server has the same. */
const LINKED_WORD = /[/]{2}|www\.|mailto:|.@|@.*\.[^.:/-]/i;
/** What may be such a word, and what stands between. The server has the same. */
const WORDS = /[^\s!"$-,;-?[-^`{-~\u2010-\u2027]+|[\s!"$-,;-?[-^`{-~\u2010-\u2027]+/g;

/**
 * Escapes text so that Markdown shows it as it is and on one line. What would become a link is
 * code.
 */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/\s*[\r\n]\s*/g, " ")
    .replace(WORDS, (word) =>
      LINKED_WORD.test(word) ? `\`${word}\`` : word.replace(/[\\`*_{}[\]()#+!|<>~$&]/g, "\\$&"),
    );
}

/**
 * What an emoji or a script needs where it stands, as `is_needed` of the server has it, and emoji
 * and signs of currency that are newer than this editor.
 */
const NEEDED = [
  /[\u20a0-\u20cf\u{1f000}-\u{1faff}]/u,
  /(?<=\p{Emoji})[\ufe0e\ufe0f]/u,
  /(?<=(?![#*0-9])\p{Emoji}|\ufe0f)\u200d(?=(?![#*0-9])\p{Emoji})/u,
  /(?<=[\u0600-\u109f\u1700-\u1cff\ua800-\uabff\ufb50-\ufefc])[\u180b-\u180d\u200c\u200d]/u,
  /(?<=\p{Ideographic})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]/u,
]
  .map((pattern) => pattern.source)
  .join("|");
const UNSEEN = new RegExp(
  `(?!${NEEDED})[\\p{Cf}\\p{Cn}\\p{Default_Ignorable_Code_Point}\\u2800\\u{16fe4}\\u{1d159}]`,
  "gu",
);

/**
 * Returns words of a workspace as a terminal may be given them: on one line, with nothing that
 * steers it or that nobody sees.
 */
export function visibleText(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ").replace(UNSEEN, "\ufffd");
}

/** Returns visible words of a workspace as a model may be given them: no tag is in them. */
export function inertText(text: string): string {
  return visibleText(text)
    .replace(/<([^<>]*)>/g, "($1)")
    .replace(/<(?=[\s/]*\p{L})/gu, "(");
}

/** What a greeting has besides text: inline code, in which nothing is markup, and labels in bold. */
const GREETING_MARKUP = /((?<!`)`[^`\n]+`(?!`)|\*\*[\p{L}\p{N} -]+:?\*\*)/u;

/**
 * Returns the greeting of an agent with no markup but its own lists, labels and inline code. What it
 * tells of agents, stories and commits comes from a repository: it becomes no link, image, heading
 * or HTML.
 */
export function greetingMarkdown(greeting: string): string {
  return greeting.split(/\r?\n/).map(greetingLine).join("\n");
}

function greetingLine(line: string): string {
  const bullet = /^ *- /.exec(line)?.[0] ?? "";
  const parts = line.slice(bullet.length).split(GREETING_MARKUP);
  const [first = "", ...rest] = parts.map((part, at) => (at % 2 ? part : escapeMarkdown(part)));
  // At the beginning of a line these are the marks of lists, headings and rules.
  const begun = first.replace(/^(\s*)([-=:])/, "$1\\$2").replace(/^(\s*\d+)\./, "$1\\.");
  return [bullet, begun, ...rest].join("");
}

/** Returns a heading and lines of name and value; lines without a value are left out. */
export function markdownDescription(
  title: string,
  rows: readonly (readonly [name: string, value: string | null | undefined])[],
  ...paragraphs: readonly string[]
): string {
  const lines = rows.flatMap(([name, value]) =>
    value ? [`${name}: ${escapeMarkdown(value)}`] : [],
  );
  return [`**${escapeMarkdown(title)}**`, lines.join("  \n"), ...paragraphs]
    .filter(Boolean)
    .join("\n\n");
}

/**
 * Returns text in a code block. The fence is longer than any in the text, so that a rule cannot end
 * it.
 */
export function codeFence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}\n`;
}

/** Returns a Markdown table. The text of a cell stands on one line and is never markup. */
export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(tableCell).join(" | ")} |`;
  return [line(headings), `|${" --- |".repeat(headings.length)}`, ...rows.map(line)].join("\n");
}

function tableCell(text: string): string {
  return escapeMarkdown(text.replace(/\s*\r?\n\s*/g, " ⏎ ")).trimEnd();
}
