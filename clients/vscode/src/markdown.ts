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
