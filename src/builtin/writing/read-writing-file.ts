import { readFileSync } from "node:fs";
import { parseYaml } from "../../text/index.ts";
import { type PromptSender, readPromptFile } from "../../tool/index.ts";

/** Reads the tool file of a writing tool. */
export function readWritingFile(name: string, prompts: PromptSender): ReturnType<typeof readPromptFile> {
  const file = `${name}.yaml`;
  // The build puts the folder beside the output of this file, and writes the YAML as JSON, which is parsed faster.
  const text = readFileSync(new URL(`./tool-files/${file}`, import.meta.url), "utf8");
  const value: unknown = text.startsWith("{") ? JSON.parse(text) : parseYaml(text, { file }).value;
  return readPromptFile(value as Readonly<Record<string, unknown>>, prompts);
}
