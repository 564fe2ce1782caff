import { isElsewhere, isKnownService, isSameOrigin, keyedService, knownService } from "./known-services.ts";
import type { ModelSettings } from "./model-settings.ts";
import { type Environment, modelVariables } from "./model-variables.ts";

/** Who gives a key for a model, and the address at which each of them says that the model is. */
export interface KeyGivers {
  /** Where the file has the model, such as `models.default`. */
  readonly at: string;
  readonly env: Environment;
  /** What the environment says of the default model. */
  readonly own: { readonly url: string | undefined; readonly apiKey: string | undefined };
  /** What the file says; its key is looked up when it is to go somewhere. */
  readonly file: { readonly url: string | undefined; readonly apiKey: (() => string) | undefined };
}

/**
 * The key that goes to this address: that of the environment, that of the file, or that which the service at this
 * address usually has. Each goes only to the server that its giver names: an address in a file that came with a
 * workspace gets no key that the file does not ask for by name, and one in the environment none of the file; to one of
 * the well-known services also goes the key of an environment that names no server.
 */
export function keyFor(url: string | undefined, givers: KeyGivers): Pick<ModelSettings, "apiKey" | KeyWord> {
  const { at, env, own, file } = givers;
  if (own.apiKey !== undefined && isFromHere(url, givers)) {
    return { apiKey: own.apiKey, keySource: modelVariables.apiKey };
  }
  const written = isSameOrigin(url, file.url) ? file.apiKey?.() : undefined;
  if (written !== undefined) return { apiKey: written, keySource: `${at}.api_key` };
  const usual = keyedService(url, env);
  if (usual !== undefined) return { apiKey: usual.apiKey, keySource: usual.variable };
  return { keyHint: hintFor(url, givers) };
}

type KeyWord = "keyHint" | "keySource";

/** Does the key of the environment go to this address? */
function isFromHere(url: string | undefined, { own }: KeyGivers): boolean {
  return own.url === undefined ? isKnownService(url) : isSameOrigin(url, own.url);
}

/** What to set, and why a key that is there does not go to this address; only the default model has two who give keys. */
function hintFor(url: string | undefined, givers: KeyGivers): string {
  const { own, file } = givers;
  if (own.apiKey !== undefined) {
    return (
      `${modelVariables.apiKey} goes only to the server that the environment names, and this one is named in ` +
      `windlass.yaml: set ${modelVariables.baseUrl} to it as well, or models.default.api_key`
    );
  }
  const ways = waysToKey(url, givers);
  if (file.apiKey === undefined) return ways;
  return (
    "the api_key of models.default goes only to the server that windlass.yaml names, and this one is named by the " +
    `environment: ${ways}`
  );
}

/** What can be set, so that a key goes to this address. */
function waysToKey(url: string | undefined, givers: KeyGivers): string {
  const { at, env, file } = givers;
  const service = knownService(url);
  const isTaken = service !== undefined && isElsewhere(service, env);
  const ways = [
    ...(service === undefined || isTaken ? [] : service.keys),
    ...(at === "models.default" && isFromHere(url, givers) ? [modelVariables.apiKey] : []),
    ...(isSameOrigin(url, file.url) ? [`${at}.api_key in windlass.yaml`] : []),
  ];
  const todo = `set ${ways.join(" or ")}`;
  return isTaken ? `${service.keys.join(", ")} goes where ${service.elsewhere} leads: ${todo}` : todo;
}
