/**
 * This module finds diagnostics that are still shown though the client library no longer tracks
 * them. Pure.
 *
 * When a file is closed, renamed or deleted, the library pulls its diagnostics a last time and
 * drops their result ids. The server is asked with the ids of what is shown (LSP 3.18,
 * `PreviousResultId`), so without this it does not learn that there is something to take back.
 */

/** A file, however the editor writes its address. */
interface UriLike {
  toString(): string;
}

/** A result id that the server never gives, so that it reports the file anew. */
const STALE_RESULT_ID = "forgotten";

/** Returns result ids for the files in `shown` that `knownResults` lacks. */
export function staleResultIds<T extends UriLike>(
  knownResults: readonly { readonly uri: T }[],
  shownUris: readonly T[],
): { readonly uri: T; readonly value: string }[] {
  const knownUris = new Set(knownResults.map(({ uri }) => uri.toString()));
  return shownUris
    .filter((uri) => !knownUris.has(uri.toString()))
    .map((uri) => ({ uri, value: STALE_RESULT_ID }));
}
