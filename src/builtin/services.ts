import { type Clock, systemClock } from "../base/index.ts";
import { type FileDoor, createFileDoor } from "../file/index.ts";
import type { Model } from "../model/index.ts";
import type { Door } from "../net/index.ts";
import {
  type MemoryStore,
  type PageCache,
  type RecordStore,
  type ResultCache,
  createMemoryMemories,
  createMemoryRecords,
} from "../store/index.ts";
import { type Memories, createMemories } from "./memory/memories.ts";
import type { MessageLog } from "./memory/conversation-history.ts";
import { type Search, createSearch } from "./search/search.ts";
import { type SearchFile, openProviders } from "./search/search-settings.ts";
import type { TimerStore } from "./time/timer-store.ts";
import { noVault } from "./vault/no-vault.ts";
import type { Vault } from "./vault/vault.ts";
import type { AddressResolver } from "./web/page.ts";
import { type Pages, createPages } from "./web/pages.ts";
import type { TranscriptProvider } from "./world/transcript.ts";
import { type Weather, type WeatherOptions, createWeather } from "./world/weather.ts";
import type { ReadPrompt, WritingServices } from "./writing/writing-services.ts";

/** What the built-in tools work with. */
export interface BuiltinServices {
  /** The way out to the network. */
  readonly door: Door;
  readonly clock: Clock;
  /** Where a tool is told none; the machine's where absent. */
  readonly timezone?: string | undefined;
  readonly files: FileDoor;
  readonly pages: Pages;
  readonly maxUrls?: number | undefined;
  readonly search: Search;
  readonly vault: Vault;
  readonly memories: Memories;
  /** Asked when they are needed: a workspace opens its database while its tools are made. */
  readonly records: () => RecordStore;
  readonly messages?: MessageLog | undefined;
  readonly weather: Weather;
  readonly transcripts?: TranscriptProvider | undefined;
  readonly timers?: TimerStore | undefined;
  /** Answers what is left to a model; the tools that need one say what to set where absent. */
  readonly model?: Model | undefined;
  /** What those fail with where there is none. */
  readonly noModel?: WritingServices["noModel"];
  /** Prompts that stand in for those that come with a tool. */
  readonly prompts?: ReadPrompt | undefined;
}

/** What {@link createServices} makes them of. */
export interface ServiceOptions extends Pick<
  BuiltinServices,
  "door" | "timezone" | "messages" | "transcripts" | "timers" | "model" | "noModel" | "prompts"
> {
  readonly clock?: Clock;
  /** The folders that tools may read and write; none where absent. */
  readonly files?: FileDoor;
  /** The folder of notes; none where absent. Whoever opened it closes it. */
  readonly vault?: Vault;
  /** In memory where absent, like all that is kept. */
  readonly memories?: MemoryStore;
  readonly records?: () => RecordStore;
  readonly pageCache?: PageCache;
  readonly resultCache?: ResultCache;
  /** `search:` of a `windlass.yaml`. */
  readonly searchFile?: SearchFile;
  readonly robots?: "respect" | "ignore";
  /** Where weather comes from, and of which place where nobody says. */
  readonly weather?: Omit<WeatherOptions, "door" | "clock">;
  /** Addresses of one call; 50 where absent. */
  readonly maxUrls?: number | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The value of a secret by its name. */
  readonly secret?: (name: string) => string | undefined;
}

/**
 * The services behind the built-in tools. Nothing is opened, started or asked before a tool needs it.
 *
 * @example
 * ```ts
 * const { memories } = createServices({ door: createDoor() });
 * await memories.store({ content: "The quay closes at six" });
 * ```
 */
export function createServices(options: ServiceOptions): BuiltinServices {
  const { door, clock = systemClock, env = {} } = options;
  const memories = createMemories({ store: options.memories ?? createMemoryMemories(), clock });
  const { searchFile: file, secret, resultCache, pageCache, robots } = options;
  // The corpus has an index of its own, in memory: processes that share a folder would empty each other's.
  const { providers, corpus } = openProviders({ door, env, file, ...(secret && { secret }) });
  const resolvers = { memory: memoryPages(memories), corpus: corpus.resolve };
  return {
    door,
    clock,
    files: options.files ?? createFileDoor({ roots: [] }),
    memories,
    records: options.records ?? (() => createMemoryRecords({})),
    pages: createPages({ door, clock, resolvers, ...(pageCache && { cache: pageCache }), ...(robots && { robots }) }),
    search: createSearch({ providers, clock, ...(resultCache && { cache: resultCache }) }),
    vault: options.vault ?? noVault,
    weather: createWeather({ ...options.weather, door, clock }),
    timezone: options.timezone,
    messages: options.messages,
    transcripts: options.transcripts,
    timers: options.timers,
    model: options.model,
    noModel: options.noModel,
    prompts: options.prompts,
    maxUrls: options.maxUrls,
  };
}

/** What stands behind `memory:` addresses. */
function memoryPages(memories: Memories): AddressResolver {
  return async (address) => {
    const found = await memories.get(address);
    return found && { title: found.title, text: found.text };
  };
}
