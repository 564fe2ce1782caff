import { errorMessage } from "../base/index.ts";
import { join, resolve } from "node:path";
import { openMemoryStore, openPageCache, openTextIndex } from "../adapters/index.ts";
import {
  type BuiltinServiceOptions,
  type Vault,
  builtinOffers,
  createFileTimerStore,
  createPromptSender,
  createVault,
  folderPrompts,
} from "../builtin/index.ts";
import { type ControlPath, type FileAccessOptions, createFileAccess, defaultDeniedPaths } from "../file/index.ts";
import { ResultStore } from "../hub/index.ts";
import {
  type Model,
  type ModelSources,
  type WorkspaceModels,
  createModelHttpClients,
  openModels,
  secretName,
  setDefaultModel,
} from "../model/index.ts";
import type { HttpClient } from "../net/index.ts";
import { type RecordStore, type TextIndex, type TriggerStore, createInMemoryTextIndex } from "../store/index.ts";
import type { PromptSender, ToolOffer } from "../tool/index.ts";
import { writtenName } from "../trigger/index.ts";
import type { WorkspaceTrust } from "./open-trust.ts";
import type { Opening } from "./opening.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** Options for opening the services of a workspace. */
export interface OpenServicesOptions extends Pick<Opening, "dir" | "config" | "env" | "stores" | "stays"> {
  readonly trust?: Pick<WorkspaceTrust, "withheldModels">;
  readonly secret: (name: string) => string | undefined;
  /** Advice for a secret that is named but has no value. */
  readonly whyNoSecret: (name: string) => string | undefined;
  readonly http: HttpClient;
  readonly records: () => RecordStore;
  /** Notes the files of chains that tools write. */
  readonly triggers?: () => Pick<TriggerStore, "toolWrites">;
  /** Files that file tools cannot write. */
  readonly controlPaths: () => readonly ControlPath[];
}

/** The built-in tools of a workspace, and a function that releases their resources. */
export interface OpenedServices {
  readonly tools: readonly ToolOffer[];
  /** The default model of the settings, even if it cannot be used. */
  readonly model: Model | undefined;
  /** All models of the settings. */
  readonly models: WorkspaceModels;
  /** Sends the prompts of tool files. */
  readonly prompts: PromptSender;
  /** Returns the engine, with the default model for functions of the library that are called with it. */
  withModels<T extends object>(engine: T): T;
  /** Creates the store for results that are too large to be shown. */
  readonly resultStore: (redact: (output: unknown) => unknown) => ResultStore;
  close(): Promise<void>;
}

/** Opens nothing yet: files, threads and connections are opened by the first tool that needs them. */
export function openServices(setting: OpenServicesOptions): OpenedServices {
  const { dir, config, env, http, records, controlPaths, stores: stored } = setting;
  // Every key may be written as the name of its secret or as a reference to it.
  const secret = (key: string): string | undefined => setting.secret(secretName(key));
  const { search, web, weather, timezone } = config;
  const data = join(dir, ".windlass");
  const stores = stored ? openStores(data, config) : undefined;
  const vault = vaultOf(setting, stores?.index ?? createInMemoryTextIndex());
  const corpus = search.corpus === undefined ? {} : { corpus: resolve(dir, search.corpus) };
  const httpClients = createModelHttpClients(config.network.allow);
  const models = openModels(modelSourcesOf(setting), httpClients);
  const model = models.get();
  const options: BuiltinServiceOptions = {
    http,
    env,
    secret,
    records,
    timezone,
    model,
    noModel: (feature) => models.none(feature),
    files: createFileAccess({
      roots: [{ path: dir, write: true }],
      controlPaths,
      ...readRulesOf(setting),
      ...noteWritesOf(setting),
    }),
    vault,
    searchFile: { ...search, ...corpus },
    prompts: folderPrompts(join(dir, "prompts"), dir),
    ...web,
    weather: { ...weather, apiKey: weather.apiKey === undefined ? undefined : secret(weather.apiKey) },
    ...(stores && {
      memories: stores.memories,
      pageCache: stores.pages,
      timers: createFileTimerStore(join(data, "pomodoro")),
    }),
  };
  return {
    tools: builtinOffers(options),
    model,
    models,
    prompts: createPromptSender({ model, models, noModel: options.noModel }),
    withModels: (engine) => {
      setDefaultModel(engine, models);
      return engine;
    },
    resultStore: (redact) => new ResultStore({ redact, ...(stores && { pages: stores.results }) }),
    close: async () => {
      // Before the index that it writes to.
      await vault.close();
      await Promise.all([
        stores?.index.close(),
        stores?.memories.close(),
        stores?.pages.close(),
        stores?.results.close(),
        httpClients.close(),
      ]);
    },
  };
}

function modelSourcesOf({ config, trust, env, secret, whyNoSecret }: OpenServicesOptions): ModelSources {
  const withheld = trust?.withheldModels;
  return { file: config.models, env, secret, whyNoSecret, ...(withheld !== undefined && { withheld }) };
}

/** Tools never see files that hold secrets, and the workspace's own data files. */
function readRulesOf({
  dir,
  config,
}: Pick<OpenServicesOptions, "dir" | "config">): Pick<FileAccessOptions, "denied" | "hardLinks"> {
  const files = Object.values(config.secrets).flatMap((source) =>
    "file" in source ? [resolve(dir, source.file)] : [],
  );
  return { denied: [...defaultDeniedPaths, ...files], hardLinks: config.files.hardLinks };
}

/** A trigger in a chain that a tool wrote waits for an approval: the write is noted before it happens. */
function noteWritesOf({ dir, config, triggers }: OpenServicesOptions): Pick<FileAccessOptions, "beforeWrite"> {
  if (triggers === undefined || !config.files.editable.includes("chains")) return {};
  return {
    beforeWrite: async (path) => {
      if (/\.ya?ml$/i.test(path)) await triggers().toolWrites(await writtenName(path, dir));
    },
  };
}

/** The folder of notes. A process for a single call does not watch it. */
function vaultOf(setting: OpenServicesOptions, index: TextIndex): Vault {
  const { dir, config, stays } = setting;
  const { vault, timezone } = config;
  const { folder = ".", watch = false } = vault;
  const path = resolve(dir, folder);
  return createVault({
    folder: path,
    index,
    files: createFileAccess({ roots: [{ path, write: false }], ...readRulesOf(setting) }),
    ...(timezone !== undefined && { timezone }),
    ...(watch && stays && { watch: warnOfVault }),
  });
}

function warnOfVault(error: unknown): void {
  process.emitWarning(`the folder of notes is not watched for changes: ${errorMessage(error)}`, {
    type: "WindlassVaultWarning",
  });
}

/** Longer than results can be read, so that a late read gets a clear message. */
const resultMaxAgeMs = 2 * 86_400_000;

function openStores(data: string, { network, web }: WorkspaceConfig) {
  // Pages fetched with wider permissions must not be visible with narrower ones.
  const scope = JSON.stringify([network.allow, web.robots]);
  return {
    index: openTextIndex({ file: join(data, "index.db") }),
    memories: openMemoryStore({ file: join(data, "memory.db") }),
    pages: openPageCache({ file: join(data, "pages.db"), scope }),
    results: openPageCache({ file: join(data, "results.db"), maxAgeMs: resultMaxAgeMs }),
  };
}
