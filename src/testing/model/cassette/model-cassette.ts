import { parseJson } from "../../../base/index.ts";
import type { ModelCall } from "../../../model/index.ts";
import { isRecord } from "../../../schema/index.ts";
import { type JsonRecord } from "../server/wire-api.ts";
import { toJsonForm } from "./json-form.ts";

/** The kind of request: whole or streamed. */
export type CallMode = "generate" | "stream";

/** One model request and its outcome, in JSON form. */
export interface RecordedExchange {
  readonly how: CallMode;
  /** Everything in the request except the messages and the tools. */
  readonly settings: JsonRecord;
  readonly tools: readonly unknown[];
  readonly messages: readonly unknown[];
  /** The parts of the response, or of its stream. */
  readonly parts: readonly unknown[];
  readonly end: RecordedEnd;
}

/** The end of a response: complete, with its remaining fields; with an error; or aborted by the caller. */
export type RecordedEnd = { readonly ended: JsonRecord } | { readonly failed: unknown } | { readonly aborted: true };

/** Recorded requests and responses of a model. */
export interface ModelCassette {
  readonly provider: string;
  readonly model: string;
  readonly exchanges: readonly RecordedExchange[];
}

/** A request in JSON form, without signals and headers: these contain keys and differ each time. */
export function toRecordedRequest(
  { prompt, tools = [], abortSignal: _signal, headers: _headers, includeRawChunks: _raw, ...settings }: ModelCall,
  how: CallMode,
): Pick<RecordedExchange, "how" | "settings" | "tools" | "messages"> {
  const form = (list: readonly unknown[]): readonly unknown[] => list.map((item) => toJsonForm(item));
  // A plain object without a type marker: no option begins with a dollar sign.
  return { how, settings: toJsonForm(settings) as JsonRecord, tools: form(tools), messages: form(prompt) };
}

/**
 * A cassette as text: one line of JSON for every message, every tool and every part of a response. Parts that a request
 * shares with the previous one are not repeated, so that a diff shows each change once.
 */
export function writeCassette({ provider, model, exchanges }: ModelCassette): string {
  const lines: unknown[] = [{ cassette: 2, provider, model }];
  let before: RecordedExchange | undefined;
  for (const [at, exchange] of exchanges.entries()) {
    lines.push(...linesOf(exchange, at + 1, before));
    before = exchange;
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function* linesOf(exchange: RecordedExchange, number: number, before: RecordedExchange | undefined): Generator {
  const { how, settings, tools, messages, parts, end } = exchange;
  const sameTools = tools.length > 0 && JSON.stringify(tools) === JSON.stringify(before?.tools);
  const sameMessages = commonStart(messages, before?.messages ?? []);
  yield {
    request: number,
    how,
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(sameTools && { same_tools: true }),
    ...(sameMessages > 0 && { same_messages: sameMessages }),
  };
  if (!sameTools) for (const tool of tools) yield { tool };
  for (const message of messages.slice(sameMessages)) yield { message };
  yield* partLines(parts);
  yield end;
}

function commonStart(a: readonly unknown[], b: readonly unknown[]): number {
  let count = 0;
  while (count < a.length && count < b.length && JSON.stringify(a[count]) === JSON.stringify(b[count])) count++;
  return count;
}

/** Consecutive chunks of one text become one line. */
function* partLines(parts: readonly unknown[]): Generator {
  let run: { part: JsonRecord; pieces: unknown[] } | undefined;
  for (const part of parts) {
    const { delta, ...rest } = isRecord(part) ? part : {};
    if (delta !== undefined && run !== undefined && JSON.stringify(run.part) === JSON.stringify(rest)) {
      run.pieces.push(delta);
      continue;
    }
    if (run !== undefined) yield run;
    run = delta === undefined ? undefined : { part: rest, pieces: [delta] };
    if (run === undefined) yield { part };
  }
  if (run !== undefined) yield run;
}

/** The cassette in this text; throws with the number of an invalid line. */
export function readCassette(text: string, name: string): ModelCassette {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const [head, ...rest] = lines.map((line, at) => lineOf(line, `${name}:${at + 1}`));
  if (head?.cassette !== 2) throw new Error(`${name} is not a cassette of this version; record it again`);
  const exchanges: RecordedExchange[] = [];
  let open: Open | undefined;
  for (const [at, line] of rest.entries()) {
    if (isEnd(line)) {
      if (open === undefined) throw new Error(`${name}:${at + 2} ends a response without a request`);
      exchanges.push({ ...open, end: line });
      open = undefined;
    } else open = addLine(open, line, { before: exchanges.at(-1), position: `${name}:${at + 2}` });
  }
  return { provider: String(head.provider), model: String(head.model), exchanges };
}

type Open = Omit<RecordedExchange, "end"> & {
  readonly tools: unknown[];
  readonly messages: unknown[];
  readonly parts: unknown[];
};

function lineOf(line: string, label: string): JsonRecord {
  const value = parseJson(line);
  if (!isRecord(value)) throw new Error(`${label} is not a JSON object; every line of a cassette is one`);
  return value;
}

function isEnd(line: JsonRecord): line is JsonRecord & RecordedEnd {
  return isRecord(line.ended) || line.failed !== undefined || line.aborted === true;
}

/** The request and its response after adding this line. */
function addLine(
  open: Open | undefined,
  line: JsonRecord,
  { before, position }: { readonly before: RecordedExchange | undefined; readonly position: string },
): Open {
  if (line.request !== undefined) return openExchange(line, before);
  if (open === undefined) throw new Error(`${position} belongs to no request`);
  if (line.tool !== undefined) open.tools.push(line.tool);
  else if (line.message !== undefined) open.messages.push(line.message);
  else if (Array.isArray(line.pieces) && isRecord(line.part))
    for (const delta of line.pieces) open.parts.push({ ...line.part, delta });
  else if (line.part !== undefined) open.parts.push(line.part);
  else throw new Error(`${position} is not a valid line of a cassette`);
  return open;
}

function openExchange(line: JsonRecord, before: RecordedExchange | undefined): Open {
  const { how, settings, same_tools, same_messages = 0 } = line;
  return {
    how: how === "stream" ? "stream" : "generate",
    settings: isRecord(settings) ? settings : {},
    tools: same_tools === true ? [...(before?.tools ?? [])] : [],
    messages: (before?.messages ?? []).slice(0, Number(same_messages)),
    parts: [],
  };
}
