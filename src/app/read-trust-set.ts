import { join } from "node:path";
import { builtinChains, builtinDefinitions, builtinToolNames } from "../builtin/index.ts";
import { type ScannedFile, hasMcpConfig, loadMcpConfig, readText, scanFolder } from "../hub/index.ts";
import { parseYaml } from "../text/index.ts";
import { type SentSecret, type ToolNeeds, ToolRegistry, toolNeeds } from "../tool/index.ts";
import type { ChainLibrarySource } from "../chain/index.ts";
import { chainNameIn } from "./chain-file.ts";
import { definedTriggers } from "./defined-triggers.ts";
import { type ChainText, readChainTexts, readSentSecrets, toolFolders } from "./read-sent-secrets.ts";
import type { Settings } from "./read-settings.ts";
import { wideSettings } from "./restrict-config.ts";
import {
  type TrustContext,
  type TrustItem,
  createTrustItem,
  dataItem,
  environmentItem,
  modelTrustItems,
  networkItem,
  secretItem,
  serverTrustItems,
  serviceSecrets,
  toolTrustItems,
  triggerItem,
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
  const chains = await readChainTexts(context);
  const chainSecrets = await readSentSecrets(chains, context);
  const items = [
    ...withFiles(needs.flatMap((each) => toolTrustItems(each, context))),
    ...(await serverItems(context)),
    ...[dataItem(dir)].flatMap((item) => item ?? []),
    ...Object.values(config.models).flatMap((model) => modelTrustItems(model, context)),
    ...serviceSecrets(config).map((sent) => secretItem(sent, context)),
    ...chainSecrets.map((sent) => secretItem(sent, context)),
    ...config.env.map(environmentItem),
    ...config.network.allow.map(networkItem),
    ...triggerItems(chains, config),
    ...wideSettings(config, dir).map(({ item }) => item),
    ...chains.flatMap(replacementItems),
  ];
  const idle = unsentSecrets(config, items).map((name) => secretItem({ name, to: "" }, context));
  return { items: sorted([...items, ...idle]), chainSecrets: bySecret(chainSecrets, context) };
}

function triggerItems(chains: readonly ChainText[], config: WorkspaceConfig): TrustItem[] {
  const library = new Map(chains.map(({ text, file }) => [chainNameIn(text, file) ?? file, { text, file }]));
  const source = (name: string): ChainLibrarySource | undefined => {
    const found = library.get(name);
    return found && { name, ...found };
  };
  return definedTriggers(config, { names: () => [...library.keys()], sourceOf: source }).map(triggerItem);
}

/** Needs of all files with tools. */
async function readNeeds({ dir, config }: TrustContext): Promise<ToolNeeds[]> {
  const scanned = await Promise.all(toolFolders(config).map((folder) => scanFolder(join(dir, folder), dir)));
  const needs = await Promise.all(scanned.flatMap(({ files }) => files).map(needsOf));
  return needs.flatMap((found) => found ?? []);
}

async function needsOf(file: ScannedFile): Promise<ToolNeeds | undefined> {
  if (file.outside) return undefined;
  if (file.kind === "code") return { module: file.path, secrets: [] };
  const text = await readText(file);
  if (text.problem !== undefined || !mayNeedTrust(text.source)) return undefined;
  return toolNeeds(parseYaml(text.source, { file: file.name }).value, file.path, loadBuiltins());
}

let words: RegExp | undefined;

/** False if the text of a tool file shows that it needs no trust. A backslash may hide any word. */
function mayNeedTrust(text: string): boolean {
  words ??= new RegExp(["command", "custom", "secret", "effect", "destructive", "\\\\", ...builtinToolNames].join("|"));
  return words.test(text);
}

let builtins: ToolRegistry | undefined;

/** The definitions of the built-in tools, which are not called. */
function loadBuiltins(): ToolRegistry {
  if (builtins !== undefined) return builtins;
  builtins = new ToolRegistry();
  builtins.offer(builtinDefinitions());
  return builtins;
}

/** A chain with the name of a built-in tool or chain, which the steps of other chains would call instead. */
export function replacementItems({ text, file }: ChainText): TrustItem[] {
  const name = chainNameIn(text, file);
  if (name === undefined || !isBuiltin(name)) return [];
  const message = `${name}: replaced by ${file} in the steps of chains`;
  return [createTrustItem("setting", [message], message)];
}

function isBuiltin(name: string): boolean {
  return builtinToolNames.includes(name) || builtinChains().some((chain) => chain.name === name);
}

/** The secrets that a chain sends. */
export async function sentSecretItems(chain: ChainText, context: TrustContext): Promise<TrustItem[]> {
  return (await readSentSecrets([chain], context)).map((sent) => secretItem(sent, context));
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
