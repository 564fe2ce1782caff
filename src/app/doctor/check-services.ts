import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { indexFaults, openMemoryStore } from "../../adapters/index.ts";
import { isFailureError } from "../../base/index.ts";
import {
  type OpenedProviders,
  createSearch,
  openProviders,
  sandboxStatus,
  searchVariables,
} from "../../builtin/index.ts";
import {
  type Model,
  type ModelHttpClients,
  type ModelSettings,
  createModelHttpClients,
  defaultModel,
  faultOf,
  generateText,
  modelSetupHint,
  modelNames,
  openModel,
  readModelSettings,
} from "../../model/index.ts";
import {
  type AllowList,
  type HttpClient,
  checkUrl,
  createHttpClient,
  parseAllowList,
  withService,
} from "../../net/index.ts";
import { type Finding, finding } from "./check-servers.ts";
import { formatBytes, formatCount } from "../../text/index.ts";
import { pathExists, workspaceFile } from "../find-workspace.ts";
import type { Workspace } from "../workspace.ts";

interface ServiceCheckContext extends Pick<Workspace, "dir" | "config"> {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Also send test requests to the configured services. */
  readonly network: boolean;
  /** Shortens a path for people. */
  readonly shorten: (path: string) => string;
  readonly http: HttpClient;
  readonly modelHttpClients: ModelHttpClients;
  /** Addresses that the HTTP client allows besides the public network. */
  readonly allow: AllowList;
  readonly secret: (name: string) => string | undefined;
  readonly whyNoSecret: (name: string) => string | undefined;
}

/** Checks the services behind the built-in tools: models, search, notes, memory, the sandbox. */
export async function examineServices(
  { dir, config, engine, missingSecrets }: Pick<Workspace, "dir" | "config" | "engine" | "missingSecrets">,
  { network, shorten }: Pick<ServiceCheckContext, "network" | "shorten">,
): Promise<Finding[]> {
  const http = createHttpClient({ allow: config.network.allow });
  const modelHttpClients = createModelHttpClients(config.network.allow);
  const setting = {
    dir,
    config,
    env: process.env,
    network,
    shorten,
    http,
    modelHttpClients,
    allow: parseAllowList(config.network.allow),
    secret: (name: string) => engine.secrets.get(name),
    whyNoSecret: (name: string) => missingSecrets.find((secret) => secret.name === name)?.why,
  };
  try {
    const found = await Promise.all([
      findingOnFailure("model", () => examineModels(setting)),
      findingOnFailure("search", () => examineSearch(setting)),
      findingOnFailure("notes", () => examineNotes(setting)),
      findingOnFailure("weather", () => examineWeather(setting)),
      findingOnFailure("memory", () => examineMemory(setting)),
      examineSandbox(),
    ]);
    return found.flat();
  } finally {
    await Promise.all([http.close(), modelHttpClients.close()]);
  }
}

/** Converts a failure to a finding. */
async function findingOnFailure(about: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    if (!isFailureError(error)) throw error;
    return [finding(about, "fail", error.message)];
  }
}

/** Reason why the HTTP client would refuse this address, as far as it is known without a request. */
function refusalOf(url: string | undefined, { allow }: Pick<ServiceCheckContext, "allow">): string | undefined {
  try {
    if (url !== undefined) checkUrl(url, allow);
    return undefined;
  } catch (error) {
    if (!isFailureError(error)) throw error;
    return error.message;
  }
}

/** Checks every configured model; a failure of one does not hide the others. */
async function examineModels(setting: ServiceCheckContext): Promise<Finding[]> {
  const about = "model";
  const { config, env, secret, whyNoSecret } = setting;
  const sources = { file: config.models, env, secret, whyNoSecret };
  const names = modelNames(sources);
  const nothing = "none; llm_summarize quotes instead, and writing and review tools are unavailable";
  const found = names.map((name) =>
    findingOnFailure(about, async () => {
      const settings = readModelSettings(sources, name);
      return settings === undefined ? [] : [await examineModel(name, settings, setting)];
    }),
  );
  const findings = (await Promise.all(found)).flat();
  return findings.length === 0 ? [finding(about, "off", nothing, modelSetupHint({ env }))] : findings;
}

