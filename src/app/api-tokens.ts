import { type Scope, scopes as allScopes } from "../api/index.ts";
import { type Clock, fail, nodeCrypto } from "../base/index.ts";
import { type ApiToken, type ApiTokenStore, type AuditLog, apiTokenStateAt } from "../store/index.ts";
import { suggestHint } from "../text/index.ts";
import { type AuditActor, type AuditedAction, anyProgram, audited } from "./audit.ts";

/** A token to be created. */
export interface NewTokenRequest {
  /** The principal of its requests: rules, records, limits and approvals see it. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Default: 90 days. Null: it does not expire. */
  readonly expiresMs?: number | null | undefined;
  /** The only run that it opens, for reading. Default: all. */
  readonly runId?: string | undefined;
}

/** A new token, and its text, which is not stored. */
export interface CreatedToken {
  readonly token: string;
  readonly stored: ApiToken;
}

const dayMs = 86_400_000;
const defaultExpiryMs = 90 * dayMs;
const maxExpiryMs = 3650 * dayMs;

/** `wlt_`, the id, and 32 random bytes. */
const format = /^wlt_([\da-f]{12})_[\w-]{43}$/;

/** Printable, without blanks at its ends. */
const principal = /^[^\s\p{C}](?:[^\p{C}]{0,98}[^\s\p{C}])?$/u;

/**
 * The tokens with which programs use the HTTP API of a workspace.
 *
 * @example
 * ```ts
 * const { token } = await workspace.tokens.create({ name: "ci", scopes: ["read", "call"] });
 * ```
 */
export class ApiTokens {
  readonly #store: ApiTokenStore;
  readonly #clock: Pick<Clock, "now">;
  readonly #audit: AuditLog;

  constructor(store: ApiTokenStore, clock: Pick<Clock, "now">, audit: AuditLog) {
    this.#store = store;
    this.#clock = clock;
    this.#audit = audit;
  }

  /** Creates a token. Its text is only in the result: the store has a hash of it. */
  async create(
    request: NewTokenRequest,
    { action = "token.create", ...actor }: AuditActor & Partial<Pick<AuditedAction, "action">> = anyProgram,
  ): Promise<CreatedToken> {
    checkTokenRequest(request);
    const { name, scopes, runId } = request;
    const detail = `${name}: ${scopes.join(", ")}${runId === undefined ? "" : ` of run ${runId}`}`;
    const parts = { audit: this.#audit, clock: this.#clock };
    return audited(
      parts,
      { ...actor, action, detail },
      () => this.#add(request),
      ({ stored }) => stored.id,
    );
  }

  async #add(request: NewTokenRequest): Promise<CreatedToken> {
    const { name, scopes, expiresMs = defaultExpiryMs, runId } = request;
    const id = nodeCrypto().randomBytes(6).toString("hex");
    const token = `wlt_${id}_${nodeCrypto().randomBytes(32).toString("base64url")}`;
    const createdAt = this.#clock.now();
    const stored = {
      id,
      hash: hashOf(token).toString("hex"),
      name,
      // In one order, each once.
      scopes: allScopes.filter((scope) => scopes.includes(scope)),
      createdAt,
      ...(runId !== undefined && { runId }),
      ...(expiresMs !== null && { expiresAt: createdAt + expiresMs }),
    };
    await this.#store.add(stored);
    return { token, stored };
  }

  /** The stored token with this text, in any state; undefined if there is none. */
  async find(token: string): Promise<ApiToken | undefined> {
    const id = format.exec(token)?.[1];
    const stored = id === undefined ? undefined : await this.#store.get(id);
    if (stored === undefined) return undefined;
    const known = Buffer.from(stored.hash, "hex");
    const hash = hashOf(token);
    return known.length === hash.length && nodeCrypto().timingSafeEqual(known, hash) ? stored : undefined;
  }

  /** Newest first, in any state. */
  list(): Promise<readonly ApiToken[]> {
    return this.#store.list();
  }

  /** Revokes a token, and returns it. Undefined if there is none with this id. */
  async revoke(id: string, actor: AuditActor = anyProgram): Promise<ApiToken | undefined> {
    const known = await this.#store.get(id);
    if (known === undefined) return undefined;
    const action = { ...actor, action: "token.revoke", target: id, detail: known.name } as const;
    const parts = { audit: this.#audit, clock: this.#clock };
    return audited(parts, action, () => this.#store.revoke(id, this.#clock.now()));
  }

  /** Records that a token was used. */
  used({ id }: Pick<ApiToken, "id">): Promise<void> {
    return this.#store.used(id, this.#clock.now());
  }

  /** The state of a token now. */
  stateOf(token: ApiToken): ReturnType<typeof apiTokenStateAt> {
    return apiTokenStateAt(token, this.#clock.now());
  }
}

/** True if a workspace has a token that is valid now. */
export async function hasActiveToken({ tokens }: { readonly tokens: ApiTokens }): Promise<boolean> {
  return (await tokens.list()).some((token) => tokens.stateOf(token) === "active");
}

function hashOf(token: string): Buffer {
  return nodeCrypto().createHash("sha256").update(token).digest();
}

/** Throws a failure with the code `validation_error` if there cannot be such a token. */
export function checkTokenRequest({ name, scopes, expiresMs = null, runId }: NewTokenRequest): void {
  if (!principal.test(name))
    throw invalid(`${JSON.stringify(name)} cannot name a token; use 1 to 100 printable characters, such as "ci"`);
  checkScopes(scopes, runId);
  if (expiresMs !== null && !(expiresMs > 0 && expiresMs <= maxExpiryMs))
    throw invalid("a token can be valid for up to 3650 days, or without an end");
}

function checkScopes(scopes: readonly string[], runId: string | undefined): void {
  const known: readonly string[] = allScopes;
  const unknown = scopes.find((scope) => !known.includes(scope));
  if (unknown !== undefined) {
    const hint = suggestHint(unknown, known) ?? `the scopes are ${known.join(", ")}`;
    throw invalid(`there is no scope ${JSON.stringify(unknown)}; ${hint}`);
  }
  if (scopes.length === 0) throw invalid(`a token needs at least one scope: ${known.join(", ")}`);
  if (runId !== undefined && scopes.some((scope) => scope !== "read"))
    throw invalid('a token for one run can only read it; its scope is "read"');
}

function invalid(message: string): Error {
  return fail(message, { code: "validation_error" });
}
