/** An answer in a chat: Markdown, words that are none, and places that one can go to. Pure. */

import { escaped } from "../markdown";

/** A place, shown as a link. */
export interface Link {
  readonly uri: string;
  /** From 0, as in the protocol. */
  readonly line: number;
  readonly title: string;
}

/** Words of which none is meant as Markdown: what comes from rule files, above all. */
export interface Words {
  readonly words: string;
}

/** A string is Markdown. */
export type Piece = string | Words | Link;

/** An answer for a model, which needs no links and no escapes. */
export function textOf(pieces: readonly Piece[]): string {
  const text = (piece: Words | Link): string => ("words" in piece ? piece.words : piece.title);
  return pieces.map((piece) => (typeof piece === "string" ? piece : text(piece))).join("");
}

/** The Markdown of a piece that is no link. */
export function markdownOf(piece: string | Words): string {
  return typeof piece === "string" ? piece : escaped(piece.words);
}
