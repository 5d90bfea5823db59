/**
 * A long chat with a stand-in for the model, until its window is full and beyond: at each request the
 * model has what the tree wants, and the figures are those of VS Code's own gauge.
 */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { asksForSummary, type ModelStandIn, messageText } from "../modelStandIn.ts";
import { waitUntil } from "../processes.ts";
import {
  CHAT_SETTINGS,
  provideModel,
  STAND_IN_REPLY,
  StandInChat,
  waitUntilWritten,
} from "../standInChat.ts";
import type { SuiteContext, SuiteWorkspace } from "../suite.ts";
import { runSynapse } from "../synapseProgram.ts";

/** Points by which our figure may differ from the gauge, which is rounded. */
const TOLERANCE = 2;
/** Brackets, and the percentage of the window from which on each is left. */
const BRACKETS = { FRESH: 60, MODERATE: 40, DEPLETED: 25, CRITICAL: 0 };
/** What every request has: the files of rules that hold always. */
const ALWAYS = ["constitution", "global", "money"];

interface Turn {
  readonly prompt: string;
  /** What VS Code is told that the prompt had. */
  readonly tokens: number;
  readonly agent?: string;
  /** The file of rules that a keyword has brought. */
  readonly keyword?: string;
  /** Whether the model uses a tool before it answers. */
  readonly tool?: boolean;
}

interface Phase {
  readonly check: string;
  readonly turns: readonly Turn[];
  /** How the chat is compacted before the first of these turns. */
  readonly compaction?: "background" | "asked";
  readonly edit?: { readonly file: string; readonly text: string; readonly becomes: string };
  /** Whether nothing is injected again in these turns. */
  readonly unchanged?: boolean;
  readonly new?: boolean;
}

export const settings = CHAT_SETTINGS;

let model: ModelStandIn;

export async function prepare(place: SuiteWorkspace): Promise<undefined> {
  mkdirSync(path.join(place.workspace, ".synapse", "sessions"), { recursive: true });
  runSynapse(place, "install", "--client", "vscode", "--scope", "project");
  model = await provideModel(place);
}

interface Status {
  readonly bracket: string;
  readonly usage: { readonly remaining: number; readonly origin: string };
}

export async function checks(context: SuiteContext): Promise<void> {
  const { check, read, window, write } = context;
  const chat = new StandInChat(window);
  let turns = 0;
  let agent = "";

  /** The texts of the rules of a file, as they are now. */
  const rules = (file: string): readonly string[] =>
    [...read(`.synapse/${file}`).matchAll(/^\w+_(?:RULE|AUTH)_\w+=(.+)$/gm)].map(
      ([, text = ""]) => text,
    );

  /**
   * Sends the next prompt, to which the model answers that the prompt had so many tokens. Returns the
   * texts of the requests that it takes, at least ``count``, once the chat's file has the answer.
   */
  const ask = async (words: string, tokens: number, count = 1): Promise<readonly string[]> => {
    turns += 1;
    const prompt = `${words} (turn ${turns}.)`;
    model.promptTokens = tokens + turns;
    await chat.ask(prompt);
    await waitUntil(() => model.turnsWith(prompt).length >= count);
    await chat.waitForAnswer(STAND_IN_REPLY);
    await waitUntilWritten(context, `"promptTokens":${tokens + turns}`);
    return model
      .turnsWith(prompt)
      .map(({ messages }) => messages.map(({ content }) => messageText(content)).join("\n"));
  };

  /**
   * The same; each of the requests has to have all that holds now, and the figures to be right, but for
   * those after `/compact`, which the gauge shows before anything was asked.
   */
  const askAndCheck = async (turn: Turn, isCompacted: boolean): Promise<readonly string[]> => {
    agent = turn.agent ?? agent;
    if (turn.tool) {
      model.queueToolCall("synapse_check", {});
    }
    const gauge = isCompacted ? undefined : await chat.usedPercent();
    const requests = await ask(turn.prompt, turn.tokens, turn.tool ? 2 : 1);
    const status = JSON.parse(
      runSynapse(context, "status", "--session", "current", "--format", "json"),
    ) as Status;
    if (gauge !== undefined) {
      const left = 100 - gauge;
      const difference = Math.abs(status.usage.remaining - left);
      assert.ok(difference <= TOLERANCE, `${status.usage.remaining} % left, not ${left}`);
      assert.equal(status.usage.origin, "VS Code's chat file");
    }
    const bracket = bracketOf(status.usage.remaining);
    assert.equal(status.bracket, bracket);
    for (const request of requests) {
      const wanted = [...ALWAYS, `agent-${agent}`, turn.keyword ?? []].flat().flatMap(rules);
      const ofBracket = read(".synapse/context").matchAll(
        new RegExp(`^CONTEXT_RULE_${bracket}_\\d+=(.+)$`, "gm"),
      );
      const missing = [...wanted, ...[...ofBracket].map(([, text = ""]) => text)].filter(
        (text) => !request.includes(text),
      );
      assert.deepEqual(missing, [], `${turn.prompt} lacks rules`);
      const told = [...request.matchAll(/\[(FRESH|MODERATE|DEPLETED|CRITICAL)\]/g)];
      assert.equal(told.at(-1)?.[1], bracket);
    }
    return requests;
  };

  /** Has the chat compacted, as a person does. */
  const compact = async (): Promise<void> => {
    model.promptTokens = undefined;
    await chat.ask("/compact");
    await chat.waitForAnswer("Compacted conversation.");
    await waitUntilWritten(context, '"summary":{"toolCallRoundId"');
  };

  for (const [index, phase] of recordedChat().entries()) {
    await check(phase.check, async () => {
      if (index === 0) {
        await window.openFile(".synapse/manifest");
        await chat.open();
      }
      if (phase.edit) {
        const { file, text, becomes } = phase.edit;
        write(file, read(file).replace(text, becomes));
      }
      if (phase.new) {
        await chat.startNewChat();
      }
      if (phase.compaction === "background") {
        await waitUntil(() => model.requests.some(asksForSummary));
      } else if (phase.compaction === "asked") {
        await compact();
      }
      const told: number[] = [];
      for (const [place, turn] of phase.turns.entries()) {
        const requests = await askAndCheck(turn, phase.compaction === "asked" && place === 0);
        // While it compacts in the background, VS Code may send a request again.
        assert.ok(requests.length >= (turn.tool ? 2 : 1));
        told.push((requests.at(-1) ?? "").split("[CONSTITUTION]").length);
        assert.ok(phase.compaction === undefined || !requests.join().includes("(turn 2.)"));
      }
      assert.ok(!phase.unchanged || new Set(told).size === 1, told.join());
    });
  }
}

/** The turns of the chat, which the tests of clients that cannot be run replay. */
function recordedChat(): readonly Phase[] {
  const file = new URL("../../../../../tests/hooks/long_chat.json", import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as readonly Phase[];
}

function bracketOf(remaining: number): string {
  return Object.entries(BRACKETS).find(([, floor]) => remaining >= floor)?.[0] ?? "";
}
