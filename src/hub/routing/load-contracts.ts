import { existsSync } from "node:fs";
import type { Problem } from "../../text/index.ts";
import { fileProblem, readText } from "../tool-folder/read-text.ts";
import { type ScannedFile, scanFolder } from "../tool-folder/scan-folder.ts";
import { builtInContracts } from "./built-in-contracts.ts";
import type { Contract } from "./contract.ts";
import type { ContractText, MappedTools } from "./unmatched-mappings.ts";
import { basename, extname } from "node:path";
import { failure } from "../../base/index.ts";
import { fromJsonSchema } from "../../schema/index.ts";
import type { ChooseReason } from "../hub-reasons.ts";
import { capabilityName } from "./derive-capabilities.ts";
import { kindOf } from "./tool-kind.ts";

/** The contracts of a folder, and the problems of its files. */
export interface LoadedContracts {
  /** One for each file. A file that cannot be used gives a broken contract, which reserves the name. */
  readonly contracts: readonly Contract[];
  readonly problems: readonly Problem[];
  /** The same as long as the files are. */
  readonly stamp: string;
  /** Warnings about mappings that match none of these tools, at the time of the call. */
  readonly unmatched: (tools: MappedTools) => readonly Problem[];
}

/**
 * Reads the files of a folder of capabilities, which need not be there; `root` is the workspace. A file that cannot be
 * used never stops the others. Never throws.
 *
 * @example
 * ```ts
 * const loaded = await loadContracts("my-workspace/capabilities", "my-workspace");
 * ```
 */
export async function loadContracts(dir: string, root: string): Promise<LoadedContracts> {
  if (!existsSync(dir)) return { contracts: [], problems: [], stamp: "", unmatched: () => [] };
  // Loaded only if there is such a folder.
  const { parseContract } = await import("./contract-file.ts");
  const { unmatchedMappings } = await import("./unmatched-mappings.ts");
  const { files, problems: skipped } = await scanFolder(dir, root);
  const problems: Problem[] = [...skipped];
  const good = new Map<string, Contract>();
  const broken = new Map<string, Contract>();
  const texts: ContractText[] = [];
  const known = builtInContracts();
  for (const scanned of files.filter(({ kind }) => kind === "yaml")) {
    const { source = "", problem } = await readContractText(scanned);
    const text = { file: scanned.name, source };
    texts.push(text);
    const parsed =
      problem === undefined ? parseContract(source, { ...text, known }) : { contract: undefined, problems: [problem] };
    problems.push(...parsed.problems);
    const contract = parsed.contract ?? createBrokenContract(text.file, text.source, parsed.problems, known);
    const other = good.get(contract.name);
    if (contract.broken !== undefined) broken.set(contract.name, contract);
    else if (other === undefined) good.set(contract.name, contract);
    else problems.push(duplicate(contract, other.file ?? ""));
  }
  const used = new Set([...good.values()].map(({ file }) => file));
  return {
    contracts: [...new Map([...broken, ...good]).values()],
    problems,
    stamp: JSON.stringify([texts, problems]),
    unmatched: (tools) => texts.filter(({ file }) => used.has(file)).flatMap((text) => unmatchedMappings(text, tools)),
  };
}

function readContractText(
  file: ScannedFile,
): Promise<Partial<ContractText> & { readonly problem?: Problem | undefined }> {
  if (!file.outside) return readText(file);
  const message = "the file is a link that leads out of the workspace";
  return Promise.resolve({ problem: fileProblem(file.name, "outside_workspace", message) });
}

function duplicate({ name, file = "" }: Contract, owner: string): Problem {
  const message = `the capability "${name}" is already described in ${owner}`;
  return { ...fileProblem(file, "duplicate_capability", message), hint: "put both into one file" };
}

/**
 * A contract that reserves the names of one whose file cannot be used: calls are refused with the reason, and no tool
 * is called with unmapped arguments.
 */
function createBrokenContract(
  file: string,
  source: string,
  problems: readonly Problem[],
  known: ReadonlyMap<string, Contract>,
): Contract {
  const name = capabilityName(nameIn(source) ?? basename(file, extname(file)));
  const base = known.get(name);
  const first = problems.find(({ severity }) => severity === "error");
  const where = first === undefined ? file : `${first.file}:${first.line}:${first.column}: ${first.message}`;
  const aliases = aliasesIn(source).map(capabilityName);
  return {
    description: `Cannot be used: ${file} is not in order.`,
    kind: kindOf([name, ...aliases]),
    input: fromJsonSchema({ type: "object" }),
    tools: [],
    ...base,
    name,
    aliases: [...new Set([...(base?.aliases ?? []), ...aliases])],
    file,
    broken: failure("not_available", `capability:${name} cannot be used: ${where}`, {
      reason: "broken_contract" satisfies ChooseReason,
      retry: "never",
      forModel: `Nothing can serve capability:${name} at present. Use another tool.`,
    }),
  };
}

/** The name in a text that may be invalid YAML, if it can be found. */
function nameIn(source: string): string | undefined {
  return /^name:[ \t]*(["']?)([^"'#\s{}[\]:]+)\1[ \t]*(?:#.*)?$/m.exec(source)?.[2];
}

function aliasesIn(source: string): readonly string[] {
  const list = /^aliases:[ \t]*(?:\[([^\]\n]*)\]|((?:\n[ \t]*-[ \t]+\S.*)+))/m.exec(source);
  const parts = list?.[1]?.split(",") ?? list?.[2]?.split(/\n[ \t]*-[ \t]+/) ?? [];
  return parts.map((part) => part.replaceAll(/^["'\s]+|["'\s]+$/g, "")).filter((part) => part !== "");
}
