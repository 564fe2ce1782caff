import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { indexFaults, openMemories } from "../adapters/index.ts";
import { type WorkspaceConfig, exists, readSecrets, workspaceFile } from "../app/index.ts";
import { isFailureError } from "../base/index.ts";
import { type OpenedProviders, checkSandbox, createSearch, openProviders, searchVariables } from "../builtin/index.ts";
import {
  type Model,
  type ModelDoors,
  type ModelSettings,
  createModelDoors,
  defaultModel,
  faultOf,
  generateText,
  howToHaveModel,
  modelNames,
  openModel,
  readModelSettings,
} from "../model/index.ts";
import { type AllowList, type Door, checkUrl, createDoor, parseAllowList, withService } from "../net/index.ts";
import type { Finding } from "./finding.ts";
import { formatBytes, formatCount } from "./format-figures.ts";
import { fromHere } from "./tell-problems.ts";

/** The services of which workspace to look at. */
export interface ServicesToExamine {
  readonly dir: string;
  readonly config: WorkspaceConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Also ask whoever is set up, over the network. */
  readonly network: boolean;
}

interface Setting extends ServicesToExamine {
  readonly door: Door;
  readonly modelDoors: ModelDoors;
  /** What the door opens besides the public network. */
  readonly allow: AllowList;
  readonly secret: (name: string) => string | undefined;
  readonly whyNoSecret: (name: string) => string | undefined;
}

/** Looks at what the built-in tools work with: the model, search, notes, memory, the sandbox. */
export async function examineServices(asked: ServicesToExamine): Promise<Finding[]> {
  const { dir, config, env } = asked;
  const { values, missing } = await readSecrets(config.secrets, dir, env);
  const door = createDoor({ allow: config.network.allow });
  const modelDoors = createModelDoors(config.network.allow);
  const setting = {
    ...asked,
    door,
    modelDoors,
    allow: parseAllowList(config.network.allow),
    secret: (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined),
    whyNoSecret: (name: string) => missing.find((secret) => secret.name === name)?.why,
  };
  try {
    const found = await Promise.all([
      told("model", () => examineModels(setting)),
      told("search", () => examineSearch(setting)),
      told("notes", () => examineNotes(setting)),
      told("weather", () => examineWeather(setting)),
      told("memory", () => examineMemory(setting)),
      examineSandbox(),
    ]);
    return found.flat();
  } finally {
    await Promise.all([door.close(), modelDoors.close()]);
  }
}

/** A failure is a finding too. */
async function told(about: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    if (!isFailureError(error)) throw error;
    return [{ about, status: "fail", message: error.message }];
  }
}

/** Why the door will not let anybody ask this address, as far as that is known without asking. */
function refusalOf(url: string | undefined, { allow }: Pick<Setting, "allow">): string | undefined {
  try {
    if (url !== undefined) checkUrl(url, allow);
    return undefined;
  } catch (error) {
    if (!isFailureError(error)) throw error;
    return error.message;
  }
}

/** Every model that is set up; a failure of one does not hide the others. */
async function examineModels(setting: Setting): Promise<Finding[]> {
  const about = "model";
  const { config, env, secret, whyNoSecret } = setting;
  const sources = { file: config.services.models, env, secret, whyNoSecret };
  const names = modelNames(sources);
  const none: Finding = {
    about,
    status: "off",
    message: "none; llm_summarize quotes instead, and what writes or reviews is not available",
    todo: howToHaveModel({ env }),
  };
  const found = names.map((name) =>
    told(about, async () => {
      const settings = readModelSettings(sources, name);
      return settings === undefined ? [] : [await examineModel(name, settings, setting)];
    }),
  );
  const findings = (await Promise.all(found)).flat();
  return findings.length === 0 ? [none] : findings;
}

async function examineModel(called: string, settings: ModelSettings, setting: Setting): Promise<Finding> {
  const about = "model";
  const door = setting.modelDoors.to(settings.baseUrl);
  const model = openModel(settings, { door });
  // The URL itself may hold a password.
  const at = `${JSON.stringify(settings.name)} at ${model.provider}`;
  const name = called === defaultModel ? at : `${called}: ${at}`;
  const behind = settings.fallback === undefined ? "" : `, then ${settings.fallback.join(", then ")}`;
  const url = settings.baseUrl === undefined ? null : URL.parse(settings.baseUrl);
  const refusal = url === null ? undefined : refusalOf(url.href, { allow: withService(setting.allow, url) });
  if (refusal !== undefined) return { about, status: "fail", message: `${name} cannot be asked: ${refusal}` };
  if (faultOf(model) !== undefined) {
    const { keyHint: todo = "give it one" } = model;
    return { about, status: "warn", message: `${name} has no key, and is not asked without one`, todo };
  }
  if (!setting.network) return { about, status: "ok", message: `${name}${behind}; --network asks whether it answers` };
  const trouble = await askModel(model);
  if (trouble !== undefined) return { about, status: "fail", message: trouble };
  return { about, status: "ok", message: `${name} answers` };
}

const patienceMs = 30_000;
/** It answered, if not with what was asked for: few tokens are little for a model that thinks first. */
const answered: ReadonlySet<string | undefined> = new Set(["cut_off", "invalid_output", "refused"]);

/** Why a model does not answer; undefined where it does. */
async function askModel(model: Model): Promise<string | undefined> {
  const question = { prompt: "Answer with the word ok.", maxTokens: 16, maxRetries: 0, timeoutMs: patienceMs };
  try {
    await generateText(model, question);
    return undefined;
  } catch (error) {
    if (!isFailureError(error)) throw error;
    return answered.has(error.reason) ? undefined : error.message;
  }
}

