/** The running server as the extension sees it. The client library, most of our code, stays behind it. */

import type { CancellationToken } from "vscode";
import type { InitializeResult } from "vscode-languageclient/node";

/** A method of the protocol that takes `P` and is answered with `R`. */
export interface Method<P, R> {
  readonly name: string;
  /** For the compiler only: without a use of them the types would be anything's. */
  readonly types?: (params: P) => R;
}

export interface Connection {
  /** What the server said of itself. */
  readonly initializeResult: InitializeResult | undefined;
  /** Rejects with a `Refusal` where the server has no answer. */
  ask<P, R>(method: Method<P, R>, params: P, token?: CancellationToken): Promise<R>;
}

/** An error that the server answered with (JSON-RPC 2.0, section 5.1). */
export interface Refusal extends Error {
  readonly code: number;
}

export function method<P, R>(name: string): Method<P, R> {
  return { name };
}

/** By what it has: the library's class is another one in each bundle. */
export function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && "code" in error && typeof error.code === "number";
}
