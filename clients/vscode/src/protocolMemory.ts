/** The methods and commands about what agents remember, and about bringing them up. */

import type { Location } from "vscode-languageclient/node";
import { method } from "./connection";
import type { TreeParams } from "./protocol";

export interface Memory {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** What it is, such as "decision". */
  readonly type: string;
  readonly tags: readonly string[];
  /** Whose it is; null where it is shared. */
  readonly agent: string | null;
  readonly sector: string;
  /** "session", "daily" or "durable". */
  readonly storage: string;
  /** "hot", "warm" or "cold". */
  readonly tier: string;
  readonly score: number;
  readonly evidence: number;
  /** ISO 8601, as all times. */
  readonly created: string | null;
  readonly expires: string | null;
  readonly explicit: boolean;
  readonly archived: boolean;
  readonly location: Location | null;
}

export interface Memories {
  /** The best first. */
  readonly memories: readonly Memory[];
  readonly counts: { readonly total: number; readonly archived: number };
}

/** What an agent that was brought up greets with. */
export interface Activation {
  readonly agent: { readonly id: string; readonly name: string | null };
  /** Markdown. */
  readonly greeting: string;
  readonly notes: readonly string[];
}

export const memory = method<
  TreeParams & { readonly query?: string; readonly archived?: boolean },
  Memories
>("synapse/memory");
