/**
 * This module defines the parts of a chat answer: Markdown, plain text and links to source lines.
 * Pure.
 */

import { escapeMarkdown, inertText } from "../text/markdown";

/** A place, shown as a link. */
export interface SourceLink {
  readonly uri: string;
  /** From 0, as in the protocol. */
  readonly line: number;
  readonly title: string;
}

/** Words of which none is meant as Markdown: what comes from rule files, above all. */
export interface PlainText {
  readonly words: string;
}

/** A string is Markdown. */
export type AnswerPart = string | PlainText | SourceLink;

/** An answer for a model, which needs no links and no escapes. */
export function plainAnswer(parts: readonly AnswerPart[]): string {
  const text = (part: PlainText | SourceLink): string =>
    inertText("words" in part ? part.words : part.title);
  return parts.map((piece) => (typeof piece === "string" ? piece : text(piece))).join("");
}

/** The Markdown of a piece that is no link. */
export function partMarkdown(part: string | PlainText): string {
  return typeof part === "string" ? part : escapeMarkdown(part.words);
}