async function examineModel(called: string, settings: ModelSettings, setting: ServiceCheckContext): Promise<Finding> {
  const about = "model";
  const http = setting.modelHttpClients.forUrl(settings.baseUrl);
  const model = openModel(settings, { http });
  // The URL itself may contain a password.
  const at = `${JSON.stringify(settings.name)} at ${model.provider}`;
  const name = called === defaultModel ? at : `${called}: ${at}`;
  const behind = settings.fallback === undefined ? "" : `, then ${settings.fallback.join(", then ")}`;
  const url = settings.baseUrl === undefined ? null : URL.parse(settings.baseUrl);
  const refusal = url === null ? undefined : refusalOf(url.href, { allow: withService(setting.allow, url) });
  if (refusal !== undefined) return finding(about, "fail", `${name} cannot be reached: ${refusal}`);
  if (faultOf(model) !== undefined) {
    const { keyHint: todo = "set a key" } = model;
    return finding(about, "warn", `${name} has no key and is not used without one`, todo);
  }
  if (!setting.network) return finding(about, "ok", `${name}${behind}; send a test request with --network`);
  const trouble = await pingModel(model);
  return trouble === undefined ? finding(about, "ok", `${name} answers`) : finding(about, "fail", trouble);
}

const pingTimeoutMs = 30_000;
/** The model responded, although not as requested: a few tokens are too little for a model that reasons first. */
const answered: ReadonlySet<string | undefined> = new Set(["cut_off", "invalid_output", "refused"]);

/** Reason why a model does not respond; undefined if it does. */
async function pingModel(model: Model): Promise<string | undefined> {
  const promptText = { prompt: "Answer with the word ok.", maxTokens: 16, maxRetries: 0, timeoutMs: pingTimeoutMs };
  try {
    await generateText(model, promptText);
    return undefined;
  } catch (error) {
    if (!isFailureError(error)) throw error;
    return answered.has(error.reason) ? undefined : error.message;
  }
}

async function examineSearch(setting: ServiceCheckContext): Promise<Finding[]> {
  const about = "search";
  const { http, env, secret, dir, config, network } = setting;
  const { search: file } = config;
  const corpus = file.corpus === undefined ? {} : { corpus: resolve(dir, file.corpus) };
  const { providers } = openProviders({ http, env, secret, file: { ...file, ...corpus } });
  const all = createSearch({ providers }).status();
  const named = file.providers === undefined ? [] : all.filter(({ missing }) => missing.length > 0);
  const lacking = named.map(({ name, missing }) =>
    finding(about, "warn", `provider ${name} is listed but not configured`, `set ${missing.join(" and ")}`),
  );
  const usable = all.filter(({ missing }) => missing.length === 0).map(({ name }) => name);
  if (usable.length === 0) {
    const { searxng, brave, mediawiki, corpus: texts, duckduckgo } = searchVariables;
    const ways = [searxng, brave, mediawiki, texts, `${duckduckgo}=1`].join(", ");
    const todo = `set one of ${ways}, or add search: to ${workspaceFile}`;
    const message = "no search provider is configured; web_search is unavailable";
    return lacking.length === 0 ? [finding(about, "off", message, todo)] : lacking;
  }
  const available = finding(about, "ok", `web_search uses ${usable.join(", then ")}`);
  const folder = usable.includes("corpus")
    ? await examineCorpus(setting, env[searchVariables.corpus] || corpus.corpus)
    : [];
  const refused = refusedProviders(usable, setting);
  const others = providers.filter(({ name }) => !refused.has(name));
  return [available, ...lacking, ...folder, ...refused.values(), ...(network ? await pingProviders(others) : [])];
}

