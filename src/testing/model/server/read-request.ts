import { parseJson } from "../../../base/index.ts";
import type { IncomingMessage } from "node:http";
import { isSecretName } from "../../../secrets/index.ts";
import { anthropicApi } from "./anthropic-api.ts";
import { geminiApi } from "./gemini-api.ts";
import { openAiApi } from "./openai-api.ts";
import { isRecord } from "../../../schema/index.ts";
import { type JsonRecord, ApiRejection, type WireApi, type WireRequest } from "./wire-api.ts";

const families: readonly WireApi[] = [openAiApi, anthropicApi, geminiApi];

/** The API that this path belongs to. */
export function wireApiAt(path: string): WireApi | undefined {
  return families.find((family) => family.at(path, {}) !== undefined);
}

/**
 * Reads a request of this API; throws an {@link ApiRejection} if it is too large, has the wrong key, or is not JSON.
 */
export async function readRequest(
  incoming: IncomingMessage,
  family: WireApi,
  maxBodyBytes: number,
  apiKey: string | undefined,
): Promise<WireRequest> {
  const url = urlOf(incoming);
  const text = await readBody(incoming, maxBodyBytes);
  if (incoming.method !== "POST") throw new ApiRejection(`${incoming.method} is not allowed here; use POST`, 405);
  const headers = headersOf(incoming);
  if (apiKey !== undefined && family.keyOf(headers, url.searchParams) !== apiKey)
    throw new ApiRejection("the API key is missing or invalid", 401);
  const body = bodyOf(text);
  const { model, stream } = family.at(url.pathname, body) ?? { model: "", stream: false };
  return { family: family.name, path: redactedPath(url), headers: redactedHeaders(headers), body, model, stream };
}

/** URL of a request. */
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
  // Not destroyed when reading stops early: the refusal uses the same connection.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    // A request yields buffers unless an encoding is set.
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > maxBytes)
      throw new ApiRejection(`Request exceeds the maximum allowed number of bytes (${maxBytes}).`, 413);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString();
}

function bodyOf(text: string): JsonRecord {
  const body = parseJson(text);
  if (!isRecord(body))
    throw new ApiRejection("We could not parse the JSON body of your request: it is not a JSON object.");
  return body;
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}

function redactedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecret(name) ? "[redacted]" : value]),
  );
}

function isSecret(name: string): boolean {
  return isSecretName(name) || name === "key";
}

function redactedPath(url: URL): string {
  for (const name of new Set(url.searchParams.keys())) if (isSecret(name)) url.searchParams.set(name, "[redacted]");
  return `${url.pathname}${url.search}`;
}
