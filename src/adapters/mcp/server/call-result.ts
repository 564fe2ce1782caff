import type { Failure } from "../../../base/index.ts";
import { isRecord } from "../../../schema/index.ts";
import type { Attachment, ToolResult, ToolSuccess } from "../../../tool/index.ts";
import type { ViewOutput } from "./output-view.ts";
import type { CallToolResult, ContentBlock } from "./sdk.ts";

/** What {@link toCallResult} needs. */
export interface CallResultParts {
  readonly view: ViewOutput;
  /** Takes secrets out of what went wrong. */
  readonly redact: (text: string) => string;
  /** The tool promised structured content of this shape. */
  readonly hasOutputSchema: boolean;
  /** May the person at the client approve calls? Only then is anything said of how that is done. */
  readonly clientApproves: boolean;
}

/** The most that attachments may take together. */
const mostBytes = 8 << 20;

/** What a call gave, as a client gets it. What failed is a result too: it tells the model what to do. */
export async function toCallResult(result: ToolResult, parts: CallResultParts): Promise<CallToolResult> {
  if (!result.success) {
    return { content: [text(parts.redact(failureText(result.error, parts.clientApproves)))], isError: true };
  }
  const { output, attachments = [], meta } = result;
  const attached = attachedTo(attachments, meta.callId);
  if (output === undefined || (output === null && attached.length > 0)) return { content: attached };
  const { text: shown, isCut } = await parts.view(result);
  const content = shown === "" && attached.length > 0 ? attached : [text(shown), ...attached];
  return isRecord(output) ? structured(result, { content, isCut, ...parts }) : { content };
}

interface Shown extends CallResultParts {
  readonly content: ContentBlock[];
  readonly isCut: boolean;
}

/**
 * The output itself beside its text, where that is all of it. The protocol lets a tool that promised structured content
 * leave it out only where the result is an error.
 */
function structured({ output }: ToolSuccess, { content, isCut, hasOutputSchema }: Shown): CallToolResult {
  if (!isCut) return { content, structuredContent: output };
  return hasOutputSchema ? { content: [tooLarge, ...content], isError: true } : { content };
}

const tooLarge: ContentBlock = text(
  "The tool ran and succeeded; do not call it again for this. Its output is too large to be handed over whole. It begins with:",
);

function failureText({ code, forModel, approvalId, retryAfterMs }: Failure, clientApproves: boolean): string {
  const lines = [forModel];
  if (approvalId !== undefined) {
    const how = clientApproves
      ? `: windlass approve ${approvalId}`
      : ", which the operator of this server has to give.";
    lines.push(`It waits for approval ${approvalId}${how}`, "After that, make the same call again.");
  }
  if (retryAfterMs !== undefined) lines.push(`Try again in ${Math.ceil(retryAfterMs / 1000)} s.`);
  lines.push(`(${code})`);
  return lines.join("\n");
}

function text(value: string): ContentBlock {
  return { type: "text", text: value };
}

function attachedTo(attachments: readonly Attachment[], callId: string): ContentBlock[] {
  let left = mostBytes;
  return attachments.map((attachment, index) => {
    left -= attachment.data.byteLength;
    if (left >= 0)
      return toContent(attachment, `attachment://${encodeURIComponent(callId)}/${nameOf(attachment, index)}`);
    return text(
      `[not handed over: ${attachment.name ?? attachment.kind}, ${attachment.data.byteLength} bytes, too large]`,
    );
  });
}

function nameOf({ name }: Attachment, index: number): string {
  return encodeURIComponent((name ?? String(index + 1)).toWellFormed());
}

function toContent({ kind, mimeType, data }: Attachment, uri: string): ContentBlock {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (kind !== "file") return { type: kind, data: bytes.toString("base64"), mimeType };
  const body = isText(mimeType) ? { text: bytes.toString("utf8") } : { blob: bytes.toString("base64") };
  return { type: "resource", resource: { uri, mimeType, ...body } };
}

function isText(mimeType: string): boolean {
  return /^text\/|[/+](?:json|xml|yaml|javascript)\b/.test(mimeType);
}
