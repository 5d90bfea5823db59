/** Tables of Markdown. Pure. */

import { escaped } from "./markdown";

/** What stands in a cell is text, on one line, and never markup. */
export function tableOf(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cellOf).join(" | ")} |`;
  return [line(headings), `|${" --- |".repeat(headings.length)}`, ...rows.map(line)].join("\n");
}

function cellOf(text: string): string {
  return escaped(text)
    .replace(/\s*\r?\n\s*/g, " ⏎ ")
    .trimEnd();
}
