import { readFileSync, realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Failure, type FailureError, cliCommand, errorMessage, isInsideFolder, orElse } from "../base/index.ts";
import type { Trigger } from "../chain/index.ts";
import type { McpServer } from "../hub/index.ts";
import { type RefuseTarget, parseAllowList } from "../net/index.ts";
import type { RefuseNeeds } from "../tool/index.ts";
import { workspaceFile } from "./find-workspace.ts";
import type { ReadSecrets } from "./read-secrets.ts";
import type { Settings } from "./read-settings.ts";
import type { ChainText } from "./read-sent-secrets.ts";
import { type TrustSet, readTrustSet, replacementItems, sentSecretItems } from "./read-trust-set.ts";
import { restrictConfig, untrustedModels } from "./restrict-config.ts";
import {
  type TrustItem,
  environmentItem,
  networkItem,
  serverTrustItems,
  toolTrustItems,
  triggerItem,
} from "./trust-item.ts";
import { trustFailure } from "./trust-reasons.ts";
import { type TrustDecision, readTrustDecision, storeTrustDecision } from "./trust-store.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A workspace that would execute or send more than the user trusts. */
export interface TrustRequest {
  readonly dir: string;
  /** Everything that needs trust. */
  readonly items: readonly TrustItem[];
  /** Those of the items that the user has not decided on. */
  readonly undecided: readonly TrustItem[];
}

/** Options about the trust in a workspace. */
export interface TrustOptions {
  /**
   * `"stored"`: use only the parts of the workspace that the user has trusted with `windlass trust`; for programs that
   * open folders of others. Default: use all of it, as `import()` would.
   */
  readonly trust?: "stored";
  /** With `"stored"`: called once for parts without a decision; true trusts them from now on. */
  readonly requestTrust?: (request: TrustRequest) => Promise<boolean>;
}

/** The parts of a workspace that are used. */
export interface WorkspaceTrust {
  /** Parts that are not used. */
  readonly untrusted: readonly TrustItem[];
  /** The settings that apply. */
  readonly config: WorkspaceConfig;
  /** False if nothing is read from and written to the data folder of the workspace. */
  readonly usesData: boolean;
  /** Models of the settings that are not used, by name. */
  readonly withheldModels: ReadonlyMap<string, FailureError>;
  /** Why a tool is not used; undefined if every tool is. */
  readonly refuses: RefuseNeeds | undefined;
  /** Why a server is not used; undefined if every server is. */
  readonly refusesServer: ((server: McpServer) => FailureError | undefined) | undefined;
  /** Why a private address of the settings is not used; undefined if every one is. */
  readonly refusesAddress: RefuseTarget | undefined;
  /** Why a trigger does not fire; undefined if it does. */
  refusesTrigger(trigger: Trigger): FailureError | undefined;
  /** The variables that chains may read. */
  chainEnv(env: Environment): Environment;
  /** Returns why a chain is not used; undefined if it is. */
  refusesChain(chain: ChainText, check: ChainCheck): Promise<FailureError | undefined>;
  /** The secrets that may be used, by services or by calls. */
  secrets(found: ReadSecrets, by: "services" | "calls"): ReadSecrets;
}

/**
 * The checked parts of a chain: its name, if it is one of those that the workspace was opened with; also the receivers of
 * its secrets, if it appears later; only the receivers, after a prompt, if it is in another folder.
 */
export type ChainCheck = "name" | "name-and-secrets" | "secrets-with-prompt";

/** The folder and settings of a workspace. */
export interface TrustSubject {
  readonly dir: string;
  readonly settings: Settings;
  readonly env: Environment;
}

/** Decides which parts of a workspace are used. Reads its files, and executes nothing. */
export async function openTrust(subject: TrustSubject, { trust, requestTrust }: TrustOptions): Promise<WorkspaceTrust> {
  if (trust !== "stored" || (await isPackageExample(subject.dir))) return trustAll(subject);
  const set = await readTrustSet(subject.dir, subject.settings);
  const decision = await readDecision(subject, set.items);
  if (requestTrust === undefined) return trustStored(subject, set, { trusted: decision.trusted });
  const trusted = await decide(subject, set.items, { decision, requestTrust });
  const prompt = async (more: readonly TrustItem[]): Promise<void> => {
    const by = { decision: await readDecision(subject, set.items), requestTrust };
    for (const id of await decide(subject, [...set.items, ...more], by)) trusted.add(id);
  };
  return trustStored(subject, set, { trusted, prompt });
}

