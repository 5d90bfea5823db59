/** A row of a view, before the editor shows it. Pure. */

import type { Location } from "vscode-languageclient/node";

/** A picture of the editor's own set, or one of ours for each kind of theme, as SVG. */
export type Icon =
  | { readonly codicon: string; readonly color?: string }
  | { readonly dark: string; readonly light: string };

export interface Node {
  /** The same for the same thing at any time: what is unfolded stays so. */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** Markdown. */
  readonly tooltip?: string;
  /** What a screen reader says; without it, label and description. */
  readonly spoken?: string;
  readonly icon?: Icon;
  /** What `when` clauses of its menu ask about. */
  readonly kind?: string;
  /** What commands of its menu are about: the label of a domain, the id of a session. */
  readonly subject?: string;
  /** What a click opens. */
  readonly location?: Location | null;
  /** The URI of the rule file of a domain. */
  readonly file?: string | null;
  /** The situation in which a domain is in the block. */
  readonly wakes?: Readonly<Record<string, string>>;
  readonly children?: readonly Node[];
  readonly folded?: boolean;
}

/** The rows of a view, and a sentence above them or in their place. */
export interface Rows {
  readonly nodes: readonly Node[];
  readonly message?: string;
}
