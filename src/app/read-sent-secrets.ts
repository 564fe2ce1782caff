import { join } from "node:path";
import { type ChainSpec, parseChain } from "../chain/index.ts";
import { compileValue } from "../expr/index.ts";
import { type ScannedFile, readText, scanFolder } from "../hub/index.ts";
import { isRecord } from "../schema/index.ts";
import { parseYaml } from "../text/index.ts";
import { type SentSecret, entryReceiver, hostIn } from "../tool/index.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** The text of a chain, before it is planned. */
export interface ChainText {
  readonly text: string;
  readonly file: string;
}

/** The folders in which the tools and chains of a workspace are. */
export interface WorkspaceFolders {
  readonly dir: string;
  readonly config: Pick<WorkspaceConfig, "engine" | "chains" | "skills">;
}

/**
 * The secrets that chains pass to tools, each with its receiver: the host of an `http_request`, otherwise the tool or the
 * chain with the hosts that its file names. Secrets reach nothing but the parameters of calls.
 */
export async function readSentSecrets(
  chains: readonly ChainText[],
  folders: WorkspaceFolders,
): Promise<readonly SentSecret[]> {
  const sending = chains
    // A backslash may hide the word.
    .filter(({ text }) => /secret|\\/.test(text))
    .flatMap(({ text, file }) => callsIn(parseChain(text, { file }).spec))
    .map((call) => ({ call, names: secretsIn(call.params) }))
    .filter(({ names }) => names.length > 0);
  if (sending.length === 0) return [];
  const receivers = await readReceivers(folders);
  return sending.flatMap(({ call, names }) => names.map((name) => ({ name, to: receivers.of(call) })));
}

/** The texts of the chains in the folder of a workspace. */
export async function readChainTexts({ dir, config }: WorkspaceFolders): Promise<readonly ChainText[]> {
  return readTexts(join(dir, config.chains.directory), dir);
}

async function readTexts(folder: string, dir: string): Promise<ChainText[]> {
  const { files } = await scanFolder(folder, dir);
  const texts = await Promise.all(files.filter(({ kind, outside }) => kind === "yaml" && !outside).map(textOf));
  return texts.flatMap((text) => text ?? []);
}

async function textOf(file: ScannedFile): Promise<ChainText | undefined> {
  const read = await readText(file);
  return read.problem === undefined ? { text: read.source, file: file.name } : undefined;
}

/** A call that a step may make. */
interface Call {
  readonly tool: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

function callsIn(spec: ChainSpec | undefined): readonly Call[] {
  if (spec === undefined) return [];
  const ofSteps = spec.steps.flatMap(({ tool, params, error_handling: handling, compensate }) => [
    ...(tool === undefined ? [] : [{ tool, ...(params !== undefined && { params }) }]),
    ...(handling?.fallback ?? []),
    ...(compensate === undefined ? [] : [compensate]),
  ]);
  return [...ofSteps, ...(spec.error_handling?.fallback ?? [])];
}

/** Names of the secrets in parameters, read as a plan reads them. */
function secretsIn(params: unknown): string[] {
  const { references } = compileValue(params ?? {}, { missing: "drop" }).value;
  const names = references.flatMap(({ root, path: [name] }) => (root === "secret" ? [String(name)] : []));
  return [...new Set(names)];
}

/** The built-in tool whose receiver is known by its parameters. */
const requestTool = "http_request";

type File = Readonly<Record<string, unknown>>;

async function readReceivers(folders: WorkspaceFolders): Promise<Receivers> {
  const { dir, config } = folders;
  const tools = await Promise.all(toolFolders(config).map((folder) => readTexts(join(dir, folder), dir)));
  const files = tools.flat().map(({ text, file }) => parseYaml(text, { file }).value);
  const chains = await readChainTexts(folders);
  return new Receivers(
    files.filter(isRecord),
    chains.flatMap(({ text, file }) => parseChain(text, { file }).spec ?? []),
  );
}

/** Folders with tools: that of tools and, if the settings load them from there, that of skills. */
export function toolFolders({ engine, skills }: Pick<WorkspaceConfig, "engine" | "skills">): readonly string[] {
  return [engine.toolsDirectory, ...(skills.code === true ? [skills.directory] : [])];
}

/** Knows who gets what a call sends, as far as the files of the workspace state it. */
class Receivers {
  /** Two files may have the same name, and the first one may have errors: all of them count. */
  readonly #tools = new Map<string, File[]>();
  readonly #chains: ReadonlyMap<string, readonly ChainSpec[]>;

  constructor(tools: readonly File[], chains: readonly ChainSpec[]) {
    for (const file of tools) {
      const { name, aliases } = file;
      for (const each of [name, ...(Array.isArray(aliases) ? aliases : [])].map(String))
        this.#tools.set(each, [...(this.#tools.get(each) ?? []), file]);
    }
    this.#chains = Map.groupBy(chains, ({ name }) => name);
  }

  of(call: Call): string {
    const { tool } = call;
    const hosts = [...new Set(this.#hosts(call, new Set()))].sort();
    const isChain = this.#chains.has(tool);
    if (tool === requestTool && !isChain && !this.#tools.has(tool)) return hosts.join();
    const named = `the ${isChain ? "chain" : "tool"} ${tool}`;
    return hosts.length === 0 ? named : `${named} (${hosts.join(", ")})`;
  }

  #hosts({ tool, params }: Call, seen: Set<string>): readonly string[] {
    const chains = this.#chains.get(tool);
    if (chains !== undefined) {
      if (seen.has(tool)) return [];
      seen.add(tool);
      return chains.flatMap(callsIn).flatMap((call) => this.#hosts(call, seen));
    }
    // Any tool may serve a capability.
    const files = tool.startsWith("capability:") ? [...this.#tools.values()].flat() : this.#tools.get(tool);
    if (files !== undefined) return files.flatMap((file) => hostsOf(file, params));
    return tool === requestTool ? [hostIn(String(params?.["url"]))] : [];
  }
}

function hostsOf({ entry }: File, params: Call["params"]): readonly string[] {
  if (!isRecord(entry) || entry["type"] === "custom") return [];
  const receiver = entryReceiver(entry);
  if (entry["type"] !== "builtin") return receiver === undefined ? [] : [receiver];
  return entry["handler"] === requestTool ? [hostIn(String(params?.["url"]))] : [];
}
