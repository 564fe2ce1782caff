import { parseJson } from "../../base/index.ts";
import type { JsonSchema } from "../../schema/index.ts";
import { isRecord, setOwn } from "../../schema/index.ts";
import { cutText, stripUnsafe } from "../../text/index.ts";
import { type Attachment, ok, attachmentKind, bytesOfBase64 } from "../../tool/index.ts";
import type { McpCallOutcome, McpContent, McpResourceContent } from "./mcp-port.ts";
import { defaultMcpSourceLimits } from "./mcp-source-limits.ts";
import { mcpSourceFailure } from "../hub-reasons.ts";

/** A resource in an output; bytes are attachments of the same name. */
interface ResourceOutput {
  readonly uri: string;
  readonly name?: string;
  readonly mime_type?: string;
  readonly text?: string;
}

/**
 * Converts the result of an MCP tool to a tool output: structured content unchanged, otherwise text, with images, audio
 * and bytes as attachments. All of it is untrusted data: stripped of invisible characters, and never interpreted.
 */
export function mapOutcome(outcome: McpCallOutcome, output: JsonSchema | undefined): unknown {
  if (outcome.isError) {
    const message = cutText(joinTexts(outcome.content).trim(), defaultMcpSourceLimits.errorChars).text;
    return mcpSourceFailure("tool_failed", message === "" ? "the tool failed without a message" : message);
  }
  const attachments = outcome.content.flatMap(attachmentOf);
  const value = outputOf(outcome, output);
  return attachments.length === 0 ? value : ok(value, { attachments });
}

/** Converts the contents of resources, with bytes as attachments. */
export function mapContents(contents: readonly McpResourceContent[]): unknown {
  const output = { contents: contents.map(toResourceOutput) };
  const attachments = contents.flatMap((resource) => attachmentOf({ type: "resource", resource }));
  return attachments.length === 0 ? output : ok(output, { attachments });
}

function outputOf({ content, structured }: McpCallOutcome, output: JsonSchema | undefined): unknown {
  if (structured !== undefined) return cleanValue(structured);
  const text = joinTexts(content);
  const wantsJson = output !== undefined && output["type"] !== "string";
  const value = wantsJson ? parseJson(text) : undefined;
  if (value !== undefined) return cleanValue(value);
  const resources = content.flatMap(resourceOf);
  if (resources.length > 0) return { text, resources };
  return text === "" ? placeholder(content) : text;
}

/** All texts, as paragraphs. */
function joinTexts(content: readonly McpContent[]): string {
  return content.flatMap((item) => (item.type === "text" ? clean(item.text) : [])).join("\n\n");
}

/** A text for an output that consists only of attachments. */
function placeholder(content: readonly McpContent[]): string {
  return content.flatMap((item) => ("mimeType" in item ? `[${item.type}: ${label(item.mimeType)}]` : [])).join("\n");
}

function resourceOf(item: McpContent): ResourceOutput[] {
  if (item.type === "resource") return [toResourceOutput(item.resource)];
  if (item.type !== "resource_link") return [];
  const { uri, name, mimeType } = item;
  return [
    {
      uri: label(uri),
      ...(name !== undefined && { name: label(name) }),
      ...(mimeType !== undefined && { mime_type: label(mimeType) }),
    },
  ];
}

function toResourceOutput({ uri, mimeType, text }: McpResourceContent): ResourceOutput {
  return {
    uri: label(uri),
    ...(mimeType !== undefined && { mime_type: label(mimeType) }),
    ...(text !== undefined && { text: clean(text) }),
  };
}

function attachmentOf(item: McpContent): Attachment[] {
  if (item.type === "image" || item.type === "audio") {
    return [{ kind: item.type, mimeType: label(item.mimeType), data: bytesOfBase64(item.data) }];
  }
  if (item.type !== "resource" || item.resource.blob === undefined) return [];
  const { uri, mimeType = "application/octet-stream", blob } = item.resource;
  return [{ kind: attachmentKind(mimeType), mimeType: label(mimeType), data: bytesOfBase64(blob), name: label(uri) }];
}

function clean(text: string): string {
  return stripUnsafe(text);
}

/** A short text on one line: addresses, names, types. */
function label(text: string): string {
  return stripUnsafe(text).replaceAll(/\s+/g, " ").slice(0, 2_000);
}

/** A copy of JSON with all texts and keys cleaned. */
function cleanValue(value: unknown, depth: number = 0): unknown {
  if (typeof value === "string") return clean(value);
  // Deeper than the engine accepts: it reports that itself.
  if (depth > 200) return value;
  if (Array.isArray(value)) return value.map((item) => cleanValue(item, depth + 1));
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) setOwn(copy, clean(key), cleanValue(item, depth + 1));
  return copy;
}
