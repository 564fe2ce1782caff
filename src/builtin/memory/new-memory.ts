import { canonicalJson, jsonText, nodeCrypto, plainJsonSize } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import { type Memory, type NewMemory, mergeTags } from "../../store/index.ts";
import { prettyPrintJson } from "../../text/index.ts";
import { memoryFailure } from "./memory-reasons.ts";

/** A memory to store, as the caller passes it. */
export interface RememberInput {
  /** A text, or any other JSON value. */
  readonly content: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly tags?: readonly string[];
  /** Memories of one namespace are not found from another. Default: `default`. */
  readonly namespace?: string;
  /** Kind of memory, such as `research`. */
  readonly type?: string;
}

/** Larger contents are documents, not memories. */
const maxContentBytes = 256 * 1024;
const maxMetadataBytes = 32 * 1024;
const maxTags = 50;
const maxTagLength = 100;
const maxTitleLength = 100;

/** Namespace used if none is given. */
export const defaultNamespace = "default";

/** Validates a memory and derives its title, and an id that is always the same for the same content. */
export function newMemory(input: RememberInput): NewMemory {
  const { content, metadata = {} } = input;
  const namespace = checkNamespace(input.namespace);
  const text = contentToText(content);
  if (text.trim() === "") throw refusal("empty_content", "content is empty: pass the text to remember", "content");
  if (Buffer.byteLength(text) > maxContentBytes) {
    throw refusal("too_large", `content has more than ${maxContentBytes} bytes: store a summary of it`, "content");
  }
  checkMetadata(metadata);
  const type = input.type ?? (typeof metadata["type"] === "string" ? metadata["type"] : undefined);
  return {
    id: idOf(namespace, content),
    namespace,
    title: titleOf(content, text, metadata),
    text,
    ...(typeof content !== "string" && { content }),
    ...(type !== undefined && { type: type.slice(0, maxTagLength) }),
    tags: mergeTags([], input.tags ?? [])
      .slice(0, maxTags)
      .map((tag) => tag.slice(0, maxTagLength)),
    metadata,
  };
}

/** A namespace in its one form. */
export function checkNamespace(namespace: string = defaultNamespace): string {
  const name = namespace.trim().normalize("NFC");
  if (/^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._:@/-]{0,127}$/u.test(name)) return name;
  const message =
    "namespace must begin with a letter or a digit and have at most 128 letters, digits, . _ - : @ / or spaces";
  throw refusal("bad_namespace", message, "namespace");
}

function contentToText(content: unknown): string {
  if (typeof content === "string") return content;
  // Counted before it is written: it may be very large.
  if (plainJsonSize(content, 2 * maxContentBytes) === Infinity) {
    throw refusal("too_large", `content has more than ${maxContentBytes} bytes: store a summary of it`, "content");
  }
  const written = jsonText(content);
  if ("problem" in written) throw refusal("not_json", `content cannot be stored: ${written.problem}`, "content");
  if (content === null || isEmpty(content)) return "";
  return typeof content === "object" ? readable(written.text) : written.text;
}

/** Pretty-printed if there is room: deeply nested values can get a thousand times as long that way. */
function readable(json: string): string {
  const { text, cut } = prettyPrintJson(json, maxContentBytes);
  return cut || Buffer.byteLength(text) > maxContentBytes ? json : text;
}

function isEmpty(content: unknown): boolean {
  return typeof content === "object" && content !== null && Object.keys(content).length === 0;
}

function checkMetadata(metadata: Readonly<Record<string, unknown>>): void {
  const written = jsonText(metadata);
  if ("problem" in written) throw refusal("not_json", `metadata cannot be stored: ${written.problem}`, "metadata");
  if (Buffer.byteLength(written.text) > maxMetadataBytes) {
    throw refusal(
      "too_large",
      `metadata has more than ${maxMetadataBytes} bytes: put long texts into content`,
      "metadata",
    );
  }
}

/**
 * The same for texts that differ only in their line ends and in blank lines around them, and for objects that differ
 * only in the order of their keys. White space within a text counts: in code it may be all that differs.
 */
function idOf(namespace: string, content: unknown): string {
  const same = typeof content === "string" ? `text ${trimLines(content.normalize("NFC"))}` : canonicalJson(content);
  return `mem-${nodeCrypto().hash("sha256", `${namespace}\n${same}`, "hex").slice(0, 32)}`;
}

function trimLines(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, "\n").trimEnd();
  const first = lines.search(/\S/);
  return lines.slice(lines.lastIndexOf("\n", first) + 1);
}

/** Returns the memory with the title that follows from the new and the stored metadata together. */
export function withTitle(input: NewMemory, before: Memory | undefined): NewMemory {
  const { content, text } = input;
  return { ...input, title: titleOf(content ?? text, text, { ...before?.metadata, ...input.metadata }) };
}

function titleOf(content: unknown, text: string, metadata: Readonly<Record<string, unknown>>): string {
  const own = isRecord(content) ? content["title"] : undefined;
  const named = [metadata["title"], own, metadata["topic"]].find((one) => typeof one === "string" && one.trim() !== "");
  const line = typeof named === "string" ? named : firstLine(text);
  const title = line.replaceAll(/\s+/g, " ").trim();
  return title.length > maxTitleLength ? `${title.slice(0, maxTitleLength).toWellFormed()}…` : title;
}

function firstLine(text: string): string {
  const lines = text.slice(0, 2000).split("\n");
  const bare = lines.map((line) => line.replace(/^[\s#>*\-{["]+/, "").trim());
  return bare.find((line) => /[\p{L}\p{N}]/u.test(line)) ?? text.slice(0, maxTitleLength).trim();
}

function refusal(reason: Parameters<typeof memoryFailure>[0], message: string, parameter: string): Error {
  return memoryFailure(reason, message, { issues: [{ path: [parameter], code: reason, message }] });
}