/** The stored decision. Data that a workspace had before data was checked is trusted with it. */
async function readDecision({ dir, env }: TrustSubject, items: readonly TrustItem[]): Promise<TrustDecision> {
  const decision = await readTrustDecision(dir, env);
  if (decision.isBeforeData !== true) return decision;
  const data = items.filter(({ kind }) => kind === "data").map(({ id }) => id);
  return { ...decision, trusted: new Set([...decision.trusted, ...data]) };
}

/** Everything in the workspace that needs trust, and the decision of the user. */
export async function reviewTrust(
  subject: TrustSubject,
): Promise<{ readonly items: readonly TrustItem[]; readonly decision: TrustDecision }> {
  const { items } = await readTrustSet(subject.dir, subject.settings);
  return { items, decision: await readDecision(subject, items) };
}

/** Trusts these parts of the workspace, and no others. */
export async function grantTrust(subject: TrustSubject, items: readonly TrustItem[]): Promise<void> {
  const trusted = new Set(items.map(({ id }) => id));
  await storeTrustDecision(subject.dir, subject.env, { trusted, declined: new Set() });
}

/** Requests trust in the parts without a decision, and stores the answer. */
async function decide(
  subject: TrustSubject,
  items: readonly TrustItem[],
  by: { readonly decision: TrustDecision; readonly requestTrust: NonNullable<TrustOptions["requestTrust"]> },
): Promise<Set<string>> {
  const trusted = new Set(by.decision.trusted);
  const undecided = items.filter(({ id }) => !trusted.has(id) && !by.decision.declined.has(id));
  if (undecided.length === 0) return trusted;
  const all = new Set(items.map(({ id }) => id));
  if (await by.requestTrust({ dir: subject.dir, items, undecided })) {
    await grantTrust(subject, items).catch(warnUnstored);
    return all;
  }
  const others = [...all].filter((id) => !trusted.has(id));
  await storeTrustDecision(subject.dir, subject.env, { trusted, declined: new Set(others) }).catch(warnUnstored);
  return trusted;
}

/** The answer still applies to this process. */
function warnUnstored(error: unknown): void {
  process.emitWarning(`the trust in the workspace: ${errorMessage(error)}`, { type: "WindlassTrustWarning" });
}

/** The examples of this package are trusted like its code. */
async function isPackageExample(dir: string): Promise<boolean> {
  const root = packageRoot();
  return root !== undefined && isInsideFolder(await realpath(dir).catch(() => dir), join(root, "examples"));
}

/** The real path of the folder of this package; undefined if it is bundled. */
export function packageRoot(): string | undefined {
  for (let folder = new URL(".", import.meta.url); ; folder = new URL("..", folder)) {
    if (isOwnPackage(new URL("package.json", folder))) return realpathSync(fileURLToPath(folder));
    if (folder.href === new URL("..", folder).href) return undefined;
  }
}

function isOwnPackage(url: URL): boolean {
  // A package.json is an object; any other value has no name.
  return orElse(() => (JSON.parse(readFileSync(url, "utf8")) as { name?: unknown }).name === "windlass", false);
}

function trustAll({ dir, settings }: TrustSubject): WorkspaceTrust {
  const refuses: RefuseNeeds = ({ module }) =>
    module === undefined ? undefined : codeWithoutSettings(relative(dir, module));
  return {
    untrusted: [],
    config: settings.config,
    usesData: true,
    withheldModels: new Map(),
    refuses: settings.source === undefined ? refuses : undefined,
    refusesServer: undefined,
    refusesAddress: undefined,
    refusesTrigger: () => undefined,
    chainEnv: (env) => env,
    refusesChain: () => Promise.resolve(undefined),
    secrets: (found) => found,
  };
}

