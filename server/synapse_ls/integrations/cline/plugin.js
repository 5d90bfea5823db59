const MAX_SECONDS = 2.5; // Cline waits three seconds for a plugin

/**
 * Returns what a person typed into a message: Cline puts a tag with its mode around it, once. What
 * is attached may have such tags, too: where there are more, nothing is known to be typed.
 */
function typedText({ content }) {
  const parts = Array.isArray(content) ? content : [{ type: "text", text: content }];
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text ?? ""] : []));
  const marked = texts.filter((text) => /<user_input\b/.test(text));
  if (!marked.length) return texts.filter((text) => texts.length === 1 || !/^\s*</.test(text)).join("\n");
  const [before, inner, ...rest] = marked[0].split(/<\/?user_input\b/);
  const isPlain = marked.length === 1 && rest.length === 1 && !before.trim();
  return isPlain ? inner.slice(inner.indexOf(">") + 1) : "";
}

/** Returns the last message that is not Cline's own. */
const lastPrompt = (messages) =>
  messages.findLast((message) => message.role === "user" && message.metadata?.displayRole !== "system");

/** Returns a word as a shell reads it. */
const quoted = (word) =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${String(word).replaceAll("'", "'\\''")}'`;

/** Returns the command lines of the tool that runs some, one in each line. */
const commandLines = (input) =>
  [input?.commands ?? input?.command ?? input?.cmd ?? input]
    .flat()
    .map((one) => (one?.args ? [one.command, ...one.args].map(quoted).join(" ") : (one?.command ?? one)))
    .join("\n");

/** Returns the fields about the use of a tool. */
function toolFields({ toolCallId, toolName }, input) {
  let given = input;
  if (toolName === "run_commands")
    given = { command: commandLines(input?.args && !input.commands ? [input] : input) };
  else if (Array.isArray(input) || typeof input === "string")
    given = toolName === "read_files" ? { files: [input].flat() } : { input };
  return { tool_name: toolName, tool_input: given, tool_use_id: toolCallId };
}

/** Returns what a tool said, as text. */
const outputText = (output) =>
  [output]
    .flat()
    .map((item) => (typeof item === "string" ? item : [item?.result, item?.error].filter((said) => typeof said === "string").join("\n") || JSON.stringify(item ?? "")))
    .join("\n");

/** Returns the fields about model and usage: how much the last answer was sent. */
function usageFields({ messages }) {
  const last = messages.findLast(({ role, metrics }) => role === "assistant" && metrics?.inputTokens);
  return last ? { model: last.modelInfo?.id ?? "", context_tokens: last.metrics.inputTokens } : {};
}

const createPlugin = () => {
  let session = "";
  let folder = "";

  /** Calls the hook about an agent and returns its reply; a sub-agent is a window of its session. */
  function tell(event, { agentId, conversationId, parentAgentId }, fields) {
    const cwd = folder || process.cwd();
    const place = { session_id: session || conversationId, cwd, ...(parentAgentId ? { agent_id: agentId } : {}) };
    return callHook(event, { ...place, ...fields }, cwd, MAX_SECONDS);
  }

  return {
    name: "synapse",
    manifest: { capabilities: ["hooks"] },

    setup(_, context) {
      session = context?.session?.sessionId ?? "";
      folder = context?.workspaceInfo?.rootPath ?? "";
    },

    hooks: {
      async beforeModel({ snapshot, request }) {
        const prompt = lastPrompt(snapshot.messages);
        if (!prompt) return undefined;
        const reply = await tell("UserPromptSubmit", snapshot, {
          prompt: typedText(prompt),
          message_id: prompt.id,
          ...usageFields(snapshot),
        });
        const text = contextOf(reply);
        if (!text) return undefined;
        const part = { type: "text", text };
        const last = request.messages.at(-1);
        // The request is the model's alone: what is added to it is not kept with the session.
        const messages =
          last?.role === "user" && Array.isArray(last.content)
            ? [...request.messages.slice(0, -1), { ...last, content: [...last.content, part] }]
            : [...request.messages, { id: `synapse_${prompt.id}`, role: "user", content: [part], createdAt: Date.now() }];
        return { messages };
      },

      async beforeTool({ snapshot, toolCall, input }) {
        const reply = await tell("PreToolUse", snapshot, toolFields(toolCall, input));
        const { permissionDecision, permissionDecisionReason } = reply.hookSpecificOutput ?? {};
        if (permissionDecision === "deny") return { skip: true, reason: permissionDecisionReason };
        return contextOf(reply) ? { appendContext: contextOf(reply) } : undefined;
      },

      async afterTool({ snapshot, toolCall, input, result }) {
        const said = shorten(outputText(result.output));
        const failed = result.isError || [result.output].flat().some((item) => item?.success === false);
        const reply = await tell(failed ? "PostToolUseFailure" : "PostToolUse", snapshot, {
          ...toolFields(toolCall, input),
          ...(failed ? { error: said } : { tool_response: { output: said } }),
        });
        return contextOf(reply) ? { appendContext: contextOf(reply) } : undefined;
      },

      async afterRun({ snapshot }) {
        await tell("Stop", snapshot, usageFields(snapshot));
      },
    },
  };
};

export const plugin = createPlugin();
export default plugin;
