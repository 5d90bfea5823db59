/** What editors have that are newer than the oldest one we run in. Everything may be absent. */

import * as vscode from "vscode";

/** A part of a message; each is what the constructor of its name makes. */
type Part = object;
type Make<A extends readonly unknown[]> = new (...args: A) => Part;

export interface Newer {
  readonly lm?: {
    /** VS Code 1.95. */
    readonly registerTool?: (
      name: string,
      tool: {
        invoke(options: { readonly input: unknown }): Promise<object>;
        prepareInvocation(): { readonly invocationMessage: string };
      },
    ) => vscode.Disposable;
    /** VS Code 1.101. */
    readonly registerMcpServerDefinitionProvider?: (
      id: string,
      provider: {
        readonly onDidChangeMcpServerDefinitions: vscode.Event<void>;
        provideMcpServerDefinitions(): readonly object[];
      },
    ) => vscode.Disposable;
  };
  readonly LanguageModelTextPart?: Make<[text: string]>;
  readonly LanguageModelToolCallPart?: Make<[id: string, name: string, input: object]>;
  readonly LanguageModelToolResultPart?: Make<[id: string, content: readonly Part[]]>;
  readonly LanguageModelToolResult?: Make<[content: readonly Part[]]>;
  readonly McpStdioServerDefinition?: Make<
    [
      label: string,
      command: string,
      args: readonly string[],
      env: Readonly<Record<string, string>>,
      version: string | undefined,
    ]
  >;
  /** Cursor's own. */
  readonly cursor?: {
    readonly mcp?: {
      registerServer(config: {
        readonly name: string;
        readonly server: {
          readonly command: string;
          readonly args: readonly string[];
          readonly env: Readonly<Record<string, string>>;
        };
      }): void;
      unregisterServer(name: string): void;
    };
  };
}

export const newer: Newer = vscode as unknown as Newer;
