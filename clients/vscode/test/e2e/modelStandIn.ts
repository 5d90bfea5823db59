/** Stands in for a language model: speaks Chat Completions on loopback and keeps what it was asked. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the checks read of a request. */
export interface ModelRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly stream?: boolean;
}

interface ToolCall {
  readonly tool: string;
  readonly input: object;
}

const SUMMARY = "<summary>They have spoken.</summary>";
const ANSWER_TOKENS = 20;

export class ModelStandIn {
  readonly requests: ModelRequest[] = [];
  /** The tokens that the prompts of its answers are said to have; undefined says nothing of them. */
  promptTokens: number | undefined;
  private readonly calls: ToolCall[] = [];
  private readonly server: Server;
  private readonly reply: string;

  /** Its answers say `saying`. */
  private constructor(saying: string) {
    this.reply = saying;
    this.server = createServer((request, response) => void this.answer(request, response));
    this.server.unref();
  }

  static async start(saying: string): Promise<ModelStandIn> {
    const model = new ModelStandIn(saying);
    await new Promise<void>((resolve) => model.server.listen(0, "127.0.0.1", resolve));
    return model;
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/v1/chat/completions`;
  }

  /** Makes it call a tool, once, in its next answer to a request that offers it. */
  queueToolCall(tool: string, input: object): void {
    this.calls.push({ tool, input });
  }

  /** The requests in which some message has all of these words. */
  requestsWith(...words: readonly string[]): readonly ModelRequest[] {
    return this.requests.filter(({ messages }) =>
      messages.some((message) =>
        words.every((word) => messageText(message.content).includes(word)),
      ),
    );
  }

  /** Those of them that move a conversation on: titles are asked for without tools, summaries by their tag. */
  turnsWith(...words: readonly string[]): readonly ModelRequest[] {
    return this.requestsWith(...words).filter(
      (request) =>
        request.tools !== undefined && request.tools.length > 0 && !asksForSummary(request),
    );
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) {
      body += chunk;
    }
    const modelRequest = JSON.parse(body) as ModelRequest;
    this.requests.push(modelRequest);
    const call = this.nextCall(modelRequest);
    const message = call
      ? { role: "assistant", tool_calls: [toolCallMessage(call)] }
      : { role: "assistant", content: asksForSummary(modelRequest) ? SUMMARY : this.reply };
    const end = call ? "tool_calls" : "stop";
    const usage = this.usage();
    if (modelRequest.stream) {
      const chunk = (choice: object, rest: object = {}): string => {
        const object = "chat.completion.chunk";
        const choices = [{ index: 0, ...choice }];
        return `data: ${JSON.stringify({ id: "1", object, choices, ...rest })}\n\n`;
      };
      response.setHeader("content-type", "text/event-stream");
      response.write(chunk({ delta: message, finish_reason: null }));
      response.write(chunk({ delta: {}, finish_reason: end }, usage));
      response.end("data: [DONE]\n\n");
    } else {
      const choices = [{ index: 0, message, finish_reason: end }];
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ id: "1", object: "chat.completion", choices, ...usage }));
    }
  }

  private usage(): object {
    const { promptTokens } = this;
    if (promptTokens === undefined) {
      return {};
    }
    const total_tokens = promptTokens + ANSWER_TOKENS;
    return {
      usage: { prompt_tokens: promptTokens, completion_tokens: ANSWER_TOKENS, total_tokens },
    };
  }

  private nextCall({ tools }: ModelRequest): ToolCall | undefined {
    const offered = tools?.map((tool) => tool.function.name) ?? [];
    const index = this.calls.findIndex(({ tool }) => offered.includes(tool));
    return index < 0 ? undefined : this.calls.splice(index, 1)[0];
  }
}

/** Whether it is to take the place of a conversation; it is asked to put that between tags. */
export function asksForSummary({ messages }: ModelRequest): boolean {
  return messageText(messages.at(-1)?.content).includes("<summary>");
}

/** The text of a message, whichever of its shapes it has. */
export function messageText(content: unknown): string {
  if (typeof content === "string") {
    return content;
  }
  const parts = Array.isArray(content) ? (content as { readonly text?: string }[]) : [];
  return parts.map(({ text }) => text ?? "").join("");
}

function toolCallMessage({ tool, input }: ToolCall): object {
  return {
    index: 0,
    id: "call_1",
    type: "function",
    function: { name: tool, arguments: JSON.stringify(input) },
  };
}
