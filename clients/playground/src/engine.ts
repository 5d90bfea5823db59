/** The engine as the page sees it: questions to the worker, and its answers. */

export type Files = Record<string, string>;

export interface Finding {
  path: string;
  line: number;
  start: number;
  end: number;
  code: string;
  name: string;
  severity: "error" | "warning" | "info" | "hint";
  message: string;
  remedy: string;
}

export interface State {
  files: Files;
  findings: Finding[];
  changed?: string[];
}

export interface Choice {
  id: string;
  title: string;
}

export interface Domain {
  label: string;
  layer: string | null;
  reason: string;
  remedy: string;
  rules: { key: string; text: string; tokens: number; rendered: boolean; reason: string; remedy: string }[];
}

export interface Answer {
  context: { block: string; bracket: string; budget: number; unbounded: boolean; tokens: number; notes: string[] };
  explanation: { domains: Domain[] };
  choices: { agents: Choice[] };
}

export interface Question {
  prompt: string;
  agent?: string;
  remaining: number;
}

/** Asks the worker; answers come in the order of the questions. */
export class Engine {
  private readonly worker = new Worker("worker.js", { type: "module" });
  private readonly waiting = new Map<number, { resolve(result: never): void; reject(error: Error): void }>();
  private last = 0;

  constructor() {
    this.worker.onmessage = (event: MessageEvent<{ id: number; reply: string }>) => {
      const { id, reply } = event.data;
      const asker = this.waiting.get(id);
      this.waiting.delete(id);
      const answer = JSON.parse(reply) as { result: never; error?: string };
      if (answer.error === undefined) {
        asker?.resolve(answer.result);
      } else {
        asker?.reject(new Error(answer.error));
      }
    };
    this.worker.onerror = (event) => {
      for (const asker of this.waiting.values()) {
        asker.reject(new Error(event.message || "Python could not be loaded."));
      }
      this.waiting.clear();
    };
  }

  open(files: Files): Promise<State> {
    return this.ask("open", files);
  }

  edit(path: string, text: string): Promise<State> {
    return this.ask("edit", path, text);
  }

  fixes(finding: Finding): Promise<string[]> {
    return this.ask("fixes", finding.path, finding.start, finding.end);
  }

  /** Applies one of the fixes that `fixes` named last. */
  fix(number: number): Promise<State> {
    return this.ask("fix", number);
  }

  fixAll(): Promise<State> {
    return this.ask("fix_all");
  }

  question(question: Question): Promise<Answer> {
    return this.ask("ask", question);
  }

  beginSession(): Promise<void> {
    return this.ask("begin_session");
  }

  /** The text that the hook adds to a prompt; `used`: tokens in the agent's window. */
  send(prompt: string, used: number): Promise<{ text: string; bracket: string }> {
    return this.ask("send", prompt, used);
  }

  private ask<T>(method: string, ...params: unknown[]): Promise<T> {
    const id = ++this.last;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (result: never) => void, reject });
      this.worker.postMessage({ id, request: JSON.stringify({ method, params }) });
    });
  }
}
