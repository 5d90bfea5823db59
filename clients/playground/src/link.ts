/** A tree and a question as the part of a link after "#", which a browser sends to nobody. */

import type { Files, Question } from "./engine";

export interface Shared {
  files: Files;
  /** The file that is shown. */
  shown: string;
  question: Question;
}

export async function toLink(shared: Shared): Promise<string> {
  const packed = new Blob([JSON.stringify(shared)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let text = "";
  for (const byte of bytes) {
    text += String.fromCharCode(byte);
  }
  return `#tree=${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** What a link holds; undefined where it holds nothing. Throws for one that is damaged. */
export async function fromLink(hash: string): Promise<Shared | undefined> {
  if (!hash.startsWith("#tree=")) {
    return undefined;
  }
  const text = atob(hash.slice(6).replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(unpacked).text()) as Shared;
}
