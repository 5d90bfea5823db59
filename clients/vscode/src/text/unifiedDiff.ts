/**
 * This module splits a unified diff into the texts before and after, for a side-by-side editor.
 * Pure.
 */

export interface DiffTexts {
  readonly before: string;
  readonly after: string;
}

/** Between parts of a file that lie apart. */
const GAP = "⋯";

export function splitDiff(diff: string): DiffTexts {
  const before: string[] = [];
  const after: string[] = [];
  let inside = false;
  for (const line of diff.split("\n")) {
    const text = line.slice(1);
    if (line.startsWith("@@")) {
      if (inside) {
        before.push(GAP);
        after.push(GAP);
      }
      inside = true;
    } else if (!inside || line.startsWith("\\")) {
      // The names of the files, or a remark that a file ends without a line break.
    } else if (line.startsWith("-")) {
      before.push(text);
    } else if (line.startsWith("+")) {
      after.push(text);
    } else if (line.startsWith(" ")) {
      before.push(text);
      after.push(text);
    }
  }
  return { before: before.join("\n"), after: after.join("\n") };
}
