import type { Failure } from "../../base/index.ts";
import { type ResultOwner, type ResultStore, redactOutput, viewResult } from "../../hub/index.ts";
import { type Redactor } from "../../secrets/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import type { Attachment, ToolResult } from "../../tool/index.ts";

/** The part of a result that a model may read. */
export interface ModelReadableResult {
  readonly text: string;
  /** True if the text is not the whole output. */
  readonly isCut: boolean;
}

/** Options of {@link toModelReadableResult}. */
export interface ModelReadableOptions {
  readonly maxChars: number;
  readonly resultStore: ResultStore | undefined;
  readonly owner: ResultOwner;
  readonly redactor: Redactor;
}

/**
 * Converts a result to text for a model: without invisible characters and known secrets, and of bounded length. A
 * failure becomes a message that the model can act on.
 */
export async function toModelReadableResult(
  result: ToolResult,
  options: ModelReadableOptions,
): Promise<ModelReadableResult> {
  if (!result.success) return { text: stripUnsafe(options.redactor.text(failureText(result.error))), isCut: false };
  const output = await redactOutput(result.output, options.redactor.known);
  const { text, isCut } = await viewResult({ ...result, output }, options);
  return { text: [text, ...(result.attachments ?? []).map(describe)].join("\n"), isCut };
}

/** Describes a failure to a model: what to change, which approval is missing, when to retry. */
function failureText({ code, forModel, approvalId, retryAfterMs }: Failure): string {
  const lines = [forModel];
  if (approvalId !== undefined) lines.push(`It waits for approval ${approvalId}.`);
  if (retryAfterMs !== undefined) lines.push(`Try again in ${Math.ceil(retryAfterMs / 1000)} s.`);
  lines.push(`(${code})`);
  return lines.join("\n");
}

/** Placeholder text for an attachment. */
function describe({ kind, mimeType, name, data }: Attachment): string {
  const details = [name, mimeType, `${data.byteLength} bytes`].filter((each) => each !== undefined).join(", ");
  return stripUnsafe(`[${kind}: ${details}]`).replaceAll(/\s+/g, " ");
}
