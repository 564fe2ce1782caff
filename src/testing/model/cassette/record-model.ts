import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";
import { type Redactor, createRedactor, processSecrets } from "../../../secrets/index.ts";
import type { Model, ModelGenerateResult, ModelCall } from "../../../model/index.ts";
import type { JsonRecord } from "../server/wire-api.ts";
import {
  type CallMode,
  type RecordedExchange,
  type RecordedEnd,
  toRecordedRequest,
  writeCassette,
} from "./model-cassette.ts";
import { toJsonForm } from "./json-form.ts";
import { isRecord } from "../../../schema/index.ts";

/** Options of a recording. */
export interface RecordModelOptions {
  /**
   * Redacted wherever they occur, as are the secrets of every workspace and engine that this process has opened. Keys
   * of a known format, and values under sensitive names, are always redacted.
   */
  readonly secrets?: Iterable<string>;
}

/**
 * Wraps a model so that every request and response is recorded in a file for `replayModel`. The file is replaced as
 * a whole after each response, before the caller receives the end of it. Headers are omitted, secrets are redacted,
 * and only this user may read the file.
 *
 * @example
 * ```ts
 * const model = recordModel(openModel(settings, { http }), "test/cassettes/tides.jsonl");
 * await generateText(model, { prompt: "When is high water?" });
 * ```
 *
 * @see docs/guide/testing.md
 */
export function recordModel(model: Model, file: string, { secrets = [] }: RecordModelOptions = {}): Model {
  const tape = new Tape(model, file, secrets);
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

async function generate(model: Model, call: ModelCall, tape: Tape): Promise<ModelGenerateResult> {
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

/** Everything that a caller may read; wire details are not needed for a replay. */
function endOf({ content: _content, request: _request, response, ...rest }: ModelGenerateResult): RecordedEnd {
  const { headers: _headers, body: _body, ...stored } = response ?? {};
  // A plain object without a type marker: it has the property names of a response.
  return { ended: toJsonForm({ ...rest, ...(response !== undefined && { response: stored }) }) as JsonRecord };
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
        await track.end({ aborted: true });
      },
    },
    { highWaterMark: 0 },
  );
}

/** One request on a tape. */
class Track {
  readonly #tape: Tape;
  readonly #parts: unknown[] = [];
  /** In the order in which requests arrived, regardless of which response is first. */
  readonly #position: number;
  readonly #request: ReturnType<typeof toRecordedRequest>;
  #isOver = false;

  constructor(tape: Tape, label: number, modelPrompt: ReturnType<typeof toRecordedRequest>) {
    this.#tape = tape;
    this.#position = label;
    this.#request = modelPrompt;
  }

  add(part: unknown): void {
    this.#parts.push(toJsonForm(part));
  }

  async end(end: RecordedEnd, parts: readonly unknown[] = []): Promise<void> {
    // Errors after the response was recorded, such as a disk error, are not part of it.
    if (this.#isOver) return;
    this.#isOver = true;
    for (const part of parts) this.add(part);
    await this.#tape.write(this.#position, { ...this.#request, parts: this.#parts, end });
  }

  fail(error: unknown, { abortSignal }: ModelCall): Promise<void> {
    return this.end(abortSignal?.aborted === true ? { aborted: true } : { failed: toJsonForm(asError(error)) });
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

class Tape {
  readonly #model: Model;
  readonly #file: string;
  readonly #secrets: readonly string[];
  readonly #exchanges: (RecordedExchange | undefined)[] = [];
  #saving: Promise<void> = Promise.resolve();
  #saves = 0;

  constructor(model: Model, file: string, secrets: Iterable<string>) {
    this.#model = model;
    this.#file = file;
    this.#secrets = [...secrets];
  }

  start(call: ModelCall, how: CallMode): Track {
    return new Track(this, this.#exchanges.push(undefined) - 1, toRecordedRequest(call, how));
  }

  async write(label: number, exchange: RecordedExchange): Promise<void> {
    // A workspace may have been opened since the recording began.
    const redactor = createRedactor([...this.#secrets, ...processSecrets()]);
    const parts = redactStreamParts(exchange.parts, redactor);
    // A redactor preserves the shape of JSON.
    this.#exchanges[label] = redactor.value({ ...exchange, parts }) as RecordedExchange;
    const before = this.#saving;
    this.#saving = (async () => {
      // An error of the previous save was already reported to its own caller.
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
      await writeFile(temp, writeCassette({ provider, model, exchanges }), { flush: true, mode: 0o600 });
      await rename(temp, this.#file);
    } catch (error) {
      await rm(temp, { force: true });
      throw error;
    }
  }
}

/**
 * The parts of a stream without secrets that span several chunks: the whole text of such a secret moves into its first
 * chunk.
 */
function redactStreamParts(parts: readonly unknown[], redactor: Redactor): readonly unknown[] {
  const texts = new Map<string, string>();
  for (const part of parts)
    if (isPiece(part)) texts.set(streamKey(part), (texts.get(streamKey(part)) ?? "") + part.delta);
  const covered = new Map<string, string>();
  for (const [name, text] of texts) {
    const safe = redactor.text(text);
    if (safe !== text) covered.set(name, safe);
  }
  if (covered.size === 0) return parts;
  return parts.map((part) => {
    const text = isPiece(part) ? covered.get(streamKey(part)) : undefined;
    if (text === undefined || !isPiece(part)) return part;
    covered.set(streamKey(part), "");
    return { ...part, delta: text };
  });
}

type Piece = JsonRecord & { readonly delta: string };

function isPiece(part: unknown): part is Piece {
  return isRecord(part) && typeof part.delta === "string";
}

/** Identifies which of several interleaved texts a piece belongs to. */
function streamKey({ type, id }: Piece): string {
  return `${String(type)} ${String(id)}`;
}
