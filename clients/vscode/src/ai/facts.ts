/** What a chat or a tool can ask. Pure; the server answers. */

import type { Position } from "vscode-languageclient/node";
import type { Context, Explanation, QuestionParams } from "../protocol";
import type { Account } from "../protocolTree";
import type { Finding } from "./answers";

/** Something in a file. */
export interface Place {
  readonly uri: string;
  readonly position: Position;
}

/** Each is about the tree that one is working in, unless a question names another. */
export interface Facts {
  context(question: QuestionParams): Promise<Context>;
  explain(question: QuestionParams): Promise<Explanation>;
  /** The accounts of what is called so; none where nothing is. */
  named(rule: string): Promise<readonly Account[]>;
  /** The accounts of what stands there; none where no rule does. */
  at(place: Place): Promise<readonly Account[]>;
  /** The findings in a file, or in all trees. */
  findings(uri?: string): Promise<readonly Finding[]>;
  /** The URI of a file that is named by its path, absolute or in the workspace. */
  uriOf(path: string): string;
}
