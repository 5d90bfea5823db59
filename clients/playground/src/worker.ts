/** The worker of the playground: Python, the libraries, and one tree. */

import playground from "./playground.py";

interface Setup {
  archives: string[];
}

const SITE_PACKAGES = "/lib/python/site-packages";

interface Python {
  unpackArchive(data: ArrayBuffer, format: string, options: { extractDir: string }): void;
  runPython(code: string): void;
  globals: { get(name: string): (request: string) => string };
}

async function start(): Promise<(request: string) => string> {
  const { loadPyodide } = (await import("./pyodide/pyodide.mjs" as string)) as {
    loadPyodide(options: { indexURL: string }): Promise<Python>;
  };
  const fetched = fetch("setup.json").then(async (reply) => {
    const setup = (await reply.json()) as Setup;
    return Promise.all(setup.archives.map(async (name) => (await fetch(name)).arrayBuffer()));
  });
  const python = await loadPyodide({ indexURL: new URL("pyodide/", location.href).href });
  for (const archive of await fetched) {
    python.unpackArchive(archive, "zip", { extractDir: SITE_PACKAGES });
  }
  python.runPython(`import sys; sys.path.append(${JSON.stringify(SITE_PACKAGES)})`);
  python.runPython(playground);
  return python.globals.get("answer");
}

const answer = start();

onmessage = async (event: MessageEvent<{ id: number; request: string }>) => {
  const { id, request } = event.data;
  try {
    postMessage({ id, reply: (await answer)(request) });
  } catch (error) {
    postMessage({ id, reply: JSON.stringify({ error: String(error) }) });
  }
};
