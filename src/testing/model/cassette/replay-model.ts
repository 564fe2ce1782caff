import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";
import { systemClock, formatPath } from "../../../base/index.ts";
import { createRedactor } from "../../../secrets/index.ts";
import type { Model, ModelGenerateResult, ModelCall } from "../../../model/index.ts";
import type { ScriptedPart } from "../scripted-response.ts";
import { streamOf, waitForAbort } from "../scripted-stream.ts";
import {
  type ModelCassette,
  type CallMode,
  type RecordedExchange,
  readCassette,
  toRecordedRequest,
} from "./model-cassette.ts";
import { fromJsonForm } from "./json-form.ts";
import { isRecord, ownValue } from "../../../schema/index.ts";

/** A model that responds as recorded when it receives the recorded requests. */
export interface ReplayModel extends Model {
  /** Throws unless every recorded request was sent, and no other. */
  assertComplete(): void;
}

/**
 * Creates a model that returns the responses in a file of `recordModel`, in order, to the recorded requests. A
 * request that differs is an error that states the first difference.
 *
 * @example
 * ```ts
 * const model = replayModel("test/cassettes/tides.jsonl");
 * await generateText(model, { prompt: "When is high water?" });
 * model.assertComplete();
 * ```
 *
 * @see docs/guide/testing.md
 */
export function replayModel(file: string): ReplayModel {
  return new Replay(readFile(file), basename(file));
}

function readFile(file: string): ModelCassette {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new Error(`${basename(file)} cannot be read; record it with recordModel first`, { cause });
  }
  return readCassette(text, basename(file));
}

const redactor = createRedactor([]);

class Replay implements ReplayModel {
  readonly specificationVersion = "v4";
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]> = {};
  readonly #exchanges: readonly RecordedExchange[];
  readonly #name: string;
  readonly #problems: string[] = [];
  #requests = 0;

  constructor({ provider, model, exchanges }: ModelCassette, name: string) {
    this.provider = provider;
    this.modelId = model;
    this.#exchanges = exchanges;
    this.#name = name;
  }

  async doGenerate(call: ModelCall): Promise<ModelGenerateResult> {
    const { parts, end } = this.#next(call, "generate");
    if ("aborted" in end) return waitForAbort(call.abortSignal);
    if ("failed" in end) throw errorOf(end.failed);
    // Recorded from a response of this form; the types of its parts are not checked.
    const rest = fromJsonForm(end.ended) as Omit<ModelGenerateResult, "content">;
    return { ...rest, content: fromJsonForm(parts) as ModelGenerateResult["content"] };
  }

  async doStream(call: ModelCall): Promise<LanguageModelV4StreamResult> {
    const { parts: text, end } = this.#next(call, "stream");
    if (text.length === 0 && "failed" in end) throw errorOf(end.failed);
    // Recorded from a stream of such parts.
    const parts: ScriptedPart[] = text.map((part) => fromJsonForm(part) as LanguageModelV4StreamPart);
    if ("failed" in end) parts.push(errorOf(end.failed));
    if ("aborted" in end) parts.push({ type: "pause", ms: Infinity });
    return { stream: streamOf(parts, { clock: systemClock, signal: call.abortSignal }) };
  }

  assertComplete(): void {
    if (this.#problems.length > 0) throw new Error(this.#problems.join("\n"));
    const left = this.#exchanges.length - this.#requests;
    if (left > 0)
      throw new Error(
        `${this.#name} has ${this.#exchanges.length} responses, but only ${this.#requests} were requested`,
      );
  }

  #next(call: ModelCall, how: CallMode): RecordedExchange {
    const recorded = this.#exchanges[this.#requests++];
    if (recorded === undefined)
      throw this.#problem(
        `${this.#name} has ${this.#exchanges.length} responses, and this is request ${this.#requests}`,
      );
    const request = redactor.value(viewOf(toRecordedRequest(call, how)));
    const difference = firstRequestDifference(viewOf(recorded), request);
    if (difference !== undefined)
      throw this.#problem(
        `request ${this.#requests} differs from the one in ${this.#name}: ${difference}; if the change is intended, record it again`,
      );
    call.abortSignal?.throwIfAborted();
    return recorded;
  }

  #problem(message: string): Error {
    this.#problems.push(message);
    return new Error(message);
  }
}

/** A request with the property names that the caller used. */
function viewOf({
  how,
  settings,
  tools,
  messages,
}: Pick<RecordedExchange, "how" | "settings" | "tools" | "messages">): object {
  return { how, prompt: messages, tools, ...settings };
}

function errorOf(form: unknown): Error {
  const error = fromJsonForm(form);
  return error instanceof Error ? error : new Error(String(error));
}

type Path = readonly (string | number)[];

/** The replacement of a secret; it matches every text. */
const redactedText = "[redacted]";

/** Describes the first difference between two values in JSON form; undefined if they are equal. */
function firstRequestDifference(recorded: unknown, request: unknown, path: Path = []): string | undefined {
  if (Array.isArray(recorded) && Array.isArray(request)) return inLists(recorded, request, path);
  if (isRecord(recorded) && isRecord(request)) {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(request)])) {
      const difference = firstRequestDifference(ownValue(recorded, name), ownValue(request, name), [...path, name]);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  if (recorded === request) return undefined;
  if (typeof recorded === "string" && typeof request === "string") return inTexts(recorded, request, path);
  return describeDifference(path, show(recorded), show(request));
}

function inLists(recorded: readonly unknown[], request: readonly unknown[], path: Path): string | undefined {
  for (let at = 0; at < Math.max(recorded.length, request.length); at++) {
    const difference = firstRequestDifference(recorded[at], request[at], [...path, at]);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function inTexts(recorded: string, request: string, path: Path): string | undefined {
  if (isLike(recorded, request)) return undefined;
  let at = 0;
  while (at < recorded.length && recorded[at] === request[at]) at++;
  // Includes some of the common text, so that the position can be found.
  const from = Math.max(0, at - 20);
  return describeDifference(path, show(recorded.slice(from), from > 0), show(request.slice(from), from > 0));
}

/** True if this is the recorded text, ignoring the values of its secrets. */
function isLike(recorded: string, request: string): boolean {
  const [first = "", ...rest] = recorded.split(redactedText);
  if (rest.length === 0 || !request.startsWith(first)) return false;
  const last = rest.pop() ?? "";
  let at = first.length;
  for (const piece of rest) {
    const found = request.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return request.length - last.length >= at && request.endsWith(last);
}

function describeDifference(path: Path, recorded: string, request: string): string {
  return `${formatPath(path)} is ${request}, but ${recorded} was recorded`;
}

function show(value: unknown, isCut = false): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  const short = text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text;
  return isCut ? `…${short}` : short;
}
