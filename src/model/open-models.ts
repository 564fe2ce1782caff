import { type FailureError, isFailureError } from "../base/index.ts";
import { brokenModel, faultOf } from "./broken-model.ts";
import { fallbackModel } from "./turn/fallback-model.ts";
import type { Model } from "./port/model.ts";
import { modelFailure } from "./port/model-reasons.ts";
import {
  type ModelSettings,
  type ModelSources,
  defaultModel,
  modelNames,
  readModelSettings,
  unknownModel,
} from "./model-settings.ts";
import { noModel } from "./missing-model.ts";
import { openModel } from "./open-model.ts";
import { type HttpClient, createHttpClient } from "../net/index.ts";

/** The models of a workspace, by name. */
export interface WorkspaceModels {
  /** Names of the configured models, the default first. */
  readonly names: readonly string[];
  /**
   * Returns the model of this name with its fallbacks, or the default model if no name is passed. Undefined if there is
   * no default. For invalid settings or an unknown name, returns a model whose every request fails with the reason.
   */
  get(name?: string): Model | undefined;
  /** The failure of a feature that needs the default model if there is none; it says what to set. */
  none(feature: string): FailureError;
}

/**
 * Opens the models that a workspace and its environment name. A model is opened on first use, and nothing is loaded
 * before the first request.
 *
 * @example
 * ```ts
 * const models = openModels({ file: config.models, env: process.env, secret: (name) => secrets[name] }, httpClients);
 * const model = models.get() ?? models.get("fast");
 * ```
 */
export function openModels(sources: ModelSources, httpClients: Pick<ModelHttpClients, "forUrl">): WorkspaceModels {
  const opened = new Map<string, Model | undefined>();
  const single = new Map<string, Model>();
  const names = orBroken(() => modelNames(sources));

  const openOne = (name: string, settings: ModelSettings): Model => {
    const known = single.get(name);
    if (known !== undefined) return known;
    const model = openModel(settings, { http: httpClients.forUrl(settings.baseUrl) });
    single.set(name, model);
    return model;
  };

  const open = (name: string): Model | undefined => {
    const settings = readModelSettings(sources, name);
    if (settings === undefined) return undefined;
    const others = followers(name, (each) => readModelSettings(sources, each));
    return fallbackModel([openOne(name, settings), ...others.map(([each, its]) => openOne(each, its))]);
  };

  const known = Array.isArray(names) ? names : [];
  return {
    names: known,
    none: (feature) => noModel(feature, { env: sources.env, names: known }),
    get: (name = defaultModel) => {
      if (!opened.has(name)) {
        const model = orBroken(() => open(name));
        const why = model === undefined ? missingModel(name, sources) : undefined;
        opened.set(name, why === undefined ? asModel(model) : brokenModel(why));
      }
      return opened.get(name);
    },
  };
}

const modelsOfEngines = new WeakMap<object, WorkspaceModels>();

/** Sets the models that are used with an engine if none is named: those of its workspace. */
export function setDefaultModel(engine: object, models: WorkspaceModels): void {
  modelsOfEngines.set(engine, models);
}

/** The default model of the workspace of an engine; throws if there is none. */
export function requireDefaultModel(engine: object, feature: string): Model {
  const models = modelsOfEngines.get(engine);
  const model = models?.get();
  if (model === undefined) throw models?.none(feature) ?? noModel(feature);
  const fault = faultOf(model);
  // A missing key does not matter: nothing is sent.
  if (fault !== undefined && fault.reason !== "no_key") throw fault;
  return model;
}

/** Why there is no model of this name; undefined if the default model is not configured. */
function missingModel(name: string, sources: ModelSources): FailureError | undefined {
  const withheld = sources.withheld?.get(name);
  if (withheld !== undefined) return withheld;
  return name === defaultModel ? undefined : modelFailure("no_model", unknownModel(name, modelNames(sources)));
}

/** Incomplete model settings must not stop work that needs no model. */
function orBroken<T>(make: () => T): T | FailureError {
  try {
    return make();
  } catch (error) {
    if (isFailureError(error)) return error;
    throw error;
  }
}

function asModel(made: Model | undefined | FailureError): Model | undefined {
  return isFailureError(made) ? brokenModel(made) : made;
}

type Named = readonly [name: string, settings: ModelSettings];

/** The fallbacks of a model, with their own fallbacks; each once. A model with invalid settings is left out. */
function followers(first: string, settingsOf: (name: string) => ModelSettings | undefined): Named[] {
  const seen = new Set([first]);
  const found: Named[] = [];
  const follow = (name: string): void => {
    const settings = orBroken(() => settingsOf(name));
    if (settings === undefined || isFailureError(settings)) return;
    if (name !== first) found.push([name, settings]);
    for (const next of settings.fallback ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      follow(next);
    }
  };
  follow(first);
  return found;
}

/** HTTP clients for the models of a workspace. */
export interface ModelHttpClients {
  /** The HTTP client for the model at this address. */
  forUrl(baseUrl: string | undefined): HttpClient;
  /** Aborts every in-flight request and closes every connection. */
  close(): Promise<void>;
}

/**
 * HTTP clients for models, one per origin. Each allows its own origin, even on this machine or in a private network,
 * and otherwise only what the workspace allows. So such a model needs no entry in `network.allow`, which would
 * expose it to tools as well. Use only with addresses configured by the workspace owner.
 *
 * @example
 * ```ts
 * const httpClients = createModelHttpClients(config.network.allow);
 * const models = openModels({ file: config.models, env: process.env }, httpClients);
 * ```
 */
export function createModelHttpClients(allow: readonly string[]): ModelHttpClients {
  const httpClients = new Map<string, HttpClient>();
  return {
    forUrl: (baseUrl = "") => {
      const url = URL.parse(baseUrl) ?? undefined;
      const origin = url?.origin ?? "";
      const http = httpClients.get(origin) ?? createHttpClient({ allow, service: url });
      httpClients.set(origin, http);
      return http;
    },
    close: async () => {
      await Promise.all([...httpClients.values()].map((http) => http.close()));
    },
  };
}
