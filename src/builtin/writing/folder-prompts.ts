import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type FailureError, fail, realPlace } from "../../base/index.ts";
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
    const place = await realPlace(join(dir, `${tool}.md`), dir);
    if (place.kind === "missing") return undefined;
    if (place.kind === "outside") throw unusable(`${tool}.md leads out of the folder of prompts; put the prompt there`);
    const { size } = await stat(place.path);
    if (size > largest) throw unusable(`${tool}.md is larger than ${largest / 1024} KiB; shorten the prompt`);
    return (await readFile(place.path, "utf8")).replace(/^\ufeff/, "");
  };
}

function unusable(message: string): FailureError {
  return fail(message, { code: "file_invalid", reason: "bad_prompt", retry: "never" });
}
