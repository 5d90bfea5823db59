// This plugin asks Synapse LS what the rules of the project say, and puts the answer before the model.
// `synapse install` writes it, `synapse uninstall` removes it; changes here are lost.
import { spawn } from "node:child_process";
import { homedir } from "node:os";

const SETTINGS = {};

const MAX_OUTPUT = 20_000; // characters of a tool's output, of its start and of its end
const COMMANDS = Object.fromEntries(
  Object.entries(SETTINGS.hooks ?? {}).map(([event, entries]) => [event, entries[0].command]),
);

/** Returns what the hook answers to an event within `seconds`, {} where it has nothing to say or does not run. */
function callHook(event, payload, folder, seconds) {
  if (!COMMANDS[event]) return Promise.resolve({});
  return new Promise((resolve) => {
    let said = "";
    const finish = () => {
      clearTimeout(timer);
      try {
        resolve(JSON.parse(said) ?? {});
      } catch {
        resolve({});
      }
    };
    // Where the shell is cmd.exe, it must not look for programs in the project.
    const env = { ...process.env, NoDefaultCurrentDirectoryInExePath: "1" };
    const hook = spawn(COMMANDS[event], {
      cwd: folder || homedir(),
      env,
      shell: true,
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    });
    // What the shell has started may hold its output open beyond its end, so nobody waits for that.
    const timer = setTimeout(() => {
      hook.kill();
      finish();
    }, seconds * 1000);
    hook.stdout.setEncoding("utf8");
    hook.stdout.on("data", (text) => (said += text));
    hook.on("error", finish);
    hook.on("close", finish);
    hook.stdin.on("error", () => {});
    hook.stdin.end(JSON.stringify({ client: SETTINGS.client, hook_event_name: event, ...payload }));
  });
}

/** Returns the text of a reply for the model. */
const contextOf = (reply) => reply.hookSpecificOutput?.additionalContext ?? "";

/** Returns a text without its middle, if it is long. */
const shorten = (text) =>
  text.length > 2 * MAX_OUTPUT ? `${text.slice(0, MAX_OUTPUT)}\n…\n${text.slice(-MAX_OUTPUT)}` : text;
