import { readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { type FailureError, isFailureError, realPlace } from "../../base/index.ts";
import { writingFailure } from "./writing-reasons.ts";
import type { ReadPrompt } from "./writing-services.ts";

const largest = 64 * 1024;

/**
 * The prompts of a folder: `<tool>.md` takes the place of the built-in prompt of that tool, from the next call on.
 *
 * @example
 * ```ts
 * const tools = writingTools({ model, prompts: folderPrompts("prompts") });
 * ```
 */
export function folderPrompts(dir: string): ReadPrompt {
  return async (tool) => {
    if (!/^\w[\w-]*$/.test(tool)) throw unusable(`${JSON.stringify(tool)} is not the name of a prompt`);
    const file = `${basename(dir)}/${tool}.md`;
    const place = await realPlace(join(dir, `${tool}.md`), dir);
    if (place.kind === "missing") return undefined;
    if (place.kind === "outside") throw unusable(`${file} leads out of the folder of prompts; put the prompt there`);
    try {
      const { size } = await stat(place.path);
      if (size > largest) throw unusable(`${file} is larger than ${largest / 1024} KiB; shorten the prompt`);
      return (await readFile(place.path, "utf8")).replace(/^\ufeff/, "");
    } catch (error) {
      throw isFailureError(error) ? error : unusable(`${file} cannot be read (${systemCode(error)})`, error);
    }
  };
}

function unusable(message: string, cause?: unknown): FailureError {
  return writingFailure("bad_prompt", message, { cause });
}

/** Such as `EACCES`. */
function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
