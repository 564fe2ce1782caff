import { type FailureError, isFailureError } from "../base/index.ts";
import { brokenModel } from "./broken-model.ts";
import { fallbackModel } from "./fallback-model.ts";
import type { Model } from "./model.ts";
import type { ModelDoors } from "./model-doors.ts";
import { modelFailure } from "./model-reasons.ts";
import {
  type ModelSettings,
  type ModelSources,
  defaultModel,
  modelNames,
  readModelSettings,
  unknownModel,
} from "./model-settings.ts";
import { noModel } from "./no-model.ts";
import { openModel } from "./open-model.ts";

/** The models of a workspace, by name. */
export interface Models {
  /** The names of those that are set up, the default first. */
  readonly names: readonly string[];
  /**
   * The model of this name, with its fallbacks behind it; the default where none is given. Undefined where there is no
   * default. One that is set up wrongly, or a name that nobody has, is a model whose every question fails and says why.
   */
  get(name?: string): Model | undefined;
  /** The failure of something that needs the default model where there is none: it says what to set. */
  none(who: string): FailureError;
}

/**
 * The models that a workspace and its environment name. Nothing is opened before it is asked for, and nothing is loaded
 * before the first question.
 *
 * @example
 * ```ts
 * const models = openModels({ file: config.models, env: process.env, secret: (name) => secrets[name] }, doors);
 * const model = models.get() ?? models.get("fast");
 * ```
 */
export function openModels(sources: ModelSources, doors: Pick<ModelDoors, "to">): Models {
  const opened = new Map<string, Model | undefined>();
  const single = new Map<string, Model>();
  const names = orBroken(() => modelNames(sources));

  const openOne = (name: string, settings: ModelSettings): Model => {
    const known = single.get(name);
    if (known !== undefined) return known;
    const model = openModel(settings, { door: doors.to(settings.baseUrl) });
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
    none: (who) => noModel(who, { env: sources.env, names: known }),
    get: (name = defaultModel) => {
      if (!opened.has(name)) {
        const model = orBroken(() => open(name));
        const unknown = model === undefined && name !== defaultModel;
        opened.set(name, unknown ? brokenModel(noSuchModel(name, sources)) : (asModel(model) ?? undefined));
      }
      return opened.get(name);
    },
  };
}

function noSuchModel(name: string, sources: ModelSources): FailureError {
  return modelFailure("no_model", unknownModel(name, modelNames(sources)));
}

/** Whoever needs no model is not to be kept from work by half of one. */
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

/** Those that are asked after a model, with those that are asked after them; each once. One set up wrongly is left out. */
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
