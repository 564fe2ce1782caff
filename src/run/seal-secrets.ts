import { cliCommand, fail, nodeCrypto } from "../base/index.ts";
import { SecretHandle } from "../expr/index.ts";
import { isRecord } from "../schema/index.ts";
import type { Redactor } from "../secrets/index.ts";
import type { Secrets } from "../tool/index.ts";

/** The known secrets of an engine. */
export interface JournalSecrets {
  readonly secrets: Secrets;
  readonly redactor: Redactor;
}

/**
 * Replaces a text that contains secrets: its parts in order, a handle being `[name, digest]`. An object of the data that
 * has this key itself is stored as `{ "$sealed": { "object": … } }`.
 */
const sealedKey = "$sealed";
/** Marks the data of an event, or a JSON text, that contains handles. */
const rootKey = "$sealed_run";

type Part = string | readonly [name: string, digest: string];

/** A secret that is only a part of a text is found from this length on. */
const shortestPart = 8;

/** Removes the secrets from what is stored of a run. */
export class Sealer {
  readonly #runId: string;
  readonly #redact: (text: string) => string;
  readonly #handles: readonly (readonly [name: string, value: string])[];

  /** @param names The secrets that are stored as handles. */
  constructor(runId: string, names: readonly string[], { secrets, redactor }: JournalSecrets) {
    this.#runId = runId;
    this.#redact = redactor.storedText;
    this.#handles = names.flatMap((name) => {
      const value = secrets.get(name);
      return value === undefined || value === "" ? [] : [[name, value] as const];
    });
  }

  /** The data of an event; the same object if it contains no secret. */
  data(data: unknown): unknown {
    if (!isRecord(data) || !this.#mustSeal(data)) return this.#redacted(data);
    return { [rootKey]: 1, ...(this.#sealed(data) as object) };
  }

  /** A JSON text; the same text if it contains no secret. */
  json(json: string): string {
    if (this.#handles.length === 0 && !isMarked(json)) return this.redactedJson(json);
    const value: unknown = JSON.parse(json);
    return this.#mustSeal(value) ? JSON.stringify({ [rootKey]: this.#sealed(value) }) : this.redactedJson(json);
  }

  /** A JSON text that is never opened again: without handles. */
  redactedJson(json: string): string {
    return this.#redact(json) === json ? json : JSON.stringify(this.#redacted(JSON.parse(json)));
  }

  #redacted(value: unknown): unknown {
    const isSecret = (text: string): boolean => this.#redact(text) !== text;
    return hasText(value, isSecret) ? mapTexts(value, { text: this.#redact, name: this.#redact }) : value;
  }

  /** True also for data that looks sealed: it must not be opened later. */
  #mustSeal(value: unknown): boolean {
    if (isRecord(value) && Object.hasOwn(value, rootKey)) return true;
    return (
      this.#handles.length > 0 && hasText(value, (text) => this.#handles.some(([, secret]) => holds(text, secret)))
    );
  }

  #sealed(value: unknown): unknown {
    return mapTexts(value, { text: (text) => this.#sealedText(text), name: this.#redact, wrap: escaped });
  }

  #sealedText(text: string): unknown {
    let parts: readonly Part[] = [text];
    for (const [name, value] of this.#handles) {
      const handle = [name, digestOf(this.#runId, name, value)] as const;
      parts = parts.flatMap((part): readonly Part[] => {
        if (typeof part !== "string" || !holds(part, value)) return [part];
        return part.split(value).flatMap((piece, index): readonly Part[] => (index === 0 ? [piece] : [handle, piece]));
      });
    }
    if (parts.length === 1) return this.#redact(text);
    return { [sealedKey]: parts.map((part) => (typeof part === "string" ? this.#redact(part) : part)) };
  }
}

/** Restores what a {@link Sealer} has replaced by handles. */
export class Opener {
  readonly #runId: string;
  readonly #secrets: Secrets;
  readonly #isStrict: boolean;

  /** @param isStrict Throws if a secret has changed; otherwise it is shown as its name. */
  constructor(runId: string, secrets: Secrets, isStrict: boolean) {
    this.#runId = runId;
    this.#secrets = secrets;
    this.#isStrict = isStrict;
  }

  data(data: unknown): unknown {
    if (!isRecord(data) || data[rootKey] !== 1) return data;
    const { [rootKey]: _mark, ...sealed } = data;
    return this.#opened(sealed);
  }

  json(json: string): string {
    return isMarked(json) ? JSON.stringify(this.#opened(unmarked(json))) : json;
  }

  #opened(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#opened(item));
    if (!isRecord(value)) return value;
    const sealed = Object.hasOwn(value, sealedKey) ? value[sealedKey] : undefined;
    if (Array.isArray(sealed)) return this.#joined(sealed as readonly Part[]);
    const fields = isRecord(sealed) && isRecord(sealed["object"]) ? sealed["object"] : value;
    return Object.fromEntries(Object.entries(fields).map(([key, item]) => [key, this.#opened(item)]));
  }

  #joined(parts: readonly Part[]): unknown {
    const opened = parts.map((part) => (typeof part === "string" ? part : this.#valueOf(part)));
    const [before, only, after] = opened;
    // A whole value stays a handle, which a tool can still receive.
    const isWhole = parts.length === 3 && before === "" && after === "";
    return isWhole && typeof only === "object" ? only : opened.join("");
  }

  #valueOf([name, digest]: readonly [string, string]): string | SecretHandle {
    const value = this.#secrets.get(name);
    if (value !== undefined && digestOf(this.#runId, name, value) === digest) return value;
    if (!this.#isStrict) return new SecretHandle(name);
    throw value === undefined ? this.#unset(name) : this.#changed(name);
  }

  #unset(name: string): Error {
    const hint = this.#secrets.hint?.(name) ?? 'declare its source under "secrets" of the workspace';
    const message = `the secret ${name}, which run ${this.#runId} has used, is not set; ${hint}`;
    return fail(message, { code: "not_available", reason: "secret_not_set", retry: "never" });
  }

  #changed(name: string): Error {
    const message =
      `the secret ${name} has changed since run ${this.#runId} used it, and results of the run contain its former value; ` +
      `start it again: ${cliCommand(`rerun ${this.#runId}`)}, or ${cliCommand("run")} if its input contained the secret`;
    return fail(message, { code: "run_changed", reason: "secret_changed", retry: "never" });
  }
}

/** True for a JSON text that contains handles. */
function isMarked(json: string): boolean {
  return json.startsWith(`{"${rootKey}":`);
}

/** The same JSON text with its handles, as they are stored. */
export function withoutMark(json: string): string {
  return isMarked(json) ? JSON.stringify(unmarked(json)) : json;
}

function unmarked(json: string): unknown {
  return (JSON.parse(json) as Readonly<Record<string, unknown>>)[rootKey];
}

/**
 * Identifies the value of a secret without revealing it: too short to search for the value, long enough to notice a
 * change.
 */
function digestOf(runId: string, name: string, value: string): string {
  return nodeCrypto().createHmac("sha256", `${runId}/${name}`).update(value).digest("base64url").slice(0, 6);
}

function holds(text: string, secret: string): boolean {
  return text === secret || (secret.length >= shortestPart && text.includes(secret));
}

function escaped(object: object): object {
  return Object.hasOwn(object, sealedKey) ? { [sealedKey]: { object } } : object;
}

/** Data is never nested deeper. */
const maxDepth = 2000;

/** True if a text or a name in JSON data passes the test. Allocates nothing: most data contains no secret. */
function hasText(value: unknown, passes: (text: string) => boolean, depth = 0): boolean {
  if (typeof value === "string") return passes(value);
  if (typeof value !== "object" || value === null || depth > maxDepth) return false;
  if (Array.isArray(value)) return value.some((item) => hasText(item, passes, depth + 1));
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    if (passes(key) || hasText((value as Readonly<Record<string, unknown>>)[key], passes, depth + 1)) return true;
  }
  return false;
}

interface TextMap {
  readonly text: (text: string) => unknown;
  readonly name: (name: string) => string;
  /** Replaces an object. */
  readonly wrap?: (object: object) => object;
}

function mapTexts(value: unknown, map: TextMap, depth = 0): unknown {
  if (typeof value === "string") return map.text(value);
  if (typeof value !== "object" || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, map, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const fields = Object.entries(value).map(([key, item]) => [map.name(key), mapTexts(item, map, depth + 1)]);
  const mapped: object = Object.fromEntries(fields);
  return map.wrap?.(mapped) ?? mapped;
}
