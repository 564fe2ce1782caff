import type { ModelCall } from "../../model.ts";
import { isRecord } from "../../../schema/index.ts";
import { type JsonRecord, parseJson } from "../server/read-json.ts";
import { toJsonForm } from "./json-form.ts";

/** How a question was put. */
export type How = "generate" | "stream";

/** One question and what came of it, in JSON form. */
export interface Recorded {
  readonly how: How;
  /** Everything that was asked but the messages and the tools. */
  readonly settings: JsonRecord;
  readonly tools: readonly unknown[];
  readonly messages: readonly unknown[];
  /** The parts of the answer, or of its stream. */
  readonly said: readonly unknown[];
  readonly end: RecordedEnd;
}

/** How an answer ended: whole, with what else belongs to it; with an error; or because the asker left. */
export type RecordedEnd = { readonly ended: JsonRecord } | { readonly failed: unknown } | { readonly left: true };

/** What a model was asked and answered. */
export interface Cassette {
  readonly provider: string;
  readonly model: string;
  readonly exchanges: readonly Recorded[];
}

/** A question in JSON form, without signals and headers: these hold keys, and are another time others. */
export function toQuestion(
  call: ModelCall,
  how: How,
): {
  readonly how: How;
  readonly settings: JsonRecord;
  readonly tools: readonly unknown[];
  readonly messages: readonly unknown[];
} {
  const { prompt, tools = [], abortSignal: _signal, headers: _headers, includeRawChunks: _raw, ...settings } = call;
  const form = (list: readonly unknown[]): readonly unknown[] => list.map((item) => toJsonForm(item));
  // An object, since its form has no mark: no option begins with a dollar sign.
  return { how, settings: toJsonForm(settings) as JsonRecord, tools: form(tools), messages: form(prompt) };
}

/**
 * A cassette as text: a line of JSON for every message, every tool and every part of an answer. What a question has in
 * common with the one before it is not repeated, so that a change shows where it was made.
 */
export function writeCassette({ provider, model, exchanges }: Cassette): string {
  const lines: unknown[] = [{ cassette: 1, provider, model }];
  let before: Recorded | undefined;
  for (const [at, exchange] of exchanges.entries()) {
    lines.push(...linesOf(exchange, at + 1, before));
    before = exchange;
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function* linesOf(exchange: Recorded, number: number, before: Recorded | undefined): Generator {
  const { how, settings, tools, messages, said, end } = exchange;
  const sameTools = tools.length > 0 && JSON.stringify(tools) === JSON.stringify(before?.tools);
  const sameMessages = commonStart(messages, before?.messages ?? []);
  yield {
    question: number,
    how,
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(sameTools && { same_tools: true }),
    ...(sameMessages > 0 && { same_messages: sameMessages }),
  };
  if (!sameTools) for (const tool of tools) yield { tool };
  for (const message of messages.slice(sameMessages)) yield { message };
  yield* saidLines(said);
  yield end;
}

function commonStart(a: readonly unknown[], b: readonly unknown[]): number {
  let count = 0;
  while (count < a.length && count < b.length && JSON.stringify(a[count]) === JSON.stringify(b[count])) count++;
  return count;
}

/** Pieces of one text in a row are one line. */
function* saidLines(said: readonly unknown[]): Generator {
  let run: { said: JsonRecord; pieces: unknown[] } | undefined;
  for (const part of said) {
    const { delta, ...rest } = isRecord(part) ? part : {};
    if (delta !== undefined && run !== undefined && JSON.stringify(run.said) === JSON.stringify(rest)) {
      run.pieces.push(delta);
      continue;
    }
    if (run !== undefined) yield run;
    run = delta === undefined ? undefined : { said: rest, pieces: [delta] };
    if (run === undefined) yield { said: part };
  }
  if (run !== undefined) yield run;
}

/** The cassette in this text; throws with the line that is none of a cassette. */
export function readCassette(text: string, name: string): Cassette {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const [head, ...rest] = lines.map((line, at) => lineOf(line, `${name}:${at + 1}`));
  if (head?.cassette !== 1) throw new Error(`${name} is no cassette of this version; record it again`);
  const exchanges: Recorded[] = [];
  let open: Open | undefined;
  for (const [at, line] of rest.entries()) {
    if (isEnd(line)) {
      if (open === undefined) throw new Error(`${name}:${at + 2} ends an answer that no question began`);
      exchanges.push({ ...open, end: line });
      open = undefined;
    } else open = addLine(open, line, { before: exchanges.at(-1), place: `${name}:${at + 2}` });
  }
  return { provider: String(head.provider), model: String(head.model), exchanges };
}

type Open = Omit<Recorded, "end"> & {
  readonly tools: unknown[];
  readonly messages: unknown[];
  readonly said: unknown[];
};

function lineOf(line: string, place: string): JsonRecord {
  const value = parseJson(line);
  if (!isRecord(value)) throw new Error(`${place} is no JSON object; a cassette has one on every line`);
  return value;
}

function isEnd(line: JsonRecord): line is JsonRecord & RecordedEnd {
  return isRecord(line.ended) || line.failed !== undefined || line.left === true;
}

/** What the question and its answer are with this line. */
function addLine(
  open: Open | undefined,
  line: JsonRecord,
  { before, place }: { readonly before: Recorded | undefined; readonly place: string },
): Open {
  if (line.question !== undefined) return openQuestion(line, before);
  if (open === undefined) throw new Error(`${place} belongs to no question`);
  if (line.tool !== undefined) open.tools.push(line.tool);
  else if (line.message !== undefined) open.messages.push(line.message);
  else if (Array.isArray(line.pieces) && isRecord(line.said))
    for (const delta of line.pieces) open.said.push({ ...line.said, delta });
  else if (line.said !== undefined) open.said.push(line.said);
  else throw new Error(`${place} is nothing that a cassette has`);
  return open;
}

function openQuestion(line: JsonRecord, before: Recorded | undefined): Open {
  const { how, settings, same_tools, same_messages = 0 } = line;
  return {
    how: how === "stream" ? "stream" : "generate",
    settings: isRecord(settings) ? settings : {},
    tools: same_tools === true ? [...(before?.tools ?? [])] : [],
    messages: (before?.messages ?? []).slice(0, Number(same_messages)),
    said: [],
  };
}
