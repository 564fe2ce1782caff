import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";
import { type Redactor, createRedactor } from "../../../text/index.ts";
import type { Model, ModelAnswer, ModelCall } from "../../model.ts";
import type { JsonRecord } from "../server/read-json.ts";
import { type How, type Recorded, type RecordedEnd, toQuestion, writeCassette } from "./cassette.ts";
import { coverPieces } from "./cover-pieces.ts";
import { toJsonForm } from "./json-form.ts";

/** What a recording must not hold. */
export interface RecordOptions {
  /** Taken out wherever they stand; keys of a known shape, and values under telling names, are taken out in any case. */
  readonly secrets?: Iterable<string>;
}

/**
 * The same model, and every question and answer of it in a file that `replayModel` reads. The file is replaced as a
 * whole after each answer, before the asker has the last of it; headers are not in it, secrets are taken out.
 *
 * @example
 * ```ts
 * const model = recordModel(openModel(settings, { door }), "test/cassettes/tides.jsonl");
 * await generateText(model, { prompt: "When is high water?" });
 * ```
 */
export function recordModel(model: Model, file: string, { secrets = [] }: RecordOptions = {}): Model {
  const tape = new Tape(model, file, createRedactor(secrets));
  return {
    specificationVersion: "v4",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    ...(model.timeoutMs !== undefined && { timeoutMs: model.timeoutMs }),
    doGenerate: (call) => generate(model, call, tape),
    doStream: (call) => stream(model, call, tape),
  };
}

async function generate(model: Model, call: ModelCall, tape: Tape): Promise<ModelAnswer> {
  const track = tape.start(call, "generate");
  try {
    const answer = await model.doGenerate(call);
    await track.end(endOf(answer), answer.content);
    return answer;
  } catch (error) {
    await track.fail(error, call);
    throw error;
  }
}

/** All that those who ask may look at; how it went over the wire is nothing that a replay needs. */
function endOf({ content: _content, request: _request, response, ...rest }: ModelAnswer): RecordedEnd {
  const { headers: _headers, body: _body, ...kept } = response ?? {};
  // An object, whose form has no mark: it has the names of an answer.
  return { ended: toJsonForm({ ...rest, ...(response !== undefined && { response: kept }) }) as JsonRecord };
}

async function stream(model: Model, call: ModelCall, tape: Tape): Promise<LanguageModelV4StreamResult> {
  const track = tape.start(call, "stream");
  try {
    const { stream } = await model.doStream(call);
    return { stream: taped(stream, track, call) };
  } catch (error) {
    await track.fail(error, call);
    throw error;
  }
}

function taped(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  track: Track,
  call: ModelCall,
): ReadableStream<LanguageModelV4StreamPart> {
  const reader = stream.getReader();
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            track.add(value);
            return controller.enqueue(value);
          }
          await track.end({ ended: {} });
          controller.close();
        } catch (error) {
          await track.fail(error, call);
          throw error;
        }
      },
      async cancel(reason) {
        await reader.cancel(reason);
        await track.end({ left: true });
      },
    },
    { highWaterMark: 0 },
  );
}

/** One question on a tape. */
class Track {
  readonly #tape: Tape;
  readonly #said: unknown[] = [];
  /** In the order in which questions came, whichever is answered first. */
  readonly #place: number;
  readonly #question: ReturnType<typeof toQuestion>;
  #isOver = false;

  constructor(tape: Tape, place: number, question: ReturnType<typeof toQuestion>) {
    this.#tape = tape;
    this.#place = place;
    this.#question = question;
  }

  add(part: unknown): void {
    this.#said.push(toJsonForm(part));
  }

  async end(end: RecordedEnd, said: readonly unknown[] = []): Promise<void> {
    // What fails after the answer was kept is no part of it: the disk, for instance.
    if (this.#isOver) return;
    this.#isOver = true;
    for (const part of said) this.add(part);
    await this.#tape.keep(this.#place, { ...this.#question, said: this.#said, end });
  }

  fail(error: unknown, { abortSignal }: ModelCall): Promise<void> {
    return this.end(abortSignal?.aborted === true ? { left: true } : { failed: toJsonForm(asError(error)) });
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

class Tape {
  readonly #model: Model;
  readonly #file: string;
  readonly #redactor: Redactor;
  readonly #exchanges: (Recorded | undefined)[] = [];
  #saving: Promise<void> = Promise.resolve();
  #saves = 0;

  constructor(model: Model, file: string, redactor: Redactor) {
    this.#model = model;
    this.#file = file;
    this.#redactor = redactor;
  }

  start(call: ModelCall, how: How): Track {
    return new Track(this, this.#exchanges.push(undefined) - 1, toQuestion(call, how));
  }

  async keep(place: number, exchange: Recorded): Promise<void> {
    const said = coverPieces(exchange.said, this.#redactor);
    // A redactor keeps the shape of JSON.
    this.#exchanges[place] = this.#redactor.value({ ...exchange, said }) as Recorded;
    const before = this.#saving;
    this.#saving = (async () => {
      // Somebody else was told.
      await before.catch(() => {});
      await this.#save();
    })();
    await this.#saving;
  }

  async #save(): Promise<void> {
    const { provider, modelId: model } = this.#model;
    const exchanges = this.#exchanges.filter((exchange) => exchange !== undefined);
    const folder = dirname(this.#file);
    const temp = join(folder, `.${basename(this.#file)}.${process.pid}.${++this.#saves}.tmp`);
    await mkdir(folder, { recursive: true });
    try {
      await writeFile(temp, writeCassette({ provider, model, exchanges }), { flush: true });
      await rename(temp, this.#file);
    } catch (error) {
      await rm(temp, { force: true });
      throw error;
    }
  }
}
