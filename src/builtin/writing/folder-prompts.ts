import { readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { type FailureError, isFailureError, resolveRealPath, systemErrorCode } from "../../base/index.ts";
import { writingFailure } from "./writing-reasons.ts";
import type { ReadPrompt } from "./prompt-sender.ts";

const maxBytes = 64 * 1024;

/**
 * Reads the prompts of a folder: `<tool>.md` replaces the built-in prompt of that tool, from the next call on.
 *
 * @example
 * ```ts
 * const tools = writingTools({ model, prompts: folderPrompts("prompts") });
 * ```
 *
 * @param root A folder that the prompts must not leave through links. Default: their own.
 */
export function folderPrompts(dir: string, root: string = dir): ReadPrompt {
  return async (tool) => {
    if (!/^\w[\w-]*$/.test(tool)) throw unusable(`${JSON.stringify(tool)} is not the name of a prompt`);
    const file = `${basename(dir)}/${tool}.md`;
    const resolved = await resolveRealPath(join(dir, `${tool}.md`), dir);
    if (resolved.kind === "missing") return undefined;
    if (resolved.kind === "outside" || (await resolveRealPath(dir, root)).kind === "outside")
      throw unusable(`${file} is a link that leads elsewhere; put the prompt itself there`);
    try {
      const { size } = await stat(resolved.path);
      if (size > maxBytes) throw unusable(`${file} is larger than ${maxBytes / 1024} KiB; shorten the prompt`);
      return (await readFile(resolved.path, "utf8")).replace(/^\ufeff/, "");
    } catch (error) {
      if (isFailureError(error)) throw error;
      throw unusable(`${file} cannot be read (${systemErrorCode(error) ?? String(error)})`, error);
    }
  };
}

function unusable(message: string, cause?: unknown): FailureError {
  return writingFailure("bad_prompt", message, { cause });
}
