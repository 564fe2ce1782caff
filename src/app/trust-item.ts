import { statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { canonicalJson, isInsideFolder, isOwnDataFolder, nodeCrypto } from "../base/index.ts";
import type { Trigger } from "../chain/index.ts";
import { type McpServer, displayedValue, formatCommand, secretsInTexts } from "../hub/index.ts";
import { type ModelSettingsFile, defaultBaseUrls, secretName } from "../model/index.ts";
import { showUnsafe } from "../text/index.ts";
import { type NeededCommand, type SentSecret, type ToolNeeds, hostIn } from "../tool/index.ts";
import { folderOutside } from "./folder-outside.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/**
 * Kinds of parts of a workspace that need trust: code that is imported, commands, MCP servers, data that was not
 * created here, secrets with their receivers, environment variables that chains read, models, private addresses, triggers,
 * and settings wider than the default.
 */
export const trustKinds = [
  "code",
  "command",
  "server",
  "data",
  "secret",
  "environment",
  "model",
  "network",
  "trigger",
  "setting",
] as const;

/** One of the {@link trustKinds}. */
export type TrustKind = (typeof trustKinds)[number];

/** A part of a workspace that is used only if the user trusts it. */
export interface TrustItem {
  readonly kind: TrustKind;
  /** Digest of the part: the same id needs no further trust. */
  readonly id: string;
  /** Description for people; may contain any characters of the workspace's files. */
  readonly text: string;
  /** Name of the secret, if it is one. */
  readonly secret?: string;
}

/** The folders and secrets of a workspace. */
export interface TrustContext {
  readonly dir: string;
  readonly config: Pick<WorkspaceConfig, "engine" | "chains" | "skills" | "secrets">;
}

/** Creates an item; `parts` identify it. */
export function createTrustItem(kind: TrustKind, parts: readonly unknown[], text: string): TrustItem {
  const id = nodeCrypto()
    .createHash("sha256")
    .update(canonicalJson([kind, ...parts]))
    .digest("hex");
  return { kind, id, text };
}

/** The items of a tool file, or of a file with code. */
export function toolTrustItems({ module, command, ...needs }: ToolNeeds, context: TrustContext): TrustItem[] {
  const { secrets, relaxed, hides } = needs;
  return [
    ...(module === undefined ? [] : [codeItem(module, context)]),
    ...(command === undefined ? [] : [commandItem(command)]),
    ...[relaxed, hides].flatMap((text) => (text === undefined ? [] : [createTrustItem("setting", [text], text)])),
    ...secrets.map((sent) => secretItem(sent, context)),
  ];
}

/** The environment, the folder and the input decide what a program does as much as its arguments. */
function commandItem({ words, ...how }: NeededCommand): TrustItem {
  const { env, cwd, stdin } = how;
  const isPlain = Object.keys(env).length === 0 && cwd === undefined && stdin === undefined;
  const details = [
    ...(cwd === undefined ? [] : [`in ${formatCommand(cwd, [])}`]),
    ...Object.entries(env).map(([name, value]) => `with ${formatVariable(name, displayedValue(name, value))}`),
    ...(stdin === undefined ? [] : [`input ${formatCommand(stdin, [])}`]),
  ];
  const [program = "", ...args] = words;
  const text = `${formatCommand(program, args)}${inBrackets(details)}`;
  return createTrustItem("command", isPlain ? words : [...words, how], text);
}

function formatVariable(name: string, value: string): string {
  return `${showUnsafe(name)}=${formatCommand(value, [])}`;
}

/** Words of a command with brackets are quoted, so that they cannot pass for these. */
function inBrackets(details: readonly string[]): string {
  return details.length === 0 ? "" : ` (${details.join(", ")})`;
}

/**
 * Trust in the code of a folder covers files that are added later: a trusted file may change into anything, so another
 * file adds no risk.
 */
function codeItem(path: string, { dir, config }: TrustContext): TrustItem {
  const folders = [config.engine.toolsDirectory, config.skills.directory];
  const file = relative(dir, path).split(sep).join("/");
  const folder = folders.find((name) => isInsideFolder(path, resolve(dir, name)));
  return createTrustItem("code", [folder === undefined ? file : `${folder}/`], file);
}

/** A secret, its source, and its receiver; a secret without a receiver has an empty one. */
export function secretItem({ name, to }: SentSecret, { config }: Pick<TrustContext, "config">): TrustItem {
  const source = Object.hasOwn(config.secrets, name) ? config.secrets[name] : undefined;
  const value = source === undefined ? name : "env" in source ? source.env : `the file ${source.file}`;
  const alias = source !== undefined && "env" in source && source.env !== name ? ` (as ${name})` : "";
  const receiver = to === "" ? "" : ` to ${to}`;
  const text = `${value}${alias}${receiver}`;
  return { ...createTrustItem("secret", [name, source ?? null, to], text), secret: name };
}

/** The items of a server, which was read without the values of secrets. */
export function serverTrustItems(server: McpServer, context: TrustContext): TrustItem[] {
  const { name, address, display, identity, trust, effects, parts } = server;
  // The values of headers are not part of the identity.
  const headers = address.kind === "http" ? { ...address.headers, ...address.oauth } : {};
  const to = address.kind === "http" ? hostIn(address.url) : `the MCP server ${name}`;
  const variables = address.kind === "http" ? { ...headers, url: address.url } : address.env;
  const stated = [
    ...parts.flatMap(detailOf),
    ...(trust === "all" ? ["every change of its tools accepted"] : []),
    ...Object.entries(effects).map(([tool, effect]) => `${formatCommand(tool, [])} taken as ${effect}`),
  ];
  const text = `${name}: ${display}${inBrackets(stated)}`;
  const own = createTrustItem("server", [identity, headers, trust, effects], text);
  return [own, ...secretsInTexts([variables, display]).map((secret) => secretItem({ name: secret, to }, context))];
}

/** The folder and the variables of a program; its command line is shown anyway. */
function detailOf({ name, shown }: McpServer["parts"][number]): string[] {
  if (name === "cwd") return [`in ${formatCommand(shown, [])}`];
  return name.startsWith("env.") ? [`with ${formatVariable(name.slice("env.".length), shown)}`] : [];
}

/** The items of a model: its server, and the key that the settings send there. */
export function modelTrustItems(settings: ModelSettingsFile, context: Pick<TrustContext, "config">): TrustItem[] {
  const { provider = "openai-compatible", base_url, api_key } = settings;
  const url = base_url ?? defaultBaseUrls[provider];
  const to = url === undefined ? "the model server of the environment" : hostIn(url);
  const own = createTrustItem("model", [to], to);
  return api_key === undefined ? [own] : [own, secretItem({ name: secretName(api_key), to }, context)];
}

/** Keys of the services behind built-in tools, and their hosts. */
export function serviceSecrets({ weather, search }: Pick<WorkspaceConfig, "weather" | "search">): SentSecret[] {
  const brave = search.brave_api_key;
  const key = weather.apiKey;
  const hosts = [weather.forecastUrl, weather.geocodingUrl].map((url) =>
    url === undefined ? "open-meteo.com" : hostIn(url),
  );
  return [
    ...(brave === undefined ? [] : [{ name: secretName(brave), to: "api.search.brave.com" }]),
    ...(key === undefined ? [] : [...new Set(hosts)].map((to) => ({ name: secretName(key), to }))),
  ];
}

/** The item of a data folder that was not created here, or that a link leads to: its runs and approvals are not the user's. */
export function dataItem(dir: string): TrustItem | undefined {
  const data = join(dir, dataFolder);
  const outside = folderOutside(data, dir);
  if (outside === undefined && isOwnDataFolder(data)) return undefined;
  const { ino, birthtimeNs } = statSync(data, { bigint: true, throwIfNoEntry: false }) ?? {};
  const how = outside === undefined ? "which was not created here" : `which leads to ${outside}`;
  return createTrustItem("data", [outside ?? null, `${ino}.${birthtimeNs}`], `${dataFolder}, ${how}`);
}

const dataFolder = ".windlass";

/** The item of a trigger: it starts runs without a person. */
export function triggerItem({ chain, kind, expression }: Pick<Trigger, "chain" | "kind" | "expression">): TrustItem {
  return createTrustItem("trigger", [chain, kind, expression], `${chain}: ${kind} ${formatCommand(expression, [])}`);
}

/** The item of an environment variable that chains may read. */
export function environmentItem(name: string): TrustItem {
  return createTrustItem("environment", [name], name);
}

/** The item of a private address that tools may reach. */
export function networkItem(address: string): TrustItem {
  return createTrustItem("network", [address], address);
}
