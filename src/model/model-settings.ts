import { FailureError, definedOnly } from "../base/index.ts";
import { suggestHint } from "../text/index.ts";
import type { ModelClient, Thinking } from "./port/model-family.ts";
import {
  isKnownService,
  isSameOrigin,
  defaultBaseUrls,
  hasBaseUrlOverride,
  keyedService,
  knownService,
  type Environment,
  modelVariables,
  valueOf,
} from "./known-services.ts";
import { type ModelSettingsFile, type ModelsSettingsFile, modelTable } from "./port/model-table.ts";
import { exportLines } from "./missing-model.ts";
import type { ModelPrice } from "./port/token-usage.ts";

/** Settings of a model and its server. */
export interface ModelSettings {
  /** The protocol that its server speaks. Default: `openai-compatible`. */
  readonly provider?: ModelClient;
  /**
   * Base URL of the server, such as `https://api.openai.com/v1`. Default: the provider's own address, if it has one.
   */
  readonly baseUrl?: string;
  /** The model's name at that server. */
  readonly name: string;
  readonly apiKey?: string;
  /** Origin of the key, shown to users. */
  readonly keySource?: string;
  /** Advice on setting a missing key; shown if the server requires one. */
  readonly keyHint?: string;
  /** Timeout of one request with its whole response. Default: 300 s. */
  readonly timeoutMs?: number;
  /** Maximum tokens of one response if the caller sets no limit. Default: the server's own limit. */
  readonly maxTokens?: number;
  /** Sent if the caller sets none. Default: the server's own. */
  readonly temperature?: number;
  /**
   * Form in which JSON output is requested: by its schema (default), as JSON of any shape, or only in the prompt. If
   * the server rejects a form, the next one is used. Every response is validated in any case.
   */
  readonly structured?: "json_schema" | "json_object" | "words";
  /** Amount of thinking before the model responds. Default: decided by its server. */
  readonly thinking?: Thinking;
  /** The model takes images. Default: decided by its name. */
  readonly images?: boolean;
  readonly price?: ModelPrice;
  /** Names of other models in the settings, tried in this order if this one fails. */
  readonly fallback?: readonly string[];
}

/** Name of the model that is used if no other is named. */
export const defaultModel = "default";

/** The protocols that a model's server can speak. */
const modelClients: readonly ModelClient[] = modelTable.provider.choices;

/** Sources of model settings. */
export interface ModelSources {
  readonly file?: ModelsSettingsFile | undefined;
  /** Models that are not in `file` because they may not be used, by name, with the reason. */
  readonly withheld?: ReadonlyMap<string, FailureError>;
  readonly env: Environment;
  /** The value of a secret by its name. */
  readonly secret?: (name: string) => string | undefined;
  /** Advice for a secret that is named and has no value. */
  readonly whyNoSecret?: (name: string) => string | undefined;
}

/**
 * Returns the settings of the named model in a workspace. The default model may also come from the environment,
 * which takes precedence. The source that sets the address also sets the protocol; a key is sent only to the server
 * configured by the same source, and a price applies only to its own model there. Returns undefined if nothing names
 * the model. Throws `file_invalid` if the settings are incomplete.
 *
 * @example
 * ```ts
 * const settings = readModelSettings({ file: config.models, env: process.env, secret: (name) => secrets[name] });
 * ```
 */
export function readModelSettings(sources: ModelSources, name: string = defaultModel): ModelSettings | undefined {
  const { file = {}, env } = sources;
  const written: ModelSettingsFile = (Object.hasOwn(file, name) ? file[name] : undefined) ?? {};
  const { apiKey, ...own } = name === defaultModel ? fromEnvironment(env) : {};
  const theirs = addressOf(written);
  if (Object.keys({ ...theirs, ...own }).length === 0) return undefined;
  const at = `models.${name}`;
  const model = own.model ?? theirs.model;
  const found = checkedAddress({ ...resolveAddress(own, theirs), ...(model !== undefined && { model }) }, at, env);
  return {
    ...found,
    ...resolveModelKey(urlOf(found), {
      at,
      env,
      provider: { url: urlOf(own), apiKey },
      file: { url: urlOf(theirs), apiKey: keyIn(written, at, sources) },
    }),
    ...habits(written),
    ...priceOf(written, found),
    ...fallbackOf(written, file, at),
  };
}

