import { FailureError } from "../base/index.ts";
import { suggest } from "../text/index.ts";
import type { ModelClient, Thinking } from "./family/model-family.ts";
import { isKnownService, isSameOrigin, usualBaseUrls } from "./known-services.ts";
import { keyFor } from "./model-key.ts";
import { type Environment, modelVariables, valueOf } from "./model-variables.ts";
import { exportsFor } from "./no-model.ts";
import type { ModelPrice } from "./token-usage.ts";

/** Which model to ask, and where. */
export interface ModelSettings {
  /** The protocol that its server speaks; `openai-compatible` where absent. */
  readonly provider?: ModelClient;
  /** Where that is, such as `https://api.openai.com/v1`; the provider's own address where it has one. */
  readonly baseUrl?: string;
  /** The model's name at that server. */
  readonly name: string;
  readonly apiKey?: string;
  /** Where the key comes from, for people. */
  readonly keySource?: string;
  /** What to do for a key where there is none; told where the server wants one. */
  readonly keyHint?: string;
  /** Time for one request with its whole answer; 300 s. */
  readonly timeoutMs?: number;
  /** The most tokens of one answer where a caller sets no limit; the server's own limit where absent. */
  readonly maxTokens?: number;
  /** Sent where a caller sets none; the server's own where absent. */
  readonly temperature?: number;
  /**
   * How JSON is asked for: by its schema (where absent), as JSON of any shape, or in words only. A server that says that
   * it does not know a form is asked in the next one. Every answer is checked, however it was asked for.
   */
  readonly structured?: "json_schema" | "json_object" | "words";
  /** How much it is to think before it answers; as its server does where absent. */
  readonly thinking?: Thinking;
  readonly price?: ModelPrice;
  /** Names of other models of the settings, asked in this order where this one gives no answer. */
  readonly fallback?: readonly string[];
}

/** The name of the model that is asked where nobody names another. */
export const defaultModel = "default";

/** The protocols that a model's server can speak. */
export const modelClients: readonly ModelClient[] = ["openai-compatible", "anthropic", "google"];

/** One model of `models:` in a `windlass.yaml`. */
export interface ModelFile {
  readonly provider?: ModelClient | undefined;
  readonly base_url?: string | undefined;
  /** Its name at the server. */
  readonly model?: string | undefined;
  /** A secret, as `${secret.NAME}` or by its name alone; never its value. */
  readonly api_key?: string | undefined;
  /** Seconds. */
  readonly timeout?: number | undefined;
  readonly max_tokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly structured?: "json_schema" | "json_object" | "words" | undefined;
  readonly thinking?: Thinking | boolean | undefined;
  /** For a million tokens. */
  readonly price?: ModelPrice | undefined;
  readonly fallback?: readonly string[] | undefined;
}

/** `models:` of a `windlass.yaml`, by name. */
export type ModelsFile = Readonly<Record<string, ModelFile>>;

/** Where settings of models are looked for. */
export interface ModelSources {
  readonly file?: ModelsFile | undefined;
  readonly env: Environment;
  /** The value of a secret by its name. */
  readonly secret?: (name: string) => string | undefined;
  /** What to do for a secret that is named and has no value. */
  readonly whyNoSecret?: (name: string) => string | undefined;
}

/**
 * The model of this name that a workspace names; `default` where none is given, which the environment may name too, and
 * then it goes first. Whichever of them says where the model is says by which protocol it is asked as well; a key goes
 * only to the server of whoever gives it, and a price is that of its own model there. Undefined where nothing names the
 * model. Throws `file_invalid` where half of it is named.
 *
 * @example
 * ```ts
 * const settings = readModelSettings({ file: config.models, env: process.env, secret: (name) => secrets[name] });
 * ```
 */
export function readModelSettings(sources: ModelSources, name: string = defaultModel): ModelSettings | undefined {
  const { file = {}, env } = sources;
  const written: ModelFile = (Object.hasOwn(file, name) ? file[name] : undefined) ?? {};
  const { apiKey, ...own } = name === defaultModel ? fromEnvironment(env) : {};
  const theirs = addressOf(written);
  if (Object.keys({ ...theirs, ...own }).length === 0) return undefined;
  const at = `models.${name}`;
  const model = own.model ?? theirs.model;
  const found = checkedAddress({ ...placeOf(own, theirs), ...(model !== undefined && { model }) }, at, env);
  return {
    ...found,
    ...keyFor(urlOf(found), {
      at,
      env,
      own: { url: urlOf(own), apiKey },
      file: { url: urlOf(theirs), apiKey: keyIn(written, at, sources) },
    }),
    ...habits(written),
    ...priceOf(written, found),
    ...fallbackOf(written, file, at),
  };
}

/** Where the model is, and by which protocol it is asked there: both as the environment says, or both as the file does. */
function placeOf(own: Address, theirs: Address): Address {
  const { provider: usual = "openai-compatible" } = theirs;
  // One that needs an address and has none may only repeat what the file says.
  const isOwn = urlOf(own) !== undefined || (own.provider ?? usual) !== usual;
  const { model: _model, ...place } = isOwn ? own : theirs;
  return place;
}

/** The address of a model, also where its provider alone says it. */
function urlOf({ provider = "openai-compatible", baseUrl }: Address): string | undefined {
  return baseUrl ?? usualBaseUrls[provider];
}

/** The address, where nothing of it is missing. */
function checkedAddress(address: Address, at: string, env: Environment): Pick<ModelSettings, AddressKey> {
  const { provider, baseUrl, model } = address;
  if (baseUrl === undefined && usualBaseUrls[provider ?? "openai-compatible"] === undefined) {
    // Where a question goes is never guessed from a key that happens to be there.
    const ways = at === `models.${defaultModel}` ? exportsFor(env, model) : [];
    throw incomplete("where the model is", `${at}.base_url`, [modelVariables.baseUrl, ...ways]);
  }
  if (model === undefined) throw incomplete("which model it is", `${at}.model`, [modelVariables.name]);
  return { name: model, ...(provider !== undefined && { provider }), ...(baseUrl !== undefined && { baseUrl }) };
}

