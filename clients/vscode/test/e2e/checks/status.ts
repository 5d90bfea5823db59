/** The status item, before and after an agent has been at work. */

import { sendPrompt } from "../agentPrompt.ts";
import type { SuiteContext } from "../suite.ts";
import { blockTokens } from "../synapseProgram.ts";

const STATE = ".aiox/story-development-20260302-k7w2p9-state.yaml";

export async function checks(context: SuiteContext): Promise<void> {
  const { check, picture, read, window, write } = context;

  await check("opening the folder brings up bracket and share left", async () => {
    await window.statusItem(/FRESH · 100% left/).waitFor();
  });

  await check("a workflow that an agent takes on changes the status", async () => {
    await window.statusItem(`${blockTokens(context)} tokens`).waitFor();
    const state = read(STATE)
      .replace("current_phase: in_development", "current_phase: qa_review")
      .replace("current_step_index: 1", "current_step_index: 2");
    write(STATE, state);
    const after = `${blockTokens(context)} tokens`;
    await window.statusItem(after).waitFor();
    await window.pointAt(window.statusItem(after), "Workflow: story-development, qa_review");
  });

  await check("a prompt of an agent moves bracket and share left", async () => {
    sendPrompt(context, "s1", "@dev go", 100_000);
    await window.statusItem("MODERATE · 50% left").waitFor();
    const item = window.statusItem("MODERATE · 50% left · @dev · nothing new");
    await window.pointAt(item, "Agent: @dev");
    await picture("status");
  });

  await check("the walkthrough has ticked off what is there already", async () => {
    await window.run("Welcome: Open Walkthrough");
    await window.pick("Get Started with Synapse");
    for (const step of ["Python, and nothing else", "A rule tree for your project"]) {
      await window.page.getByRole("checkbox", { name: `${step}: Completed` }).waitFor();
    }
  });
}