/** Resolves the address and protocol of the model: both from the environment, or both from the file. */
function resolveAddress(own: Address, theirs: Address): Address {
  const { provider = modelTable.provider.default } = theirs;
  // An environment without an address can only repeat the settings of the file.
  const isOwn = urlOf(own) !== undefined || (own.provider ?? provider) !== provider;
  const { model: _model, ...position } = isOwn ? own : theirs;
  return position;
}

/** The address of a model, including the default address of its provider. */
function urlOf({ provider = "openai-compatible", baseUrl }: Address): string | undefined {
  return baseUrl ?? defaultBaseUrls[provider];
}

/** The address, if it is complete; throws otherwise. */
function checkedAddress(address: Address, at: string, env: Environment): Pick<ModelSettings, AddressKey> {
  const { provider, baseUrl, model } = address;
  if (baseUrl === undefined && defaultBaseUrls[provider ?? modelTable.provider.default] === undefined) {
    // The server is never guessed from a key that happens to be set.
    const ways = at === `models.${defaultModel}` ? exportLines(env, model) : [];
    throw incomplete("where the model is", `${at}.base_url`, [modelVariables.baseUrl, ...ways]);
  }
  if (model === undefined) throw incomplete("which model it is", `${at}.model`, [modelVariables.name]);
  return { name: model, ...definedOnly({ provider, baseUrl }) };
}

type AddressKey = "name" | "provider" | "baseUrl";

/** The names of all configured models, the default first. */
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

function addressOf({ provider, base_url: baseUrl, model }: ModelSettingsFile): Address {
  return definedOnly({ provider, baseUrl, model });
}

function fromEnvironment(env: ModelSources["env"]): Address & { readonly apiKey?: string } {
  const provider = valueOf(env, modelVariables.provider);
  const known = modelClients.find((client) => client === provider);
  if (provider !== undefined && known === undefined) {
    const ways = exportLines(env, valueOf(env, modelVariables.name));
    const must = `${modelVariables.provider} is ${JSON.stringify(provider)}; it must be one of ${modelClients.join(", ")}`;
    throw new FailureError([must, ...ways].join("\n"), { code: "file_invalid" });
  }
  const baseUrl = valueOf(env, modelVariables.baseUrl);
  const model = valueOf(env, modelVariables.name);
  const apiKey = valueOf(env, modelVariables.apiKey);
  return definedOnly({ provider: known, baseUrl, model, apiKey });
}

type Habits = Pick<ModelSettings, "timeoutMs" | "maxTokens" | "temperature" | "structured" | "thinking" | "images">;

/** Request settings that apply to any model. */
function habits(file: ModelSettingsFile): Habits {
  const { thinking } = file;
  return {
    ...(file.timeout !== undefined && { timeoutMs: file.timeout * 1000 }),
    ...definedOnly({
      maxTokens: file.max_tokens,
      temperature: file.temperature,
      structured: file.structured,
      images: file.images,
    }),
    // YAML parses `off` as a string or as false, depending on its version.
    ...(thinking !== undefined && {
      thinking: typeof thinking === "boolean" ? (thinking ? "medium" : "off") : thinking,
    }),
  };
}

/** The price in the file, unless it belongs to another model or another server than the resolved one. */
function priceOf(file: ModelSettingsFile, found: Pick<ModelSettings, AddressKey>): Pick<ModelSettings, "price"> {
  const { price, model = found.name } = file;
  const url = urlOf(addressOf(file));
  const isOfThis = model === found.name && (url === undefined || isSameOrigin(url, urlOf(found)));
  return price !== undefined && isOfThis ? { price } : {};
}

function fallbackOf(
  { fallback }: ModelSettingsFile,
  all: ModelsSettingsFile,
  at: string,
): Pick<ModelSettings, "fallback"> {
  if (fallback === undefined) return {};
  for (const name of fallback) {
    const isKnown = name === defaultModel || Object.hasOwn(all, name);
    const problem = isKnown ? undefined : unknownModel(name, Object.keys(all));
    if (problem !== undefined) throw new FailureError(`${at}.fallback: ${problem}`, { code: "file_invalid" });
  }
  return { fallback };
}

/** The message for an unknown model name, with a suggestion. */
export function unknownModel(name: string, names: readonly string[]): string {
  const known = names.length === 0 ? "there are none" : `there are ${names.join(", ")}`;
  return `no model is called ${JSON.stringify(name)}; ${suggestHint(name, names) ?? known}`;
}