type AddressKey = "name" | "provider" | "baseUrl";

/** The names of all models that are set up, the default first. */
export function modelNames(sources: ModelSources): string[] {
  const named = new Set(Object.keys(sources.file ?? {}));
  const { apiKey: _key, ...address } = fromEnvironment(sources.env);
  if (Object.keys(address).length > 0) named.add(defaultModel);
  return [...named].toSorted((a, b) => Number(b === defaultModel) - Number(a === defaultModel));
}

interface Address {
  readonly provider?: ModelClient;
  readonly baseUrl?: string;
  readonly model?: string;
}

function addressOf({ provider, base_url: baseUrl, model }: ModelFile): Address {
  return {
    ...(provider !== undefined && { provider }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(model !== undefined && { model }),
  };
}

function fromEnvironment(env: ModelSources["env"]): Address & { readonly apiKey?: string } {
  const provider = valueOf(env, modelVariables.provider);
  const known = modelClients.find((client) => client === provider);
  if (provider !== undefined && known === undefined) {
    const ways = exportsFor(env, valueOf(env, modelVariables.name));
    const must = `${modelVariables.provider} is ${JSON.stringify(provider)}; it must be one of ${modelClients.join(", ")}`;
    throw new FailureError([must, ...ways].join("\n"), { code: "file_invalid" });
  }
  const baseUrl = valueOf(env, modelVariables.baseUrl);
  const model = valueOf(env, modelVariables.name);
  const apiKey = valueOf(env, modelVariables.apiKey);
  return {
    ...(known !== undefined && { provider: known }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(model !== undefined && { model }),
    ...(apiKey !== undefined && { apiKey }),
  };
}

type Habits = Pick<ModelSettings, "timeoutMs" | "maxTokens" | "temperature" | "structured" | "thinking">;

/** How a model is asked, whichever it is. */
function habits(file: ModelFile): Habits {
  const { thinking } = file;
  return {
    ...(file.timeout !== undefined && { timeoutMs: file.timeout * 1000 }),
    ...(file.max_tokens !== undefined && { maxTokens: file.max_tokens }),
    ...(file.temperature !== undefined && { temperature: file.temperature }),
    ...(file.structured !== undefined && { structured: file.structured }),
    // YAML reads `off` as a text or as false, by its version.
    ...(thinking !== undefined && {
      thinking: typeof thinking === "boolean" ? (thinking ? "medium" : "off") : thinking,
    }),
  };
}

/** The price in the file, unless it is for another model than the one that was found, or for another server. */
function priceOf(file: ModelFile, found: Pick<ModelSettings, AddressKey>): Pick<ModelSettings, "price"> {
  const { price, model = found.name } = file;
  const url = urlOf(addressOf(file));
  const isOfThis = model === found.name && (url === undefined || isSameOrigin(url, urlOf(found)));
  return price !== undefined && isOfThis ? { price } : {};
}

function fallbackOf({ fallback }: ModelFile, all: ModelsFile, at: string): Pick<ModelSettings, "fallback"> {
  if (fallback === undefined) return {};
  for (const name of fallback) {
    const isKnown = name === defaultModel || Object.hasOwn(all, name);
    const problem = isKnown ? undefined : unknownModel(name, Object.keys(all));
    if (problem !== undefined) throw new FailureError(`${at}.fallback: ${problem}`, { code: "file_invalid" });
  }
  return { fallback };
}

/** That no model has this name, and which was perhaps meant. */
export function unknownModel(name: string, names: readonly string[]): string {
  const near = suggest(name, names);
  const known = names.length === 0 ? "there are none" : `there are ${names.join(", ")}`;
  return `no model is called ${JSON.stringify(name)}; ${near === undefined ? known : `did you mean "${near}"?`}`;
}

const secretHandle = /^\$\{\s*secret\.([\w-]+)\s*\}$/;

/** The name of the secret that an `api_key` means, however it is written. */
export function secretName(apiKey: string): string {
  return secretHandle.exec(apiKey.trim())?.[1] ?? apiKey;
}

/** Gives the key that a file names, or throws where that has no value. */
function keyIn(file: ModelFile, at: string, sources: ModelSources): (() => string) | undefined {
  const { api_key: named } = file;
  if (named === undefined) return undefined;
  return () => {
    const name = secretName(named);
    const value = sources.secret?.(name);
    if (value !== undefined) return value;
    const why = sources.whyNoSecret?.(name);
    if (why !== undefined) {
      const message = `${at}.api_key is the secret ${name}, which has no value: ${why}`;
      throw new FailureError(message, { code: "file_invalid" });
    }
    const isForEither = at === `models.${defaultModel}` && isKnownService(urlOf(addressOf(file)));
    // The text itself stays unsaid: it may be the key that somebody wrote where its name belongs.
    throw new FailureError(
      `${at}.api_key names no secret that has a value; write "\${secret.NAME}" with one of \`secrets:\` and give it a ` +
        `value${isForEither ? `, or set ${modelVariables.apiKey}` : ""}`,
      { code: "file_invalid" },
    );
  };
}

function incomplete(what: string, key: string, [variable, ...ways]: readonly string[]): FailureError {
  const where = key.startsWith(`models.${defaultModel}.`) ? `set ${variable}, or ${key}` : `set ${key}`;
  const said = `nothing says ${what}: ${where} in windlass.yaml`;
  return new FailureError([said, ...ways].join("\n"), { code: "file_invalid" });
}
