import { stripUnsafe, suggest } from "../../text/index.ts";
import type { EntryTemplate, ToolPrompt } from "../../tool/index.ts";
import { writingFailure } from "./writing-reasons.ts";

const placeholder = /\{\{\s*([\w-]+)\s*\}\}/;
/** Anything that may be meant as a placeholder, valid or not. */
const braces = /\{\{([^{}\n]*)(\}\})?/g;
const divider = /^---[^\S\n]*$/m;

/**
 * Parses a prompt of a workspace: instructions, a line of `---`, and the message with its `{{placeholders}}`. Throws on
 * an invalid prompt: a mistake would go unnoticed, because no one sees what is sent to a model.
 */
export function parsePrompt(
  template: string,
  file: string,
  inputs: readonly string[],
): Pick<ToolPrompt, "system" | "message"> {
  const text = stripUnsafe(template);
  if (text.trim() === "") throw writingFailure("bad_prompt", `${file} is empty; write a prompt into it, or remove it`);
  const found = divider.exec(text) ?? { index: text.length, 0: "" };
  for (const written of text.matchAll(braces)) {
    const wrong = wrongWith(written, inputs, found.index);
    if (wrong === undefined) continue;
    const known = inputs.map((input) => `{{${input}}}`).join(", ");
    const line = text.slice(0, written.index).split("\n").length;
    throw writingFailure("bad_prompt", `${file}:${line}: ${wrong}. The inputs of this prompt are ${known}`);
  }
  const message = text.slice(found.index + found[0].length);
  return { system: text.slice(0, found.index), message: templateOf(message) };
}

function wrongWith(found: RegExpExecArray, inputs: readonly string[], below: number): string | undefined {
  const [written, inner = "", end] = found;
  const name = inner.trim();
  if (end === undefined) return `${JSON.stringify(written.trimEnd())} is never closed; write {{name}}, on one line`;
  if (!inputs.includes(name)) return `there is no input ${written}${didYouMean(name, inputs)}`;
  if (found.index < below) return `${written} is in the instructions; inputs belong below a line of ---`;
  return undefined;
}

function didYouMean(name: string, inputs: readonly string[]): string {
  const near = suggest(name, inputs);
  return near === undefined ? "" : ` (did you mean {{${near}}}?)`;
}

function templateOf(text: string): EntryTemplate {
  // The group of the expression is at every second position.
  return text
    .split(placeholder)
    .map((part, at) => (at % 2 === 0 ? part : { root: "input", path: [part], source: `{{${part}}}` }));
}
