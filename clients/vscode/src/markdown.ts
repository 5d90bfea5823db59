/** Text for tooltips. What comes from a workspace must not become links or markup. Pure. */

/** Text that Markdown shows as it is. */
export function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|<>~$]/g, "\\$&");
}

/** A heading, and below it lines of a name and a value; those without a value are left out. */
export function described(
  title: string,
  rows: readonly (readonly [name: string, value: string | null | undefined])[],
  ...paragraphs: readonly string[]
): string {
  const lines = rows.flatMap(([name, value]) => (value ? [`${name}: ${escaped(value)}`] : []));
  return [`**${escaped(title)}**`, lines.join("  \n"), ...paragraphs].filter(Boolean).join("\n\n");
}

/** Text as it is, in a block. The fence is longer than any in the text, so that a rule cannot end it. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}\n`;
}
