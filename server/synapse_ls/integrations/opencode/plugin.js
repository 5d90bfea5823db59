const MAX_SECONDS = 10;
const ONE_SHOT = process.argv.includes("run"); // one prompt, and the program ends

/** Returns the files that the parts of a prompt attach, as URLs or paths. */
const attachedFiles = (parts) =>
  parts.flatMap((part) =>
    part.type === "file" ? [part.source?.path ?? (/^file:/.test(part.url) ? part.url : "")] : [],
  ).filter(Boolean);

/** Returns how many tokens an answer was sent. */
const sentTokens = ({ input = 0, cache = {} } = {}) =>
  input + (cache.read ?? 0) + (cache.write ?? 0);

export const Synapse = async ({ client, directory }) => {
  const places = new Map(); // session -> who it is for the hook
  const begun = new Set(); // main sessions whose start was told
  const figures = new Map(); // session -> tokens that its last answer was sent
  const windows = new Map(); // "provider/model" -> tokens
  const summarizing = new Set(); // sessions whose history is being put into words
  const answered = new Set(); // summaries after which all rules were told again
  const unread = new Set(); // sessions that go on, or in which the person has taken something back
  const warnings = new Map(); // call of a tool -> what the model is told with its result
  const refused = new Set(); // calls of tools that the guard has denied
  const kept = new Map(); // message -> parts that could not be stored
  const commands = new Map(); // session -> its last command as it was typed, and the texts that stand for it

  /** Returns the fields that name a session: a sub-agent is a window of the session that began it. */
  async function placeOf(sessionID) {
    if (!places.has(sessionID)) {
      let root = sessionID;
      let agent = "";
      for (let depth = 0; depth < 16; depth += 1) {
        const parent = (await client.session.get({ path: { id: root } }).catch(() => ({}))).data?.parentID;
        if (!parent) break;
        [root, agent] = [parent, sessionID];
      }
      places.set(sessionID, { session_id: root, ...(agent ? { agent_id: agent } : {}), cwd: directory });
    }
    return places.get(sessionID);
  }

  /** Calls the hook about a session, shows the person what it has for them, and returns its reply. */
  async function tell(event, sessionID, fields = {}) {
    if (!COMMANDS[event]) return {};
    const reply = await callHook(event, { ...(await placeOf(sessionID)), ...fields }, directory, MAX_SECONDS);
    if (reply.systemMessage) {
      const body = { title: "Synapse LS", message: reply.systemMessage, variant: "info" };
      client.tui.showToast({ body }).catch(() => {});
    }
    return reply;
  }

  /** Returns the messages at the end of a session. */
  async function lastMessages(sessionID) {
    const query = { limit: 8 };
    return (await client.session.messages({ path: { id: sessionID }, query }).catch(() => ({}))).data ?? [];
  }

  /** Returns the fields about model and window; the size of the window is that of the configuration. */
  async function usageFields(sessionID, model) {
    const name = model ? `${model.providerID}/${model.modelID}` : "";
    if (name && !windows.has(name)) {
      const found = (await client.config.providers().catch(() => ({}))).data?.providers ?? [];
      for (const provider of found)
        for (const [id, { limit }] of Object.entries(provider.models ?? {}))
          windows.set(`${provider.id}/${id}`, limit?.context ?? 0);
    }
    return {
      ...(model ? { model: model.modelID } : {}),
      ...(figures.get(sessionID) ? { context_tokens: figures.get(sessionID) } : {}),
      ...(windows.get(name) ? { context_window_size: windows.get(name) } : {}),
    };
  }

  /** Returns a text as a part of a message, behind its other parts. */
  function partFor(message, parts, text) {
    const last = parts.at(-1)?.id ?? "prt_";
    return {
      id: `${last}z`,
      messageID: message.id,
      sessionID: message.sessionID,
      type: "text",
      synthetic: true,
      text,
      metadata: { synapse: message.id, session: message.sessionID },
    };
  }

  const isOurs = (part) => part.metadata?.synapse !== undefined;

  /** Returns the texts of ours that are in context, when the last summary before them was made, and the session in
   * which the last text came. */
  async function conversationOf(sessionID) {
    const found = (await client.session.messages({ path: { id: sessionID } }).catch(() => ({}))).data ?? [];
    const start = found.findLastIndex(({ info }) => info.role === "assistant" && info.summary);
    const parts = found.slice(start + 1).flatMap((message) => message.parts);
    const outputs = (part) => (/<\/[\w-]+>$/.test(part.state?.output) ? [part.state.output] : []);
    return {
      conversation: parts.flatMap((part) => (isOurs(part) ? [part.text] : outputs(part))).slice(-40),
      summarized: start < 0 ? "" : new Date(found[start].info.time.created).toISOString(),
      session: found.flatMap((message) => message.parts).findLast(isOurs)?.metadata.session ?? sessionID,
    };
  }

  /** Stores a part of a message that is stored already; if that fails, it is kept until the end. */
  async function store(part) {
    const path = { id: part.sessionID, messageID: part.messageID, partID: part.id };
    const url = "/session/{id}/message/{messageID}/part/{partID}";
    const headers = { "Content-Type": "application/json" };
    const caller = client._client ?? client.session?._client;
    const done = await Promise.resolve(caller?.patch({ url, path, body: part, headers })).catch(() => {});
    if (!done?.data) kept.set(part.messageID, [...(kept.get(part.messageID) ?? []), part]);
  }

  /** Has the start of a session told where it begins or goes on; returns the texts for the model. */
  async function begin(sessionID, message) {
    const place = await placeOf(sessionID);
    if (place.agent_id || begun.has(sessionID)) return [];
    begun.add(sessionID);
    const before = (await lastMessages(sessionID)).map(({ info }) => info);
    const last = before.findLast((info) => info.role === "assistant" && sentTokens(info.tokens));
    if (last && !last.summary && !figures.has(sessionID)) figures.set(sessionID, sentTokens(last.tokens));
    const fields = { source: before.length ? "resume" : "startup", agent_type: message.agent };
    if (before.length) {
      unread.add(sessionID);
      const { session } = await conversationOf(sessionID);
      if (session !== sessionID) fields.forked_from = session;
    }
    return [contextOf(await tell("SessionStart", sessionID, fields))];
  }

  /** Returns the event of a prompt: the first one of a sub-agent is its start. */
  async function promptEvent(sessionID) {
    const place = await placeOf(sessionID);
    if (!place.agent_id || begun.has(sessionID)) return "UserPromptSubmit";
    begun.add(sessionID);
    return (await lastMessages(sessionID)).length ? "UserPromptSubmit" : "SubagentStart";
  }

  return {
    "command.execute.before": async ({ command, sessionID, arguments: words }, { parts }) => {
      const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
      commands.set(sessionID, { typed: `/${command} ${words}`.trim(), texts });
    },

    "chat.message": async ({ sessionID }, { message, parts }) => {
      const command = commands.get(sessionID);
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored);
      const prompt = typed.map(({ text }) => (command?.texts.includes(text) ? command.typed : text)).join("\n");
      const files = attachedFiles(parts);
      const texts = await begin(sessionID, message);
      const { conversation, summarized } = unread.delete(sessionID) ? await conversationOf(sessionID) : {};
      const reply = await tell(await promptEvent(sessionID), sessionID, {
        prompt,
        message_id: message.id,
        agent_type: message.agent,
        ...(files.length ? { files } : {}),
        ...(conversation ? { conversation, summarized } : {}),
        ...(ONE_SHOT ? { one_shot: true } : {}),
        ...(await usageFields(sessionID, message.model)),
      });
      for (const text of [...texts, contextOf(reply)].filter(Boolean))
        parts.push(partFor(message, parts, text));
    },

    "experimental.chat.messages.transform": async (_, { messages }) => {
      const sessionID = messages[0]?.info.sessionID;
      if (!sessionID || summarizing.delete(sessionID)) return;
      for (const { info, parts } of messages)
        for (const part of kept.get(info.id) ?? [])
          if (!parts.some(({ id }) => id === part.id)) parts.push(part);
      const summary = messages.findLast(({ info }) => info.role === "assistant" && info.summary)?.info;
      if (!summary || answered.has(summary.id)) return;
      answered.add(summary.id);
      const later = messages.filter(({ info }) => info.role === "user" && info.id > summary.id);
      if (!later.length || later.some(({ parts }) => parts.some(isOurs))) return;
      const fields = { source: "compact", agent_type: later.at(-1).info.agent };
      const text = contextOf(await tell("SessionStart", sessionID, fields));
      if (!text) return;
      const { info, parts } = later.at(-1);
      const part = partFor(info, parts, text);
      parts.push(part);
      await store(part);
    },

    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const fields = { tool_name: tool, tool_input: args, tool_use_id: callID };
      const reply = await tell("PreToolUse", sessionID, fields);
      const { permissionDecision, permissionDecisionReason } = reply.hookSpecificOutput ?? {};
      if (permissionDecision === "deny") {
        refused.add(callID);
        throw new Error(permissionDecisionReason);
      }
      if (contextOf(reply)) warnings.set(callID, contextOf(reply));
    },

    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      const content = Array.isArray(output?.content) ? output.content : undefined;
      const said = typeof output?.output === "string"
        ? output.output
        : (content ?? []).map((item) => item.text ?? "").join("\n");
      const exit = output?.metadata?.exit;
      const reply = await tell("PostToolUse", sessionID, {
        tool_name: tool,
        tool_input: args,
        tool_use_id: callID,
        tool_response: { output: shorten(said), ...(Number.isInteger(exit) ? { exitCode: exit } : {}) },
      });
      const texts = [warnings.get(callID), contextOf(reply)].filter(Boolean);
      warnings.delete(callID);
      if (!texts.length) return;
      if (typeof output?.output === "string") output.output = [output.output, ...texts].join("\n\n");
      else content?.push(...texts.map((text) => ({ type: "text", text })));
    },

    "experimental.session.compacting": async ({ sessionID }) => {
      summarizing.add(sessionID);
      await tell("PreCompact", sessionID, await usageFields(sessionID));
      figures.delete(sessionID);
    },

    event: async ({ event: { type, properties } }) => {
      if (type === "message.updated") {
        const { role, sessionID, summary, tokens } = properties.info;
        if (role === "assistant" && !summary && sentTokens(tokens)) figures.set(sessionID, sentTokens(tokens));
      } else if (type === "message.part.updated") {
        const { callID, sessionID, state, tool, type: kind } = properties.part;
        if (kind !== "tool" || state.status !== "error" || refused.delete(callID)) return;
        if (/^The user (rejected|has specified a rule)/.test(state.error)) return;
        const fields = { tool_name: tool, tool_input: state.input, tool_use_id: callID, error: state.error };
        await tell("PostToolUseFailure", sessionID, fields);
      } else if (type === "session.updated") {
        if (properties.info.revert) unread.add(properties.info.id);
      } else if (type === "session.idle") {
        await tell("Stop", properties.sessionID, await usageFields(properties.sessionID));
      }
    },

    dispose: async () => {
      const ended = [...begun].filter((sessionID) => !places.get(sessionID)?.agent_id);
      await Promise.all(ended.map((sessionID) => tell("SessionEnd", sessionID, { reason: "exit" })));
    },
  };
};
