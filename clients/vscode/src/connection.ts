/**
 * This module types the connection to the running server; the LSP client library, most of our code,
 * stays behind it.
 */

import type { CancellationToken } from "vscode";
import type { ExecuteCommandParams, InitializeResult } from "vscode-languageclient/node";

/** A method of the protocol that takes `P` and is answered with `R`. */
export interface Method<P, R> {
  readonly name: string;
  /** For the compiler only: without a use of them the types would be anything's. */
  readonly types?: (params: P) => R;
}

export interface Connection {
  /** The server's answer to `initialize`. */
  readonly initializeResult: InitializeResult | undefined;
  /** Rejects with a `Refusal` where the server has no answer. */
  request<P, R>(method: Method<P, R>, params: P, token?: CancellationToken): Promise<R>;
}

/** An error that the server answered with (JSON-RPC 2.0, section 5.1). */
export interface RequestRefusal extends Error {
  readonly code: number;
}

export function method<P, R>(name: string): Method<P, R> {
  return { name };
}

/** LSP 3.18; what the answer is, each command knows. */
export const executeCommand = method<ExecuteCommandParams, unknown>("workspace/executeCommand");

/**
 * Returns whether an error is a refusal, by its fields: the library's class differs in each bundle.
 */
export function isRefusal(error: unknown): error is RequestRefusal {
  return error instanceof Error && "code" in error && typeof error.code === "number";
}
