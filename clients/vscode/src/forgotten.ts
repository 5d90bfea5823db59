/**
 * Findings that are shown though nobody would take them back. Pure.
 *
 * When a file is closed, renamed or deleted, the library pulls its findings a last time and then forgets
 * that it shows them. The server is asked by the ids of what is shown (LSP 3.18, `PreviousResultId`), so
 * it does not learn that there is something to take back.
 */

/** A file, however the editor writes its address. */
interface Address {
  toString(): string;
}

/** Stands for a result that the server cannot have given: whatever holds now is told anew. */
const UNKNOWN = "forgotten";

/** The ids of the files in `shown` that `known` has none of. */
export function forgotten<T extends Address>(
  known: readonly { readonly uri: T }[],
  shown: readonly T[],
): { readonly uri: T; readonly value: string }[] {
  const remembered = new Set(known.map(({ uri }) => uri.toString()));
  return shown
    .filter((uri) => !remembered.has(uri.toString()))
    .map((uri) => ({ uri, value: UNKNOWN }));
}
