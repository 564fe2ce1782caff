import { join, resolve } from "node:path";
import { openMemories, openPageCache, openTextIndex } from "../adapters/index.ts";
import {
  type ServiceOptions,
  type Vault,
  builtinOffers,
  createFileTimerStore,
  createVault,
  folderPrompts,
} from "../builtin/index.ts";
import { createFileDoor, usuallyClosed } from "../file/index.ts";
import { ResultShelf } from "../hub/index.ts";
import { type Model, type Models, createModelDoors, openModels } from "../model/index.ts";
import type { Door } from "../net/index.ts";
import { type RecordStore, type TextIndex, createMemoryTextIndex } from "../store/index.ts";
import type { ToolOffer } from "../tool/index.ts";
import type { ServiceSettings, WorkspaceConfig } from "./workspace-config.ts";

/** What the services of a workspace are opened with. */
export interface ServicesSetting {
  readonly dir: string;
  readonly config: WorkspaceConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secret: (name: string) => string | undefined;
  /** What to do for a secret that is named and has no value. */
  readonly whyNoSecret: (name: string) => string | undefined;
  readonly door: Door;
  readonly records: () => RecordStore;
  /** False where nothing is kept: then memories and indexes are gone with the process. */
  readonly kept: boolean;
  /** The process stays, so that it is worth following what changes meanwhile. */
  readonly stays: boolean;
}

/** The built-in tools of a workspace, and how to let go of what they work with. */
export interface OpenedServices {
  readonly tools: readonly ToolOffer[];
  /** The default model of the settings, also where it cannot be used. */
  readonly model: Model | undefined;
  /** All models of the settings. */
  readonly models: Models;
  /** Where results are kept that are too large to be shown. */
  readonly shelf: (redact: (output: unknown) => unknown) => ResultShelf;
  close(): Promise<void>;
}

/** Opens nothing yet: files, threads and connections come with the first tool that needs them. */
export function openServices(setting: ServicesSetting): OpenedServices {
  const { dir, config, env, secret, whyNoSecret, door, records, kept } = setting;
  const { search, web, weather, timezone } = config.services;
  const data = join(dir, ".windlass");
  const stores = kept ? openStores(data, config) : undefined;
  const vault = vaultOf(setting, stores?.index ?? createMemoryTextIndex());
  const corpus = search?.corpus === undefined ? {} : { corpus: resolve(dir, search.corpus) };
  const doors = createModelDoors(config.network.allow);
  const models = openModels({ file: config.services.models, env, secret, whyNoSecret }, doors);
  const model = models.get();
  const options: ServiceOptions = {
    door,
    env,
    secret,
    records,
    timezone,
    model,
    noModel: (who) => models.none(who),
    files: createFileDoor({ roots: [{ path: dir, write: true }], closed: closedPlaces(setting) }),
    vault,
    searchFile: { ...search, ...corpus },
    prompts: folderPrompts(join(dir, "prompts")),
    ...(web?.robots && { robots: web.robots }),
    ...(weather && { weather: weatherOptions(weather, secret) }),
    ...(web?.max_urls !== undefined && { maxUrls: web.max_urls }),
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
    shelf: (redact) => new ResultShelf({ redact, ...(stores && { pages: stores.results }) }),
    close: async () => {
      // Before the index that it writes to.
      await vault.close();
      await Promise.all([
        stores?.index.close(),
        stores?.memories.close(),
        stores?.pages.close(),
        stores?.results.close(),
        doors.close(),
      ]);
    },
  };
}

/** What tools never see: what holds secrets wherever it is, and the files that this workspace keeps its own in. */
function closedPlaces({ dir, config }: Pick<ServicesSetting, "dir" | "config">): string[] {
  const files = Object.values(config.secrets).flatMap((source) =>
    "file" in source ? [resolve(dir, source.file)] : [],
  );
  return [...usuallyClosed, ...files];
}

/** The folder of notes. Whoever makes a single call has no use for following it. */
function vaultOf(setting: ServicesSetting, index: TextIndex): Vault {
  const { dir, config, stays } = setting;
  const { vault, timezone } = config.services;
  const { folder = ".", watch = false } = vault ?? {};
  const path = resolve(dir, folder);
  return createVault({
    folder: path,
    index,
    files: createFileDoor({ roots: [{ path, write: false }], closed: closedPlaces(setting) }),
    ...(timezone !== undefined && { timezone }),
    ...(watch && stays && { watch: warnOfVault }),
  });
}

function warnOfVault(error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  process.emitWarning(`the notes are not followed as they change: ${why}`, { type: "WindlassVaultWarning" });
}

/** Longer than results can be read, so that who is late is told so. */
const shelfAgeMs = 2 * 86_400_000;

function openStores(data: string, { network, services }: WorkspaceConfig) {
  // What was fetched while more was allowed is not to be seen when less is.
  const scope = JSON.stringify([network.allow, services.web?.robots ?? "respect"]);
  return {
    index: openTextIndex({ file: join(data, "index.db") }),
    memories: openMemories({ file: join(data, "memory.db") }),
    pages: openPageCache({ file: join(data, "pages.db"), scope }),
    results: openPageCache({ file: join(data, "results.db"), maxAgeMs: shelfAgeMs }),
  };
}

function weatherOptions(
  { forecast_url: forecastUrl, geocoding_url: geocodingUrl, api_key: key, place }: WeatherFile,
  secret: ServicesSetting["secret"],
): NonNullable<ServiceOptions["weather"]> {
  return { forecastUrl, geocodingUrl, place, apiKey: key === undefined ? undefined : secret(key) };
}

type WeatherFile = NonNullable<ServiceSettings["weather"]>;