const secretHandle = /^\$\{\s*secret\.([\w-]+)\s*\}$/;

/** The name of the secret that an `api_key` refers to, in any notation. */
export function secretName(apiKey: string): string {
  return secretHandle.exec(apiKey.trim())?.[1] ?? apiKey;
}

/** Returns the key that a file names, or throws if it has no value. */
function keyIn(file: ModelSettingsFile, at: string, sources: ModelSources): (() => string) | undefined {
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
    // The text itself is not quoted: it may be a key written in place of its name.
    throw new FailureError(
      `${at}.api_key names no secret that has a value; write "\${secret.NAME}" with one of \`secrets:\` and set its ` +
        `value${isForEither ? `, or set ${modelVariables.apiKey}` : ""}`,
      { code: "file_invalid" },
    );
  };
}

function incomplete(missing: string, key: string, [variable, ...ways]: readonly string[]): FailureError {
  const where = key.startsWith(`models.${defaultModel}.`) ? `set ${variable}, or ${key}` : `set ${key}`;
  const text = `no setting says ${missing}: ${where} in windlass.yaml`;
  return new FailureError([text, ...ways].join("\n"), { code: "file_invalid" });
}

/** The sources of a key for a model, each with the model address that it names. */
interface KeySources {
  /** Path of the model in the file, such as `models.default`. */
  readonly at: string;
  readonly env: Environment;
  /** Settings of the default model from the environment. */
  readonly provider: { readonly url: string | undefined; readonly apiKey: string | undefined };
  /** Settings from the file; its key is only resolved when it will be sent. */
  readonly file: { readonly url: string | undefined; readonly apiKey: (() => string) | undefined };
}

/**
 * Resolves the key for this address: from the environment, from the file, or from the standard variable of the service
 * at this address. Each key goes only to the server that its own source names. An address in a file that came with a
 * workspace gets no key unless the file names it, and an address in the environment gets no key from the file. A
 * well-known service also gets the key of an environment that names no server.
 */
function resolveModelKey(url: string | undefined, givers: KeySources): Pick<ModelSettings, "apiKey" | KeyWord> {
  const { at, env, provider, file } = givers;
  if (provider.apiKey !== undefined && isFromHere(url, givers)) {
    return { apiKey: provider.apiKey, keySource: modelVariables.apiKey };
  }
  const written = isSameOrigin(url, file.url) ? file.apiKey?.() : undefined;
  if (written !== undefined) return { apiKey: written, keySource: `${at}.api_key` };
  const defaults = keyedService(url, env);
  if (defaults !== undefined) return { apiKey: defaults.apiKey, keySource: defaults.variable };
  return { keyHint: hintFor(url, givers) };
}

type KeyWord = "keyHint" | "keySource";

/** True if the key of the environment may go to this address. */
function isFromHere(url: string | undefined, { provider }: KeySources): boolean {
  return provider.url === undefined ? isKnownService(url) : isSameOrigin(url, provider.url);
}

/**
 * Says what to set, and why an existing key is not sent to this address; only the default model has two key sources.
 */
function hintFor(url: string | undefined, givers: KeySources): string {
  if (givers.provider.apiKey !== undefined) {
    return (
      `${modelVariables.apiKey} is sent only to the server that the environment names, and this one is named in ` +
      `windlass.yaml: set ${modelVariables.baseUrl} to it as well, or models.default.api_key`
    );
  }
  const ways = waysToKey(url, givers);
  if (givers.file.apiKey === undefined) return ways;
  return (
    "the api_key of models.default is sent only to the server that windlass.yaml names, and this one is named by the " +
    `environment: ${ways}`
  );
}

/** Lists the settings that would provide a key for this address. */
function waysToKey(url: string | undefined, givers: KeySources): string {
  const { at, env, file } = givers;
  const service = knownService(url);
  const isTaken = service !== undefined && hasBaseUrlOverride(service, env);
  const ways = [
    ...(service === undefined || isTaken ? [] : service.keys),
    ...(at === "models.default" && isFromHere(url, givers) ? [modelVariables.apiKey] : []),
    ...(isSameOrigin(url, file.url) ? [`${at}.api_key in windlass.yaml`] : []),
  ];
  const todo = `set ${ways.join(" or ")}`;
  return isTaken ? `${service.keys.join(", ")} is sent to the server in ${service.elsewhere}: ${todo}` : todo;
}