/** Listed providers whose address the HTTP client refuses. */
function refusedProviders(usable: readonly string[], setting: ServiceCheckContext): ReadonlyMap<string, Finding> {
  const { env, config } = setting;
  const { search: file } = config;
  const addresses = {
    searxng: env[searchVariables.searxng]?.trim() || file.searxng_url,
    mediawiki: env[searchVariables.mediawiki]?.trim() || file.mediawiki_url,
  };
  const found = Object.entries(addresses).flatMap(([name, url]): [string, Finding][] => {
    const why = usable.includes(name) ? refusalOf(url, setting) : undefined;
    return why === undefined ? [] : [[name, finding("search", "fail", `${name} cannot be reached: ${why}`)]];
  });
  return new Map(found);
}

async function examineCorpus({ shorten }: Pick<ServiceCheckContext, "shorten">, folder = "."): Promise<Finding[]> {
  if (await isFolder(folder)) return [];
  const message = `the corpus folder ${shorten(folder)} does not exist`;
  return [finding("search", "warn", message, "create it, or set another with search.corpus")];
}

/** Sends a query with certain results to every remote provider. */
async function pingProviders(providers: OpenedProviders["providers"]): Promise<Finding[]> {
  const elsewhere = providers.filter((provider) => provider.local !== true && provider.configured() === true);
  const found = elsewhere.map((provider) =>
    findingOnFailure("search", async () => {
      const signal = AbortSignal.timeout(pingTimeoutMs);
      await createSearch({ providers: [provider] }).search({ query: "water", count: 1, signal });
      return [finding("search", "ok", `${provider.name} answers`)];
    }),
  );
  return (await Promise.all(found)).flat();
}

async function examineNotes({ dir, config, shorten }: ServiceCheckContext): Promise<Finding[]> {
  const about = "notes";
  const folder = resolve(dir, config.vault.folder ?? ".");
  if (!(await isFolder(folder))) {
    const message = `the notes folder ${shorten(folder)} does not exist`;
    return [finding(about, "warn", message, `create it, or set another with vault: in ${workspaceFile}`)];
  }
  const searched = finding(about, "ok", `local_search searches ${shorten(folder)}`);
  const index = join(dir, ".windlass", "index.db");
  if (!(await pathExists(index)) || indexFaults(index).length === 0) return [searched];
  const todo = "nothing to do: it is rebuilt from the notes at the next search";
  return [searched, finding(about, "warn", `the index of the notes ${shorten(index)} is damaged`, todo)];
}

/** Reported only if custom servers are configured that cannot be reached. */
function examineWeather(setting: ServiceCheckContext): Promise<Finding[]> {
  const { forecastUrl, geocodingUrl } = setting.config.weather;
  const refusals = Object.entries({ forecast_url: forecastUrl, geocoding_url: geocodingUrl }).flatMap(
    ([key, url]): Finding[] => {
      const why = refusalOf(url, setting);
      return why === undefined ? [] : [finding("weather", "fail", `weather.${key} cannot be reached: ${why}`)];
    },
  );
  return Promise.resolve(refusals);
}

async function examineMemory({ dir, shorten }: ServiceCheckContext): Promise<Finding[]> {
  const about = "memory";
  const file = join(dir, ".windlass", "memory.db");
  if (!(await pathExists(file))) return [finding(about, "ok", "nothing yet; memory_store creates it")];
  const store = openMemoryStore({ file });
  try {
    const { memories } = await store.stats();
    const size = formatBytes((await stat(file)).size);
    return [finding(about, "ok", `${shorten(file)}: ${formatCount(memories, "thing")} remembered, ${size}`)];
  } finally {
    await store.close();
  }
}

async function examineSandbox(): Promise<Finding[]> {
  const about = "sandbox";
  const status = await sandboxStatus();
  if (status.available) return [finding(about, "ok", "test_runner can run tests")];
  return [finding(about, "off", "none; test_runner is unavailable", status.message)];
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}
