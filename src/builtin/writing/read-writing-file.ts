import { readFileSync } from "node:fs";
import { type PromptSender, readPromptFile } from "../../tool/index.ts";

/** Reads the tool file of a writing tool. */
export function readWritingFile(name: string, prompts: PromptSender): ReturnType<typeof readPromptFile> {
  // The build puts the folder beside the output of this file.
  const text = readFileSync(new URL(`./tool-files/${name}.yaml`, import.meta.url), "utf8");
  return readPromptFile(text, { file: `${name}.yaml`, prompts });
}
