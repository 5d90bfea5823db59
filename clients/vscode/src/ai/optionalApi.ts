/**
 * This module types the editor APIs that are newer than the oldest supported VS Code; each may be
 * absent.
 */

import * as vscode from "vscode";

/** A part of a message; each is what the constructor of its name makes. */
type MessagePart = object;
type PartConstructor<A extends readonly unknown[]> = new (...args: A) => MessagePart;

export interface OptionalApi {
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
  readonly LanguageModelTextPart?: PartConstructor<[text: string]>;
  readonly LanguageModelToolCallPart?: PartConstructor<[id: string, name: string, input: object]>;
  readonly LanguageModelToolResultPart?: PartConstructor<
    [id: string, content: readonly MessagePart[]]
  >;
  readonly LanguageModelToolResult?: PartConstructor<[content: readonly MessagePart[]]>;
  readonly McpStdioServerDefinition?: PartConstructor<
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

export const optionalApi: OptionalApi = vscode as unknown as OptionalApi;
