import type { Failure } from "../../../base/index.ts";
import { type JsonSchema, fromJsonSchema, isRecord } from "../../../schema/index.ts";
import type { Attachment, ToolResult, ToolSuccess } from "../../../tool/index.ts";
import type { OutputView } from "./output-view.ts";
import type { CallToolResult, ContentBlock } from "./sdk.ts";

/** What {@link toCallResult} needs. */
export interface CallResultParts {
  readonly view: (result: ToolSuccess) => OutputView | Promise<OutputView>;
  /** Takes secrets out of texts. */
  readonly redact: (text: string) => string;
  /** Takes secrets out of an output. */
  readonly redactResult: (result: ToolSuccess) => Promise<ToolSuccess>;
  /** The tool promised structured content of this shape. */
  readonly outputSchema: JsonSchema | undefined;
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
  // Once, before anything is made of it: the text, what is kept of it and the structure are of one output.
  const safe = await parts.redactResult(result);
  const { output, attachments = [], meta } = safe;
  const attached = attachedTo(attachments, meta.callId, parts.redact);
  if (output === undefined || (output === null && attached.length > 0)) return { content: attached };
  const { text: shown, isCut } = await parts.view(safe);
  const content = shown === "" && attached.length > 0 ? attached : [text(shown), ...attached];
  if (!isRecord(output)) return { content };
  if (isCut) return withoutStructure(content, tooLarge, parts);
  const isAsPromised = output === result.output || fits(output, parts.outputSchema);
  return isAsPromised ? { content, structuredContent: output } : withoutStructure(content, notAsPromised, parts);
}

/**
 * The text alone. The protocol lets a tool that promised structured content leave it out only where the result is an
 * error.
 */
function withoutStructure(
  content: ContentBlock[],
  why: ContentBlock,
  { outputSchema }: CallResultParts,
): CallToolResult {
  return outputSchema === undefined ? { content } : { content: [why, ...content], isError: true };
}

/** A secret that was taken out may have been a number. */
function fits(output: unknown, schema: JsonSchema | undefined): boolean {
  try {
    return schema === undefined || fromJsonSchema(schema).validate(output).issues === undefined;
  } catch {
    return false;
  }
}

const succeeded = "The tool ran and succeeded; do not call it again for this.";
const tooLarge: ContentBlock = text(`${succeeded} Its output is too large to be handed over whole. It begins with:`);
const notAsPromised: ContentBlock = text(`${succeeded} Without the secrets in it, its output is:`);

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

function attachedTo(
  attachments: readonly Attachment[],
  callId: string,
  redact: (text: string) => string,
): ContentBlock[] {
  let left = mostBytes;
  return attachments.map((attachment, index) => {
    const { name, kind, data } = attachment;
    left -= data.byteLength;
    const uri = redact(`attachment://${encodeURIComponent(callId)}/${nameOf(attachment, index)}`);
    if (left >= 0) return toContent(attachment, uri, redact);
    return text(redact(`[not handed over: ${name ?? kind}, ${data.byteLength} bytes, too large]`));
  });
}

function nameOf({ name }: Attachment, index: number): string {
  return encodeURIComponent((name ?? String(index + 1)).toWellFormed());
}

function toContent({ kind, mimeType, data }: Attachment, uri: string, redact: (text: string) => string): ContentBlock {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (kind !== "file") return { type: kind, data: bytes.toString("base64"), mimeType };
  const body = isText(mimeType) ? { text: redact(bytes.toString("utf8")) } : { blob: bytes.toString("base64") };
  return { type: "resource", resource: { uri, mimeType, ...body } };
}

function isText(mimeType: string): boolean {
  return /^text\/|[/+](?:json|xml|yaml|javascript)\b/.test(mimeType);
}