function trustStored(
  { dir, settings }: TrustSubject,
  { items, chainSecrets }: TrustSet,
  { trusted, prompt }: { trusted: ReadonlySet<string>; prompt?: (more: readonly TrustItem[]) => Promise<void> },
): WorkspaceTrust {
  const { config, source } = settings;
  const context = { dir, config };
  const isTrusted = ({ id }: TrustItem): boolean => trusted.has(id);
  const untrusted = items.filter((item) => !isTrusted(item));
  const untrustedData = untrusted.find(({ kind }) => kind === "data");
  return {
    untrusted,
    config: restrictConfig(config, isTrusted, dir),
    usesData: untrustedData === undefined,
    withheldModels: new Map(
      untrustedModels(config, isTrusted).map((name) => [name, notTrusted(`the model "${name}"`)]),
    ),
    refuses: (needs) => {
      const { module } = needs;
      if (module !== undefined && source === undefined) return codeWithoutSettings(relative(dir, module));
      const missing = toolTrustItems(needs, context).find((item) => !isTrusted(item));
      return missing === undefined ? undefined : untrustedItem(missing).toFailure();
    },
    refusesServer: (server) => {
      // The data holds the approvals of servers.
      if (untrustedData !== undefined) return untrustedItem(untrustedData);
      const isUsed = serverTrustItems(server, context).every(isTrusted);
      return isUsed ? undefined : notTrusted(`the MCP server "${server.name}"`);
    },
    refusesChain: async (chain, check) => {
      const sent = check === "name" ? [] : await sentSecretItems(chain, context);
      const checked = check === "secrets-with-prompt" ? sent : [...replacementItems(chain), ...sent];
      if (check === "secrets-with-prompt" && !sent.every(isTrusted)) await prompt?.(sent);
      const missing = checked.find((item) => !isTrusted(item));
      return missing && untrustedItem(missing);
    },
    refusesAddress: refuseAddresses(config.network.allow.filter((entry) => !isTrusted(networkItem(entry)))),
    refusesTrigger: (trigger) => {
      const item = triggerItem(trigger);
      return isTrusted(item) ? undefined : untrustedItem(item);
    },
    chainEnv: (env) => {
      const withheld = new Set(config.env.filter((name) => !isTrusted(environmentItem(name))));
      return Object.fromEntries(Object.entries(env).filter(([name]) => !withheld.has(name)));
    },
    secrets: (found, by) => {
      const isUsed = (name: string): boolean =>
        items.some((item) => item.secret === name && isTrusted(item)) &&
        (by === "services" || (chainSecrets.get(name) ?? []).every(isTrusted));
      return withoutSecrets(found, (name) => !isUsed(name));
    },
  };
}

/** Refuses private addresses that the settings open, and that are not trusted. */
function refuseAddresses(entries: readonly string[]): RefuseTarget | undefined {
  if (entries.length === 0) return undefined;
  const withheld = parseAllowList(entries);
  return ({ host, port }) =>
    withheld.opensHost(host, port) ? notTrusted(`the private address ${host}:${port}`) : undefined;
}

function withoutSecrets({ values, missing }: ReadSecrets, isWithheld: (name: string) => boolean): ReadSecrets {
  const [withheld, used] = [true, false].map((is) =>
    Object.entries(values).filter(([name]) => isWithheld(name) === is),
  ) as [[string, string][], [string, string][]];
  return {
    values: Object.fromEntries(used),
    missing: [...missing, ...withheld.map(([name]) => ({ name, why: `it is not trusted yet; ${howToTrust()}` }))],
  };
}

/** Advice for the user. */
const howToTrust = (): string => `review the workspace with \`${cliCommand("trust")}\``;

/** Names of the kinds in messages. */
const kindNames: Readonly<Record<TrustItem["kind"], string>> = {
  code: "the code",
  command: "the command",
  server: "the MCP server",
  data: "the data folder",
  secret: "the secret",
  environment: "the environment variable",
  model: "the model at",
  network: "the private address",
  trigger: "the trigger",
  setting: "the setting",
};

function untrustedItem({ kind, text }: TrustItem): FailureError {
  return notTrusted(`${kindNames[kind]} ${text.slice(0, 300)}`);
}

const forModel = "this cannot be used here; continue without it";

function notTrusted(part: string): FailureError {
  return trustFailure("not_trusted", `not trusted: ${part}; ${howToTrust()}`, { forModel });
}

function codeWithoutSettings(file: string): Failure {
  const message = `${file} is not loaded: a folder without ${workspaceFile} runs no code; create the file, even an empty one`;
  return trustFailure("not_trusted", message, { forModel }).toFailure();
}
