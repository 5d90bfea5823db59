/** The files of a folder that a visitor opens, as far as they concern a rule tree. */

import type { Files } from "./engine";

const MOST_BYTES = 256 * 1024;
const MOST_FILES = 2000;
const WANTED = /(^|\/)(\.synapse|\.carl|\.aiox|\.aios|\.aiox-core|\.aios-core|\.chati|chati\.dev|squads)\/|^(docs\/(stories|prd)\/)|-state\.yaml$/;
const IGNORED = /(^|\/)(node_modules|\.git|sessions|cache|metrics)\//;

export async function readFolder(list: Iterable<File>): Promise<Files> {
  const found: Files = {};
  let count = 0;
  for (const file of list) {
    const path = file.webkitRelativePath.split("/").slice(1).join("/");
    if (WANTED.test(path) && !IGNORED.test(path) && file.size <= MOST_BYTES && count < MOST_FILES) {
      found[path] = await file.text();
      count += 1;
    }
  }
  return found;
}
