/** The methods that the server adds to the protocol, as `docs/protocol.md` describes them. */

import { NotificationType, RequestType } from "vscode-languageclient/node";

/** The tree that is asked about: the one that a file or folder belongs to. */
export interface TreeParams {
  readonly uri?: string;
}

/** An id, and what comes with it. Null where nothing is active. */
export interface Sourced {
  readonly id: string | null;
  readonly phase?: string | null;
}

export interface Status {
  /** A URI, as all places in the protocol. */
  readonly root: string;
  readonly bracket: string;
  readonly usage: { readonly remaining: number; readonly source: string };
  readonly tokens: number;
  readonly budget: number;
  readonly agent: Sourced | null;
  readonly workflow: Sourced | null;
  readonly task: Sourced | null;
}

export interface Context {
  readonly block: string;
}

export interface ContextChange {
  readonly root: string;
}

export const status = new RequestType<TreeParams, Status, void>("synapse/status");
export const context = new RequestType<TreeParams, Context, void>("synapse/context");
export const didChangeContext = new NotificationType<ContextChange>("synapse/didChangeContext");
