import { join } from "node:path";
import { type ScannedFile, hasMcpConfig, loadMcpConfig, readText, scanFolder } from "../hub/index.ts";
import { isYamlMap } from "../schema/index.ts";
import { parseYaml } from "../text/index.ts";
import { type SentSecret, type ToolNeeds, hostIn, secretsIn, toolNeeds } from "../tool/index.ts";
import type { Settings } from "./read-settings.ts";
import { settingItems } from "./restrict-config.ts";
import {
  type TrustContext,
  type TrustItem,
  environmentItem,
  modelTrustItems,
  networkItem,
  secretItem,
  serverTrustItems,
  serviceSecrets,
  toolTrustItems,
  trustKinds,
} from "./trust-item.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** Everything in a workspace that needs trust. */
export interface TrustSet {
  /** Each once, in the order in which they are shown. */
  readonly items: readonly TrustItem[];
  /** Receivers of secrets in chains: their steps are not checked one by one. */
  readonly chainSecrets: ReadonlyMap<string, readonly TrustItem[]>;
}

/** Reads what a workspace would execute and send. Reads its files only; nothing is executed. */
export async function readTrustSet(dir: string, { config, source }: Settings): Promise<TrustSet> {
  const context = { dir, config };
  // Without settings no code is loaded.
  const needs = (await readNeeds(context)).filter(({ module }) => module === undefined || source !== undefined);
  const chainSecrets = await readChainSecrets(context);
  const items = [
    ...withFiles(needs.flatMap((each) => toolTrustItems(each, context))),
    ...(await serverItems(context)),
    ...Object.values(config.models).flatMap((model) => modelTrustItems(model, context)),
    ...serviceSecrets(config).map((sent) => secretItem(sent, context)),
    ...chainSecrets.map((sent) => secretItem(sent, context)),
    ...config.env.map(environmentItem),
    ...config.network.allow.map(networkItem),
    ...settingItems(config),
  ];
  const idle = unsentSecrets(config, items).map((name) => secretItem({ name, to: "" }, context));
  return { items: sorted([...items, ...idle]), chainSecrets: bySecret(chainSecrets, context) };
}

/** Needs of all files with tools: those of the tools folder and, if the settings load them, of the skills folder. */
async function readNeeds(context: TrustContext): Promise<ToolNeeds[]> {
  const { dir, config } = context;
  const folders = [config.engine.toolsDirectory, ...(config.skills.code === true ? [config.skills.directory] : [])];
  const scanned = await Promise.all(folders.map((folder) => scanFolder(join(dir, folder), dir)));
  const needs = await Promise.all(scanned.flatMap(({ files }) => files).map(needsOf));
  return needs.flatMap((found) => found ?? []);
}

async function needsOf(file: ScannedFile): Promise<ToolNeeds | undefined> {
  if (file.outside) return undefined;
  if (file.kind === "code") return { module: file.path, secrets: [] };
  const value = await readYaml(file, /command|custom|secret/);
  return value === undefined ? undefined : toolNeeds(value, file.path);
}

/** The value of a YAML file, if its text contains this; a backslash may hide it. */
async function readYaml(file: ScannedFile, words: RegExp): Promise<unknown> {
  const text = await readText(file);
  if (text.problem !== undefined || !(words.test(text.source) || text.source.includes("\\"))) return undefined;
  return parseYaml(text.source, { file: file.name }).value;
}

/** Secrets in the steps of chains: for an address in the step its host, otherwise its tool. */
async function readChainSecrets({ dir, config }: TrustContext & { config: WorkspaceConfig }): Promise<SentSecret[]> {
  const { files } = await scanFolder(join(dir, config.chains.directory), dir);
  const chains = files.filter(({ kind, outside }) => kind === "yaml" && !outside);
  const values = await Promise.all(chains.map((file) => readYaml(file, /secret/)));
  return values.flatMap((value) => {
    const steps = isYamlMap(value) ? value["steps"] : undefined;
    const parts: readonly unknown[] = Array.isArray(steps) ? [...steps, without(value, "steps")] : [value];
    return parts.flatMap((part) => secretsIn(part).map((name) => ({ name, to: receiverIn(part) })));
  });
}

function without(value: unknown, key: string): unknown {
  return isYamlMap(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)) : value;
}

function receiverIn(step: unknown): string {
  const { tool, params } = isYamlMap(step) ? step : {};
  const url = isYamlMap(params) ? params["url"] : undefined;
  if (typeof url === "string") return hostIn(url);
  return typeof tool === "string" ? `the tool ${tool}` : "a step of a chain";
}

function bySecret(sent: readonly SentSecret[], context: TrustContext): ReadonlyMap<string, readonly TrustItem[]> {
  const groups = Map.groupBy(sent, ({ name }) => name);
  return new Map([...groups].map(([name, all]) => [name, all.map((each) => secretItem(each, context))]));
}

async function serverItems(context: TrustContext & { config: WorkspaceConfig }): Promise<TrustItem[]> {
  const { dir, config } = context;
  if (!hasMcpConfig(dir)) return [];
  const { readMcpConfig } = await loadMcpConfig();
  const { servers } = readMcpConfig({
    dir,
    env: {},
    allowedEnv: config.env,
    secrets: { get: () => undefined },
    secretNames: Object.keys(config.secrets),
    withheld: true,
  });
  return servers.flatMap((server) => serverTrustItems(server, context));
}

/** Secrets that no file sends anywhere: code may, and so may a chain that is run by its path. */
function unsentSecrets({ secrets }: WorkspaceConfig, items: readonly TrustItem[]): string[] {
  const sent = new Set(items.map(({ secret }) => secret));
  return Object.keys(secrets).filter((name) => !sent.has(name));
}

/** One item for each folder with code, which names its files. */
function withFiles(items: readonly TrustItem[]): TrustItem[] {
  return [...Map.groupBy(items, ({ id }) => id).values()].flatMap(([first, ...more]) =>
    first === undefined ? [] : [{ ...first, text: [...new Set([first, ...more].map(({ text }) => text))].join(", ") }],
  );
}

/** Each once, by kind. */
function sorted(items: readonly TrustItem[]): TrustItem[] {
  const once = [...new Map(items.map((item) => [item.id, item])).values()];
  return once.toSorted((a, b) => trustKinds.indexOf(a.kind) - trustKinds.indexOf(b.kind));
}
