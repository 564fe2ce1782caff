import { basename, join, resolve } from "node:path";
import { openMemories, openTextIndex } from "../adapters/index.ts";
import { isFailureError } from "../base/index.ts";
import { type ServiceOptions, builtinOffers, createFileTimerStore, folderPrompts } from "../builtin/index.ts";
import { createFileDoor } from "../file/index.ts";
import { type Model, brokenModel, openModel, readModelSettings } from "../model/index.ts";
import type { Door } from "../net/index.ts";
import type { RecordStore } from "../store/index.ts";
import type { ToolOffer } from "../tool/index.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** What the services of a workspace are opened with. */
export interface ServicesSetting {
  readonly dir: string;
  readonly config: WorkspaceConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secret: (name: string) => string | undefined;
  readonly door: Door;
  readonly records: () => RecordStore;
  /** False where nothing is kept: then memories and indexes are gone with the process. */
  readonly kept: boolean;
}

/** The built-in tools of a workspace, and how to let go of what they work with. */
export interface OpenedServices {
  readonly tools: readonly ToolOffer[];
  close(): Promise<void>;
}

/** Opens nothing yet: files, threads and connections come with the first tool that needs them. */
export function openServices({ dir, config, env, secret, door, records, kept }: ServicesSetting): OpenedServices {
  const { search, web, vault = ".", timezone } = config.services;
  const data = join(dir, ".windlass");
  const notes = resolve(dir, vault);
  const closed = closedNames(config);
  const stores = kept ? openStores(data) : undefined;
  const corpus = search?.corpus === undefined ? {} : { corpus: resolve(dir, search.corpus) };
  const model = modelOf({ config, env, secret, door });
  const options: ServiceOptions = {
    door,
    env,
    secret,
    records,
    timezone,
    model,
    files: createFileDoor({ roots: [{ path: dir, write: true }], closed }),
    notes: { folder: notes, files: createFileDoor({ roots: [{ path: notes, write: false }], closed }) },
    searchFile: { ...search, ...corpus },
    prompts: folderPrompts(join(dir, "prompts")),
    ...(web?.robots && { robots: web.robots }),
    ...(web?.max_urls !== undefined && { maxUrls: web.max_urls }),
    ...(stores && {
      textIndex: stores.index,
      memories: stores.memories,
      timers: createFileTimerStore(join(data, "pomodoro")),
    }),
  };
  return {
    tools: builtinOffers(options),
    close: async () => {
      await Promise.all([stores?.index.close(), stores?.memories.close()]);
    },
  };
}

/** What tools never see, whatever the folder: data of programs, and files with secrets. */
function closedNames({ secrets }: WorkspaceConfig): string[] {
  const files = Object.values(secrets).flatMap((source) => ("file" in source ? [basename(source.file)] : []));
  return [".git", ".windlass", ".env", ".env.local", ...files];
}

function openStores(data: string) {
  return {
    index: openTextIndex({ file: join(data, "index.db") }),
    memories: openMemories({ file: join(data, "memory.db") }),
  };
}

function modelOf({
  config,
  env,
  secret,
  door,
}: Pick<ServicesSetting, "config" | "env" | "secret" | "door">): Model | undefined {
  try {
    const settings = readModelSettings({ file: config.services.model, env, secret });
    return settings && openModel(settings, { door });
  } catch (error) {
    if (!isFailureError(error)) throw error;
    // Whoever needs no model is not to be kept from work by half of one.
    return brokenModel(error);
  }
}
