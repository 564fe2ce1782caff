import type { IncomingMessage } from "node:http";
import { isSecretName } from "../../../text/index.ts";
import { anthropicFamily } from "./anthropic-family.ts";
import { geminiFamily } from "./gemini-family.ts";
import { openAiFamily } from "./openai-family.ts";
import { isRecord } from "../../../schema/index.ts";
import { type JsonRecord, parseJson } from "./read-json.ts";
import { Refusal } from "./refusal.ts";
import type { WireFamily, WireRequest } from "./wire-family.ts";

const families: readonly WireFamily[] = [openAiFamily, anthropicFamily, geminiFamily];

/** The API whose path this is. */
export function familyAt(path: string): WireFamily | undefined {
  return families.find((family) => family.at(path, {}) !== undefined);
}

/** What a server takes. */
export interface RequestLimits {
  readonly maxBodyBytes: number;
  /** What a request has to carry; any, or none, will do where there is none. */
  readonly apiKey: string | undefined;
}

/** Reads a request of this API; throws a {@link Refusal} where it is too large, has the wrong key, or is no JSON. */
export async function readRequest(
  incoming: IncomingMessage,
  family: WireFamily,
  { maxBodyBytes, apiKey }: RequestLimits,
): Promise<WireRequest> {
  const url = urlOf(incoming);
  const text = await readBody(incoming, maxBodyBytes);
  if (incoming.method !== "POST") throw new Refusal(`${incoming.method} is not allowed here; use POST`, 405);
  const headers = headersOf(incoming);
  if (apiKey !== undefined && family.keyOf(headers, url.searchParams) !== apiKey)
    throw new Refusal("the API key is missing or invalid", 401);
  const body = bodyOf(text);
  const { model, stream } = family.at(url.pathname, body) ?? { model: "", stream: false };
  return { family: family.name, path: shownPath(url), headers: shown(headers), body, model, stream };
}

/** Where a request goes. */
export function urlOf({ url = "/" }: IncomingMessage): URL {
  // Not new URL(url): a path such as `//host` would be another server.
  const result = new URL("http://model.invalid");
  const [path = "/", query = ""] = url.split(/\?(.*)/s);
  result.pathname = path;
  result.search = query;
  return result;
}

async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Not destroyed where it is left early: the refusal goes over the same connection.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    // A request gives buffers as long as nobody sets an encoding.
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > maxBytes) throw new Refusal(`Request exceeds the maximum allowed number of bytes (${maxBytes}).`, 413);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString();
}

function bodyOf(text: string): JsonRecord {
  const body = parseJson(text);
  if (!isRecord(body)) throw new Refusal("We could not parse the JSON body of your request: it is no JSON object.");
  return body;
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}

function shown(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecret(name) ? "[redacted]" : value]),
  );
}

function isSecret(name: string): boolean {
  return isSecretName(name) || name === "key";
}

function shownPath(url: URL): string {
  for (const name of new Set(url.searchParams.keys())) if (isSecret(name)) url.searchParams.set(name, "[redacted]");
  return `${url.pathname}${url.search}`;
}
