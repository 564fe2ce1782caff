import { hasBaseUrlOverride, isKnownService, isSameOrigin, keyedService, knownService } from "./known-services.ts";
import type { ModelSettings } from "./model-settings.ts";
import { type Environment, modelVariables } from "./model-variables.ts";

/** The sources of a key for a model, each with the model address that it names. */
export interface KeySources {
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
export function resolveModelKey(url: string | undefined, givers: KeySources): Pick<ModelSettings, "apiKey" | KeyWord> {
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
  const { provider, file } = givers;
  if (provider.apiKey !== undefined) {
    return (
      `${modelVariables.apiKey} is sent only to the server that the environment names, and this one is named in ` +
      `windlass.yaml: set ${modelVariables.baseUrl} to it as well, or models.default.api_key`
    );
  }
  const ways = waysToKey(url, givers);
  if (file.apiKey === undefined) return ways;
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
