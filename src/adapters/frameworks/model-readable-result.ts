import type { Failure } from "../../base/index.ts";
import { type ResultOwner, type ResultShelf, redactOutput, viewOf } from "../../hub/index.ts";
import { type Redactor, stripUnsafe } from "../../text/index.ts";
import type { Attachment, ToolResult } from "../../tool/index.ts";

/** What a model may read of a result. */
export interface ShownResult {
  readonly text: string;
  /** The text is not all of the output. */
  readonly isCut: boolean;
}

/** What {@link showResult} needs. */
export interface ShowOptions {
  readonly maxChars: number;
  readonly shelf: ResultShelf | undefined;
  readonly owner: ResultOwner;
  readonly redactor: Redactor;
}

/**
 * A result as text for a model: without what nobody sees and the secrets that are known, of bounded length; a failure in
 * words that it can act on.
 */
export async function showResult(result: ToolResult, options: ShowOptions): Promise<ShownResult> {
  if (!result.success) return { text: stripUnsafe(options.redactor.text(failureText(result.error))), isCut: false };
  const output = await redactOutput(result.output, options.redactor.known);
  const { text, isCut } = await viewOf({ ...result, output }, options);
  return { text: [text, ...(result.attachments ?? []).map(describe)].join("\n"), isCut };
}

/** What went wrong, for a model: what to change, who has to agree first, when to come back. */
function failureText({ code, forModel, approvalId, retryAfterMs }: Failure): string {
  const lines = [forModel];
  if (approvalId !== undefined) lines.push(`It waits for approval ${approvalId}.`);
  if (retryAfterMs !== undefined) lines.push(`Try again in ${Math.ceil(retryAfterMs / 1000)} s.`);
  lines.push(`(${code})`);
  return lines.join("\n");
}

/** Stands in a text for what is beside it. */
function describe({ kind, mimeType, name, data }: Attachment): string {
  const what = [name, mimeType, `${data.byteLength} bytes`].filter((each) => each !== undefined).join(", ");
  return stripUnsafe(`[${kind}: ${what}]`).replaceAll(/\s+/g, " ");
}
