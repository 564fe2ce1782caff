import { isMap } from "../schema/index.ts";
import { parseYaml } from "../text/index.ts";

const chainKey = /^(?:steps|"steps"|'steps')[ \t]*:/m;
const toolKey = /^(?:entry|parameters|"entry"|'entry')[ \t]*:/m;

/**
 * Is this the text of a chain, rather than of a tool? A chain has `steps`; a file that has neither those nor what a
 * tool has is what its folder is for. Looked at as text where that tells, because a whole parse comes later.
 */
export function isChainText(text: string, amongChains: boolean): boolean {
  if (chainKey.test(text)) return true;
  if (toolKey.test(text)) return false;
  const { value } = parseYaml(text, { file: "", maxBytes: 1024 * 1024 });
  if (isMap(value) && Object.hasOwn(value, "steps")) return true;
  return amongChains && !(isMap(value) && (Object.hasOwn(value, "entry") || Object.hasOwn(value, "parameters")));
}
