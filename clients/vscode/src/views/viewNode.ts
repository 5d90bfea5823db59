/** This module types a row of a side-bar view, before the editor shows it. Pure. */

import type { Location } from "vscode-languageclient/node";

/** A picture of the editor's own set, or one of ours for each kind of theme, as SVG. */
export type NodeIcon =
  | { readonly codicon: string; readonly color?: string }
  | { readonly dark: string; readonly light: string };

export interface ViewNode {
  /** The stable id, so that unfolded rows stay unfolded. */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** Markdown. */
  readonly tooltip?: string;
  /** The text for a screen reader; without it, label and description. */
  readonly spoken?: string;
  readonly icon?: NodeIcon;
  /** The kind that `when` clauses of its menu use. */
  readonly kind?: string;
  /** The subject of its menu commands: the label of a domain, the id of a session. */
  readonly subject?: string;
  /** The location that a click opens. */
  readonly location?: Location | null;
  /** The URI of the rule file of a domain. */
  readonly file?: string | null;
  /** The situation in which a domain is in the block. */
  readonly wakes?: Readonly<Record<string, string>>;
  readonly children?: readonly ViewNode[];
  readonly folded?: boolean;
}

/** The rows of a view, and a sentence above them or in their place. */
export interface ViewRows {
  readonly nodes: readonly ViewNode[];
  readonly message?: string;
}
