import { cliCommand } from "../../../base/index.ts";
import type { Failure } from "../../../base/index.ts";
import { type JsonSchema, fromJsonSchema, isRecord } from "../../../schema/index.ts";
import type { Attachment, ToolResult, ToolSuccess } from "../../../tool/index.ts";
import type { OutputView } from "./output-view.ts";
import type { CallToolResult, ContentBlock } from "./sdk.ts";

/** Options of {@link toCallResult}. */
export interface CallResultDeps {
  readonly view: (result: ToolSuccess) => OutputView | Promise<OutputView>;
  /** Redacts secrets in texts. */
  readonly redact: (text: string) => string;
  /** Redacts secrets in an output. */
  readonly redactResult: (result: ToolSuccess) => Promise<ToolSuccess>;
  /** The schema of the structured content that the tool declares. */
  readonly outputSchema: JsonSchema | undefined;
  /** True if the user at the client may approve calls. Only then does the text explain how. */
  readonly clientApproves: boolean;
}

/** Maximum size of all attachments together. */
const maxBytes = 8 << 20;

/** Converts the result of a call for a client. A failure is a result too: its text says what the model should do. */
export async function toCallResult(result: ToolResult, parts: CallResultDeps): Promise<CallToolResult> {
  if (!result.success) {
    return { content: [text(parts.redact(failureText(result.error, parts.clientApproves)))], isError: true };
  }
  // Once, before any conversion: the text, the stored result and the structured content derive from one output.
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

/** The text alone. The protocol allows a tool that declares structured content to omit it only in an error. */
function withoutStructure(
  content: ContentBlock[],
  why: ContentBlock,
  { outputSchema }: CallResultDeps,
): CallToolResult {
  return outputSchema === undefined ? { content } : { content: [why, ...content], isError: true };
}

/** A redacted secret may have been a number, so the output may violate the schema. */
function fits(output: unknown, schema: JsonSchema | undefined): boolean {
  try {
    return schema === undefined || fromJsonSchema(schema).validate(output).issues === undefined;
  } catch {
    return false;
  }
}

const succeeded = "The tool ran and succeeded; do not call it again for this.";
const tooLarge: ContentBlock = text(`${succeeded} Its output is too large to be returned completely. It begins with:`);
const notAsPromised: ContentBlock = text(`${succeeded} Its output, with secrets redacted, is:`);

function failureText({ code, forModel, approvalId, retryAfterMs }: Failure, clientApproves: boolean): string {
  const lines = [forModel];
  if (approvalId !== undefined) {
    const how = clientApproves
      ? `: ${cliCommand(`approve ${approvalId}`)}`
      : ", which only the operator of this server can give.";
    lines.push(`It waits for approval ${approvalId}${how}`, "After that, repeat the same call.");
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
  let left = maxBytes;
  return attachments.map((attachment, index) => {
    const { name, kind, data } = attachment;
    left -= data.byteLength;
    const uri = redact(`attachment://${encodeURIComponent(callId)}/${attachmentName(attachment, index)}`);
    if (left >= 0) return toContent(attachment, uri, redact);
    return text(redact(`[not handed over: ${name ?? kind}, ${data.byteLength} bytes, too large]`));
  });
}

function attachmentName({ name }: Attachment, index: number): string {
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
