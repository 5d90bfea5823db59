/** What an agent does that an editor is to notice. */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { SuiteWorkspace } from "./suite.ts";

/** A prompt in a session, which runs the hook. `used` are the tokens of its window by then. */
export function sendPrompt(
  place: SuiteWorkspace,
  session: string,
  prompt: string,
  used: number,
): void {
  const { python, scratch, workspace } = place;
  const transcript = path.join(scratch, `${session}.jsonl`);
  const message = { model: "claude-sonnet-4-5", usage: { input_tokens: used } };
  writeFileSync(transcript, `${JSON.stringify({ type: "assistant", message })}\n`);
  const event = "UserPromptSubmit";
  execFileSync(python, ["-m", "synapse_ls", "hook", "--event", event], {
    input: JSON.stringify({
      session_id: session,
      cwd: workspace,
      transcript_path: transcript,
      prompt,
      hook_event_name: event,
    }),
  });
}
