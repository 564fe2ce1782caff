import type { Workspace } from "../../app/index.ts";
import { inspectRun } from "../../app/index.ts";
import { type Clock, type IdGenerator, canonicalJson, nodeCrypto } from "../../base/index.ts";
import { type KeyedRequest, type StoredResponse, isFinished } from "../../store/index.ts";
import { type Work, refusal } from "./handler.ts";
import { inProgress, unfinishedWork } from "./unfinished-work.ts";

/** Dependencies of {@link KeyedRequests}. */
export interface KeyedRequestsDeps {
  readonly workspace: Workspace;
  readonly ids: IdGenerator;
  readonly clock: Pick<Clock, "now">;
  /** Called if a response cannot be stored; it is sent nevertheless. */
  readonly onError: (error: unknown) => void;
}

/** A request with an idempotency key. */
export interface KeyedRequestInput {
  readonly key: string;
  readonly principal: string;
  readonly method: string;
  /** The path of the request, with its parameters. */
  readonly path: string;
  /** The values that a repeated request has again. */
  readonly values: unknown;
  /** The run that the request names: one that exists, or one that is to be joined. Undefined: its work is new. */
  readonly runId: string | undefined;
}

/** Handles a request, and turns an error of its work into a response. */
export interface KeyedHandler {
  /** @param work Undefined if the request names its run. */
  readonly execute: (work: Work | undefined) => Promise<StoredResponse | Response>;
  readonly refuse: (error: unknown) => StoredResponse;
}

const validMs = 24 * 3_600_000;
/** A larger response is not stored: it is read again from the run. */
const maxStoredChars = 1 << 20;

/**
 * Requests with an idempotency key: the work of a key starts once, and its response is sent to every repetition.
 *
 * The id of the work is stored with the key before the work begins. A repetition finds this id, also after a crash of the
 * process at any point, and joins the run that has it, or starts the run if there is none.
 */
export class KeyedRequests {
  readonly #deps: KeyedRequestsDeps;
  /** Being handled by this server. */
  readonly #active = new Set<string>();

  constructor(deps: KeyedRequestsDeps) {
    this.#deps = deps;
  }

  /** Handles the request, unless it is a repetition. Throws a problem if its work has not ended, or the key is another's. */
  async answer(input: KeyedRequestInput, handler: KeyedHandler): Promise<StoredResponse | Response> {
    const { request, isNew } = await this.#begin(input);
    if (request.fingerprint !== fingerprintOf(input))
      throw refusal(
        "idempotency_mismatch",
        "this idempotency key was used for another request; use a new key for each request",
      );
    if (request.response !== undefined) return repeated(request.response);
    if (this.#active.has(request.id)) throw inProgress(request.workId);
    this.#active.add(request.id);
    try {
      return await (input.runId === undefined
        ? this.#startOrJoin(request, isNew, handler)
        : this.#repeat(request, handler));
    } finally {
      this.#active.delete(request.id);
    }
  }

  #begin(input: KeyedRequestInput): Promise<{ readonly request: KeyedRequest; readonly isNew: boolean }> {
    const { workspace, ids, clock } = this.#deps;
    const { key, principal, method, path, runId } = input;
    const createdAt = clock.now();
    return workspace.idempotencyKeys.begin({
      id: hashOf(JSON.stringify([principal, method, path, key])),
      fingerprint: fingerprintOf(input),
      workId: runId ?? ids.next(),
      createdAt,
      expiresAt: createdAt + validMs,
    });
  }

  /** A request that names its run has the same effect when it is handled again. */
  async #repeat(request: KeyedRequest, { execute }: KeyedHandler): Promise<StoredResponse | Response> {
    const response = await execute(undefined);
    await this.#complete(request, response);
    return response;
  }

  async #startOrJoin(request: KeyedRequest, isNew: boolean, handler: KeyedHandler): Promise<StoredResponse | Response> {
    const run = isNew ? undefined : await this.#find(request);
    if (run !== undefined && !isFinished(run.run.status)) throw await unfinishedWork(run);
    if (run === undefined && request.isStarted)
      throw refusal("unknown_outcome", "the work of this request has ended, and its result was removed since", {
        run_id: request.workId,
      });
    try {
      const response = await handler.execute({ id: request.workId, isStarted: run !== undefined });
      await this.#complete(request, response);
      return response;
    } catch (error) {
      // Without a run nothing was started: the same request may succeed later.
      const started = await this.#find(request);
      if (started === undefined) throw error;
      if (!isFinished(started.run.status)) {
        await this.#deps.workspace.idempotencyKeys.started(request.id, request.workId);
        throw error;
      }
      const response = handler.refuse(error);
      await this.#complete(request, response);
      return response;
    }
  }

  #find({ workId }: KeyedRequest): ReturnType<typeof inspectRun> {
    return inspectRun(this.#deps.workspace, workId);
  }

  async #complete({ id, workId }: KeyedRequest, response: StoredResponse | Response): Promise<void> {
    const { idempotencyKeys } = this.#deps.workspace;
    try {
      if (response instanceof Response || response.body.length > maxStoredChars)
        await idempotencyKeys.started(id, workId);
      else await idempotencyKeys.complete(id, workId, response);
    } catch (error) {
      this.#deps.onError(error);
    }
  }
}

/** The key of a request, from its `Idempotency-Key`; undefined if it has none. Throws a problem if it is not valid. */
export function idempotencyKeyOf(headers: Headers): string | undefined {
  const sent = headers.get("idempotency-key");
  if (sent === null) return undefined;
  // As a string of a structured field, it is in quotes.
  const key = /^"(.*)"$/.exec(sent)?.[1] ?? sent;
  if (/^[\x21-\x7E]{1,255}$/.test(key)) return key;
  throw refusal("bad_request", "an idempotency key has 1 to 255 printable ASCII characters, without blanks");
}

function repeated(response: StoredResponse): StoredResponse {
  return { ...response, headers: { ...response.headers, "idempotent-replayed": "true" } };
}

function fingerprintOf({ values }: KeyedRequestInput): string {
  return hashOf(canonicalJson(values));
}

function hashOf(text: string): string {
  return nodeCrypto().createHash("sha256").update(text).digest("base64url");
}
