import { type Clock, systemClock } from "../base/index.ts";
import { type FileAccess, createFileAccess } from "../file/index.ts";
import type { Model } from "../model/index.ts";
import type { HttpClient } from "../net/index.ts";
import {
  type MemoryStore,
  type PageCache,
  type RecordStore,
  type ResultCache,
  createInMemoryMemoryStore,
  createInMemoryRecords,
} from "../store/index.ts";
import { type MemoryService, createMemoryService } from "./memory/memory-service.ts";
import type { MessageLog } from "./memory/conversation-history.ts";
import { type SearchService, createSearch } from "./search/search.ts";
import { openProviders, type SearchSettingsFile } from "./search/search-settings.ts";
import type { TimerStore } from "./time/timer-store.ts";
import { noVault } from "./vault/vault-reasons.ts";
import type { Vault } from "./vault/vault.ts";
import type { AddressResolver } from "./web/page.ts";
import { type PageReader, createPageReader } from "./web/page-reader.ts";
import type { TranscriptProvider } from "./transcript/transcript.ts";
import { type Weather, type WeatherOptions, createWeather } from "./weather/weather.ts";
import type { ReadPrompt, WritingServices } from "./writing/prompt-sender.ts";

/** Services of the built-in tools. */
export interface BuiltinServices {
  /** The HTTP client for all network access. */
  readonly http: HttpClient;
  readonly clock: Clock;
  /** Default zone of the tools. Default: the machine's. */
  readonly timezone?: string | undefined;
  readonly files: FileAccess;
  readonly pages: PageReader;
  readonly maxUrls?: number | undefined;
  readonly search: SearchService;
  readonly vault: Vault;
  readonly memories: MemoryService;
  /** Called on demand: a workspace opens its database while its tools are created. */
  readonly records: () => RecordStore;
  readonly messages?: MessageLog | undefined;
  readonly weather: Weather;
  readonly transcripts?: TranscriptProvider | undefined;
  readonly timers?: TimerStore | undefined;
  /** The model; without it, the tools that need one fail with advice on what to set. */
  readonly model?: Model | undefined;
  /** Creates the failure of tools that need a model if there is none. */
  readonly noModel?: WritingServices["noModel"];
  /** Prompts that replace the built-in ones. */
  readonly prompts?: ReadPrompt | undefined;
}

/** Options of {@link createBuiltinServices}. */
export interface BuiltinServiceOptions extends Pick<
  BuiltinServices,
  "http" | "timezone" | "messages" | "transcripts" | "timers" | "model" | "noModel" | "prompts"
> {
  readonly clock?: Clock;
  /** The folders that tools may read and write. Default: none. */
  readonly files?: FileAccess;
  /** The folder of notes. Default: none. The caller that opened it closes it. */
  readonly vault?: Vault;
  /** Default: in memory, like all other stores. */
  readonly memories?: MemoryStore;
  readonly records?: () => RecordStore;
  readonly pageCache?: PageCache;
  readonly resultCache?: ResultCache;
  /** The `search:` section of a `windlass.yaml`. */
  readonly searchFile?: SearchSettingsFile;
  readonly robots?: "respect" | "ignore";
  /** Weather provider, and the default location. */
  readonly weather?: Omit<WeatherOptions, "http" | "clock">;
  /** Maximum number of addresses of one call. Default: 50. */
  readonly maxUrls?: number | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Returns the value of a secret by its name. */
  readonly secret?: (name: string) => string | undefined;
}

/**
 * Creates the services of the built-in tools. Nothing is opened, started or requested before a tool needs it.
 *
 * @example
 * ```ts
 * const { memories } = createBuiltinServices({ http: createHttpClient() });
 * await memories.store({ content: "The quay closes at six" });
 * ```
 */
export function createBuiltinServices(options: BuiltinServiceOptions): BuiltinServices {
  const { http, clock = systemClock, env = {} } = options;
  const { searchFile: file, secret, resultCache, pageCache, robots } = options;
  const files = onFirstUse(() => options.files ?? createFileAccess({ roots: [] }));
  const memories = onFirstUse(() => {
    return createMemoryService({ store: options.memories ?? createInMemoryMemoryStore(), clock });
  });
  // The corpus has its own index, in memory: processes that share a folder would empty each other's.
  const providers = onFirstUse(() => openProviders({ http, env, file, ...(secret && { secret }) }));
  const pages = onFirstUse(() =>
    createPageReader({
      http,
      clock,
      resolvers: { memory: memoryPages(memories()), corpus: providers().corpus.resolve },
      ...(pageCache && { cache: pageCache }),
      ...(robots && { robots }),
    }),
  );
  const search = onFirstUse(() =>
    createSearch({ providers: providers().providers, clock, ...(resultCache && { cache: resultCache }) }),
  );
  const weather = onFirstUse(() => createWeather({ ...options.weather, http, clock }));
  return {
    http,
    clock,
    get files() {
      return files();
    },
    get memories() {
      return memories();
    },
    records: options.records ?? (() => createInMemoryRecords({})),
    get pages() {
      return pages();
    },
    get search() {
      return search();
    },
    vault: options.vault ?? noVault,
    get weather() {
      return weather();
    },
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

/** Most calls need one service, and the code of each takes a while to load. */
function onFirstUse<T extends object>(create: () => T): () => T {
  let created: T | undefined;
  return () => (created ??= create());
}

/** Resolves `memory:` addresses. */
function memoryPages(memories: MemoryService): AddressResolver {
  return async (address) => {
    const found = await memories.get(address);
    return found && { title: found.title, text: found.text };
  };
}
