import { isRecord } from "../../../schema/index.ts";
import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import type {
  McpCallOutcome,
  McpContent,
  McpToolDefinition,
  McpResource,
  McpResourceContent,
} from "../../../hub/index.ts";

/** A page of a list. */
export interface ListPage<T> {
  readonly entries: readonly T[];
  readonly next: string | undefined;
  /** Entries that were dropped, and why. */
  readonly problems: readonly string[];
}

/** Accepts any response: the reader decides entry by entry what is usable. */
export const anyResult: StandardSchemaV1<unknown, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "windlass",
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: "the response is not an object" }] }),
  },
};

/** A page of tools; an invalid tool is omitted, and the others stay. */
export function readTools(answer: Readonly<Record<string, unknown>>): ListPage<McpToolDefinition> | undefined {
  return readPage(answer, "tools", (entry) => {
    const name = textIn(entry, "name");
    const { inputSchema, outputSchema, annotations } = entry;
    if (name === undefined || name === "") return "a tool has no name";
    if (!isRecord(inputSchema)) return `the tool ${JSON.stringify(name.slice(0, 100))} has no input schema`;
    return {
      name,
      ...texts(entry, ["title", "description"]),
      inputSchema,
      ...(isRecord(outputSchema) && { outputSchema }),
      ...(isRecord(annotations) && { annotations }),
    };
  });
}

/** A page of resources. */
export function readResources(answer: Readonly<Record<string, unknown>>): ListPage<McpResource> | undefined {
  return readPage(answer, "resources", (entry) => {
    const uri = textIn(entry, "uri");
    if (uri === undefined) return "a resource has no address";
    return { uri, name: textIn(entry, "name") ?? uri, ...texts(entry, ["description", "mimeType"]) };
  });
}

/** Reads the contents of a resource. */
export function readContents(answer: Readonly<Record<string, unknown>>): readonly McpResourceContent[] | undefined {
  const { contents } = answer;
  if (!Array.isArray(contents)) return undefined;
  return contents.flatMap((entry) => (isRecord(entry) ? (resourceContent(entry) ?? []) : []));
}

/**
 * Reads the outcome of a call; a text says why there is none. A result that shows nothing of what the tool did must not
 * count as success.
 */
export function readOutcome(answer: Readonly<Record<string, unknown>>): McpCallOutcome | string {
  const { content = [], isError = false, structuredContent } = answer;
  if (!Array.isArray(content)) return "the content of the result is not a list";
  if (typeof isError !== "boolean") return "isError of the result is not true or false";
  if (answer["content"] === undefined && structuredContent === undefined)
    return "the result has neither content nor structuredContent";
  const invalid = content.filter((entry) => !isValidContent(entry)).length;
  if (invalid > 0 && invalid === content.length && structuredContent === undefined)
    return "no entry of the content is valid";
  return {
    isError,
    content: content.map(readContent),
    ...(structuredContent !== undefined && { structured: structuredContent }),
    ...(invalid > 0 && { problem: "an entry of the content is invalid" }),
  };
}

/** True for content of a type that we do not know: a newer protocol version may have it. */
function isValidContent(entry: unknown): boolean {
  if (!isRecord(entry)) return false;
  const type = textIn(entry, "type");
  return type !== undefined && (knownContent(entry) !== undefined || !knownTypes.has(type));
}

const knownTypes: ReadonlySet<string> = new Set(["text", "image", "audio", "resource", "resource_link"]);

function readPage<T extends object>(
  answer: Readonly<Record<string, unknown>>,
  key: string,
  read: (entry: Readonly<Record<string, unknown>>) => T | string,
): ListPage<T> | undefined {
  const { [key]: list, nextCursor } = answer;
  if (!Array.isArray(list)) return undefined;
  const results = list.map((entry) => (isRecord(entry) ? read(entry) : "an entry is not an object"));
  return {
    entries: results.filter((result) => typeof result !== "string"),
    problems: results.filter((result) => typeof result === "string"),
    next: typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : undefined,
  };
}

function readContent(entry: unknown): McpContent {
  const content = isRecord(entry) ? knownContent(entry) : undefined;
  // Mentioned instead of dropped: the reader of the result must know that something is missing.
  return content ?? { type: "text", text: `[content that cannot be shown: ${describeEntryType(entry)}]` };
}

function knownContent(entry: Readonly<Record<string, unknown>>): McpContent | undefined {
  const { type } = entry;
  const [text, data, uri] = [textIn(entry, "text"), textIn(entry, "data"), textIn(entry, "uri")];
  if (type === "text") return text === undefined ? undefined : { type, text };
  if (type === "image" || type === "audio") {
    const mimeType = textIn(entry, "mimeType") ?? "application/octet-stream";
    return data === undefined ? undefined : { type, data, mimeType };
  }
  if (type === "resource_link") {
    return uri === undefined ? undefined : { type, uri, ...texts(entry, ["name", "mimeType"]) };
  }
  const resource = type === "resource" && isRecord(entry["resource"]) ? resourceContent(entry["resource"]) : undefined;
  return resource === undefined ? undefined : { type: "resource", resource };
}

function resourceContent(entry: Readonly<Record<string, unknown>>): McpResourceContent | undefined {
  const uri = textIn(entry, "uri");
  return uri === undefined ? undefined : { uri, ...texts(entry, ["mimeType", "text", "blob"]) };
}

function describeEntryType(entry: unknown): string {
  const type = isRecord(entry) ? textIn(entry, "type") : undefined;
  return type === undefined ? "of no known type" : `of the type ${JSON.stringify(type.slice(0, 60))}`;
}

function texts<K extends string>(entry: Readonly<Record<string, unknown>>, keys: readonly K[]): { [P in K]?: string } {
  const found: { [P in K]?: string } = {};
  for (const key of keys) {
    const text = textIn(entry, key);
    if (text !== undefined) found[key] = text;
  }
  return found;
}

function textIn(entry: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = Object.hasOwn(entry, key) ? entry[key] : undefined;
  return typeof value === "string" ? value : undefined;
}
