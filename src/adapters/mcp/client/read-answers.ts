import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import type { McpCallOutcome, McpContent, McpDefinition, McpResource, McpResourceContent } from "../../../hub/index.ts";

/** A page of a list. */
export interface Page<T> {
  readonly entries: readonly T[];
  readonly next: string | undefined;
  /** What was left out, and why. */
  readonly problems: readonly string[];
}

/** Takes any answer: what of it can be used is decided by whoever reads it, entry by entry. */
export const anyAnswer: StandardSchemaV1<unknown, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "windlass",
    validate: (value) => (isObject(value) ? { value } : { issues: [{ message: "the answer is no object" }] }),
  },
};

/** A page of tools; a tool that cannot be read is left out, and the others stay. */
export function readTools(answer: Readonly<Record<string, unknown>>): Page<McpDefinition> | undefined {
  return readPage(answer, "tools", (entry) => {
    const name = textIn(entry, "name");
    const { inputSchema, outputSchema, annotations } = entry;
    if (name === undefined || name === "") return "a tool has no name";
    if (!isObject(inputSchema)) return `the tool ${JSON.stringify(name.slice(0, 100))} has no input schema`;
    return {
      name,
      ...texts(entry, ["title", "description"]),
      inputSchema,
      ...(isObject(outputSchema) && { outputSchema }),
      ...(isObject(annotations) && { annotations }),
    };
  });
}

/** A page of resources. */
export function readResources(answer: Readonly<Record<string, unknown>>): Page<McpResource> | undefined {
  return readPage(answer, "resources", (entry) => {
    const uri = textIn(entry, "uri");
    if (uri === undefined) return "a resource has no address";
    return { uri, name: textIn(entry, "name") ?? uri, ...texts(entry, ["description", "mimeType"]) };
  });
}

/** What is in a resource. */
export function readContents(answer: Readonly<Record<string, unknown>>): readonly McpResourceContent[] | undefined {
  const { contents } = answer;
  if (!Array.isArray(contents)) return undefined;
  return contents.flatMap((entry) => (isObject(entry) ? (resourceContent(entry) ?? []) : []));
}

/** What a call gave. */
export function readOutcome(answer: Readonly<Record<string, unknown>>): McpCallOutcome | undefined {
  const { content = [], isError, structuredContent } = answer;
  if (!Array.isArray(content)) return undefined;
  return {
    isError: isError === true,
    content: content.map(readContent),
    ...(structuredContent !== undefined && { structured: structuredContent }),
  };
}

function readPage<T extends object>(
  answer: Readonly<Record<string, unknown>>,
  key: string,
  read: (entry: Readonly<Record<string, unknown>>) => T | string,
): Page<T> | undefined {
  const { [key]: list, nextCursor } = answer;
  if (!Array.isArray(list)) return undefined;
  const results = list.map((entry) => (isObject(entry) ? read(entry) : "an entry is no object"));
  return {
    entries: results.filter((result) => typeof result !== "string"),
    problems: results.filter((result) => typeof result === "string"),
    next: typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : undefined,
  };
}

function readContent(entry: unknown): McpContent {
  const content = isObject(entry) ? knownContent(entry) : undefined;
  // Told instead of dropped: whoever reads the result must know that something is missing.
  return content ?? { type: "text", text: `[content that cannot be shown: ${shownType(entry)}]` };
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
  const resource = type === "resource" && isObject(entry["resource"]) ? resourceContent(entry["resource"]) : undefined;
  return resource === undefined ? undefined : { type: "resource", resource };
}

function resourceContent(entry: Readonly<Record<string, unknown>>): McpResourceContent | undefined {
  const uri = textIn(entry, "uri");
  return uri === undefined ? undefined : { uri, ...texts(entry, ["mimeType", "text", "blob"]) };
}

function shownType(entry: unknown): string {
  const type = isObject(entry) ? textIn(entry, "type") : undefined;
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
