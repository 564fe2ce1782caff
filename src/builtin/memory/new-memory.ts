import { canonicalJson, jsonText, nodeCrypto, plainJsonSize } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import { type Memory, type NewMemory, joinTags } from "../../store/index.ts";
import { layOutJson } from "../../text/index.ts";
import { memoryFailure } from "./memory-reasons.ts";

/** Something to remember, as a caller says it. */
export interface Remembered {
  /** A text, or any other JSON value. */
  readonly content: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly tags?: readonly string[];
  /** Memories of one namespace are not found from another; `default` where absent. */
  readonly namespace?: string;
  /** What kind of memory it is, such as `research`. */
  readonly type?: string;
}

/** Larger contents are documents, not memories. */
const maxContentBytes = 256 * 1024;
const maxMetadataBytes = 32 * 1024;
const maxTags = 50;
const longestTag = 100;
const longestTitle = 100;

/** Where memories go when nothing is said. */
export const usualNamespace = "default";

/** Checks what is to be remembered, gives it its title, and the id that the same content always has. */
export function newMemory(given: Remembered): NewMemory {
  const { content, metadata = {} } = given;
  const namespace = checkNamespace(given.namespace);
  const text = textOf(content);
  if (text.trim() === "") throw refusal("empty_content", "content is empty: pass the text to remember", "content");
  if (Buffer.byteLength(text) > maxContentBytes) {
    throw refusal("too_large", `content has more than ${maxContentBytes} bytes: store a summary of it`, "content");
  }
  checkMetadata(metadata);
  const type = given.type ?? (typeof metadata["type"] === "string" ? metadata["type"] : undefined);
  return {
    id: idOf(namespace, content),
    namespace,
    title: titleOf(content, text, metadata),
    text,
    ...(typeof content !== "string" && { content }),
    ...(type !== undefined && { type: type.slice(0, longestTag) }),
    tags: joinTags([], given.tags ?? [])
      .slice(0, maxTags)
      .map((tag) => tag.slice(0, longestTag)),
    metadata,
  };
}

/** A namespace in its one form. */
export function checkNamespace(namespace: string = usualNamespace): string {
  const name = namespace.trim().normalize("NFC");
  if (/^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._:@/-]{0,127}$/u.test(name)) return name;
  const message =
    "namespace must begin with a letter or a digit and have at most 128 letters, digits, . _ - : @ / or spaces";
  throw refusal("bad_namespace", message, "namespace");
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  // Counted before it is written: it may be very large.
  if (plainJsonSize(content, 2 * maxContentBytes) === Infinity) {
    throw refusal("too_large", `content has more than ${maxContentBytes} bytes: store a summary of it`, "content");
  }
  const written = jsonText(content);
  if ("problem" in written) throw refusal("not_json", `content cannot be kept: ${written.problem}`, "content");
  if (content === null || isEmpty(content)) return "";
  return typeof content === "object" ? readable(written.text) : written.text;
}

/** Laid out where there is room for it: what nests deep can be a thousand times as long that way. */
function readable(json: string): string {
  const { text, cut } = layOutJson(json, maxContentBytes);
  return cut || Buffer.byteLength(text) > maxContentBytes ? json : text;
}

function isEmpty(content: unknown): boolean {
  return typeof content === "object" && content !== null && Object.keys(content).length === 0;
}

function checkMetadata(metadata: Readonly<Record<string, unknown>>): void {
  const written = jsonText(metadata);
  if ("problem" in written) throw refusal("not_json", `metadata cannot be kept: ${written.problem}`, "metadata");
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

/** A memory with the title that it has by all that was ever said about it. */
export function withTitle(given: NewMemory, before: Memory | undefined): NewMemory {
  const { content, text } = given;
  return { ...given, title: titleOf(content ?? text, text, { ...before?.metadata, ...given.metadata }) };
}

function titleOf(content: unknown, text: string, metadata: Readonly<Record<string, unknown>>): string {
  const own = isRecord(content) ? content["title"] : undefined;
  const named = [metadata["title"], own, metadata["topic"]].find((one) => typeof one === "string" && one.trim() !== "");
  const line = typeof named === "string" ? named : firstLine(text);
  const title = line.replaceAll(/\s+/g, " ").trim();
  return title.length > longestTitle ? `${title.slice(0, longestTitle).toWellFormed()}…` : title;
}

function firstLine(text: string): string {
  const lines = text.slice(0, 2000).split("\n");
  const bare = lines.map((line) => line.replace(/^[\s#>*\-{["]+/, "").trim());
  return bare.find((line) => /[\p{L}\p{N}]/u.test(line)) ?? text.slice(0, longestTitle).trim();
}

function refusal(reason: Parameters<typeof memoryFailure>[0], message: string, parameter: string): Error {
  return memoryFailure(reason, message, { issues: [{ path: [parameter], code: reason, message }] });
}