async function examineSearch(setting: Setting): Promise<Finding[]> {
  const about = "search";
  const { door, env, secret, dir, config, network } = setting;
  const { search: file = {} } = config.services;
  const corpus = file.corpus === undefined ? {} : { corpus: resolve(dir, file.corpus) };
  const { providers } = openProviders({ door, env, secret, file: { ...file, ...corpus } });
  const all = createSearch({ providers }).status();
  const named = file.providers === undefined ? [] : all.filter(({ missing }) => missing.length > 0);
  const lacking = named.map(({ name, missing }): Finding => ({
    about,
    status: "warn",
    message: `${name} is to be asked, but is not set up`,
    todo: `set ${missing.join(" and ")}`,
  }));
  const usable = all.filter(({ missing }) => missing.length === 0).map(({ name }) => name);
  if (usable.length === 0) {
    const { searxng, brave, mediawiki, corpus: texts, duckduckgo } = searchVariables;
    const ways = [searxng, brave, mediawiki, texts, `${duckduckgo}=1`].join(", ");
    const todo = `set one of ${ways}, or write search: into ${workspaceFile}`;
    const nobody: Finding = { about, status: "off", message: "nobody to ask; web_search is not available", todo };
    return lacking.length === 0 ? [nobody] : lacking;
  }
  const asks: Finding = { about, status: "ok", message: `web_search asks ${usable.join(", then ")}` };
  const folder = usable.includes("corpus") ? await examineCorpus(env[searchVariables.corpus] || corpus.corpus) : [];
  const refused = refusedProviders(usable, setting);
  const others = providers.filter(({ name }) => !refused.has(name));
  return [asks, ...lacking, ...folder, ...refused.values(), ...(network ? await askProviders(others) : [])];
}

/** Those that are to be asked where the door lets nobody ask. */
function refusedProviders(usable: readonly string[], setting: Setting): ReadonlyMap<string, Finding> {
  const { env, config } = setting;
  const { search: file = {} } = config.services;
  const addresses = {
    searxng: env[searchVariables.searxng]?.trim() || file.searxng_url,
    mediawiki: env[searchVariables.mediawiki]?.trim() || file.mediawiki_url,
  };
  const found = Object.entries(addresses).flatMap(([name, url]): [string, Finding][] => {
    const why = usable.includes(name) ? refusalOf(url, setting) : undefined;
    return why === undefined
      ? []
      : [[name, { about: "search", status: "fail", message: `${name} cannot be asked: ${why}` }]];
  });
  return new Map(found);
}

async function examineCorpus(folder = "."): Promise<Finding[]> {
  if (await isFolder(folder)) return [];
  const message = `the folder of texts ${fromHere(folder)} does not exist`;
  return [{ about: "search", status: "warn", message, todo: "make it, or name another with search.corpus" }];
}

/** Asks everybody who is elsewhere for something that is found everywhere. */
async function askProviders(providers: OpenedProviders["providers"]): Promise<Finding[]> {
  const elsewhere = providers.filter((provider) => provider.local !== true && provider.configured() === true);
  const found = elsewhere.map((provider) =>
    told("search", async () => {
      const signal = AbortSignal.timeout(patienceMs);
      await createSearch({ providers: [provider] }).search({ query: "water", count: 1, signal });
      return [{ about: "search", status: "ok", message: `${provider.name} answers` }];
    }),
  );
  return (await Promise.all(found)).flat();
}

async function examineNotes({ dir, config }: Setting): Promise<Finding[]> {
  const about = "notes";
  const folder = resolve(dir, config.services.vault?.folder ?? ".");
  if (!(await isFolder(folder))) {
    const message = `the folder of notes ${fromHere(folder)} does not exist`;
    return [{ about, status: "warn", message, todo: `make it, or name another with vault: in ${workspaceFile}` }];
  }
  const looks: Finding = { about, status: "ok", message: `localSearch looks in ${fromHere(folder)}` };
  const index = join(dir, ".windlass", "index.db");
  if (!(await exists(index)) || indexFaults(index).length === 0) return [looks];
  const todo = "nothing has to be done: it is made anew from the notes when they are next searched";
  return [looks, { about, status: "warn", message: `their index ${fromHere(index)} is damaged`, todo }];
}

/** Said only where servers of one's own are set that cannot be asked. */
function examineWeather(setting: Setting): Promise<Finding[]> {
  const { forecast_url, geocoding_url } = setting.config.services.weather ?? {};
  const refusals = Object.entries({ forecast_url, geocoding_url }).flatMap(([key, url]): Finding[] => {
    const why = refusalOf(url, setting);
    return why === undefined
      ? []
      : [{ about: "weather", status: "fail", message: `weather.${key} cannot be asked: ${why}` }];
  });
  return Promise.resolve(refusals);
}

async function examineMemory({ dir }: Setting): Promise<Finding[]> {
  const about = "memory";
  const file = join(dir, ".windlass", "memory.db");
  if (!(await exists(file))) return [{ about, status: "ok", message: "nothing yet; memory_store makes it" }];
  const store = openMemories({ file });
  try {
    const { memories } = await store.stats();
    const size = formatBytes((await stat(file)).size);
    return [
      { about, status: "ok", message: `${fromHere(file)}: ${formatCount(memories, "thing")} remembered, ${size}` },
    ];
  } finally {
    await store.close();
  }
}

async function examineSandbox(): Promise<Finding[]> {
  const about = "sandbox";
  const status = await checkSandbox();
  if (status.available) return [{ about, status: "ok", message: "test_runner can run tests" }];
  return [{ about, status: "off", message: "none; test_runner is not available", todo: status.message }];
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}
