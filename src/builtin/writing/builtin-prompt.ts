import { readFileSync } from "node:fs";

const read = new Map<string, string>();

/** The prompt that comes with Windlass for one of its tools. */
export function builtinPrompt(tool: string): string {
  let text = read.get(tool);
  if (text === undefined) {
    // The build puts the folder beside what it makes of this file.
    text = readFileSync(new URL(`./prompts/${tool}.md`, import.meta.url), "utf8");
    read.set(tool, text);
  }
  return text;
}
