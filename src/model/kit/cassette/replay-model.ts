import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";
import { systemClock } from "../../../base/index.ts";
import { createRedactor } from "../../../text/index.ts";
import type { Model, ModelAnswer, ModelCall } from "../../model.ts";
import type { ScriptedPart } from "../scripted-answer.ts";
import { streamOf } from "../scripted-stream.ts";
import { waitForAbort } from "../wait.ts";
import { type Cassette, type How, type Recorded, readCassette, toQuestion } from "./cassette.ts";
import { firstDifference } from "./first-difference.ts";
import { fromJsonForm } from "./json-form.ts";

/** A model that answers as another did once, when it is asked the same. */
export interface ReplayModel extends Model {
  /** Throws unless everything that was recorded was asked for again, and nothing else. */
  assertComplete(): void;
}

/**
 * A model that gives the answers of a file of `recordModel`, in their order, to the questions that were asked then. A
 * question that is another is an error that says where it begins to differ.
 *
 * @example
 * ```ts
 * const model = replayModel("test/cassettes/tides.jsonl");
 * await generateText(model, { prompt: "When is high water?" });
 * model.assertComplete();
 * ```
 */
export function replayModel(file: string): ReplayModel {
  return new Replay(readFile(file), basename(file));
}

function readFile(file: string): Cassette {
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
  readonly #exchanges: readonly Recorded[];
  readonly #name: string;
  readonly #problems: string[] = [];
  #asked = 0;

  constructor({ provider, model, exchanges }: Cassette, name: string) {
    this.provider = provider;
    this.modelId = model;
    this.#exchanges = exchanges;
    this.#name = name;
  }

  async doGenerate(call: ModelCall): Promise<ModelAnswer> {
    const { said, end } = this.#next(call, "generate");
    if ("left" in end) return waitForAbort(call.abortSignal);
    if ("failed" in end) throw errorOf(end.failed);
    // Recorded from an answer of this form; the types of its parts are not looked into.
    const rest = fromJsonForm(end.ended) as Omit<ModelAnswer, "content">;
    return { ...rest, content: fromJsonForm(said) as ModelAnswer["content"] };
  }

  async doStream(call: ModelCall): Promise<LanguageModelV4StreamResult> {
    const { said, end } = this.#next(call, "stream");
    if (said.length === 0 && "failed" in end) throw errorOf(end.failed);
    // Recorded from a stream of such parts.
    const parts: ScriptedPart[] = said.map((part) => fromJsonForm(part) as LanguageModelV4StreamPart);
    if ("failed" in end) parts.push(errorOf(end.failed));
    if ("left" in end) parts.push({ type: "pause", ms: Infinity });
    return { stream: streamOf(parts, { clock: systemClock, signal: call.abortSignal }) };
  }

  assertComplete(): void {
    if (this.#problems.length > 0) throw new Error(this.#problems.join("\n"));
    const left = this.#exchanges.length - this.#asked;
    if (left > 0)
      throw new Error(`${this.#name} has ${this.#exchanges.length} answers, but only ${this.#asked} were asked for`);
  }

  #next(call: ModelCall, how: How): Recorded {
    const recorded = this.#exchanges[this.#asked++];
    if (recorded === undefined)
      throw this.#problem(`${this.#name} has ${this.#exchanges.length} answers, and this is question ${this.#asked}`);
    const asked = redactor.value(viewOf(toQuestion(call, how)));
    const difference = firstDifference(viewOf(recorded), asked);
    if (difference !== undefined)
      throw this.#problem(
        `question ${this.#asked} is not the one in ${this.#name}: ${difference}; record it again where this is meant`,
      );
    call.abortSignal?.throwIfAborted();
    return recorded;
  }

  #problem(message: string): Error {
    this.#problems.push(message);
    return new Error(message);
  }
}

/** A question under the names that its asker gave to its parts. */
function viewOf({ how, settings, tools, messages }: Pick<Recorded, "how" | "settings" | "tools" | "messages">): object {
  return { how, prompt: messages, tools, ...settings };
}

function errorOf(form: unknown): Error {
  const error = fromJsonForm(form);
  return error instanceof Error ? error : new Error(String(error));
}
