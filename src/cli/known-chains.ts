import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { findWorkspace, readSettings } from "../app/index.ts";
import { builtinChains } from "../builtin/index.ts";
import { isRecord } from "../schema/index.ts";
import { parseYaml } from "../text/index.ts";

/** A chain as far as it is known without planning it. */
export interface KnownChain {
  readonly name: string;
  readonly about: string;
}

/** More files than this are not read while someone waits for a key. */
const mostFiles = 500;

/** The chains there are, read quickly: nothing of the workspace is run. */
export async function knownChains(from: string): Promise<KnownChain[]> {
  const dir = await findWorkspace(from);
  const { config } = await readSettings(dir);
  const folder = join(dir, config.chains.directory);
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files = names.filter((name) => /\.ya?ml$/i.test(name) && !/(?:^|[/\\])[._]/.test(name)).slice(0, mostFiles);
  const own = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8").then(chainIn, () => [])));
  const builtins = builtinChains().flatMap((source) => ("text" in source ? chainIn(source.text) : []));
  const byName = new Map([...builtins, ...own.flat()].map((chain) => [chain.name, chain]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function chainIn(text: string): KnownChain[] {
  const { value } = parseYaml(text, { file: "" });
  if (!isRecord(value) || typeof value["name"] !== "string") return [];
  return [{ name: value["name"], about: typeof value["description"] === "string" ? value["description"] : "" }];
}
