import { readFileSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { parseYaml } from "../../text/index.ts";
import { type PromptSender, readPromptFile } from "../../tool/index.ts";

/** Reads the tool file of a writing tool. */
export function readWritingFile(name: string, prompts: PromptSender): ReturnType<typeof readPromptFile> {
  const file = `${name}.yaml`;
  // The build writes the YAML as JSON, which is parsed faster.
  const text = readFileSync(toolFile(file), "utf8");
  const value: unknown = text.startsWith("{") ? JSON.parse(text) : parseYaml(text, { file }).value;
  return readPromptFile(value as Readonly<Record<string, unknown>>, prompts);
}

/** The names of all writing tools, which each have a file. */
export function writingFileNames(): readonly string[] {
  return readdirSync(toolFile("")).map((file) => basename(file, ".yaml"));
}

function toolFile(name: string): URL {
  // The build puts the folder beside the output of this file.
  return new URL(`./tool-files/${name}`, import.meta.url);
}
