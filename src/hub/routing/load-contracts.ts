import { existsSync } from "node:fs";
import type { Problem } from "../../text/index.ts";
import { fileProblem, readText } from "../folder/read-text.ts";
import { type ScannedFile, scanFolder } from "../folder/scan-folder.ts";
import { brokenContract } from "./broken-contract.ts";
import { builtInContracts } from "./built-in-contracts.ts";
import type { Contract } from "./contract.ts";
import type { ContractText, MappedTools } from "./unmatched-mappings.ts";

/** The contracts of a folder, and what is wrong with its files. */
export interface LoadedContracts {
  /** One for each file: of a file that cannot be used, one that is broken and keeps the name. */
  readonly contracts: readonly Contract[];
  readonly problems: readonly Problem[];
  /** The same as long as the files are. */
  readonly stamp: string;
  /** Warnings about mappings that fit none of these tools, as they are when it is called. */
  readonly unmatched: (tools: MappedTools) => readonly Problem[];
}

/**
 * Reads the files of a folder of capabilities, which need not be there; `root` is the workspace. A file that cannot be
 * used never stops the others. Never throws.
 */
export async function loadContracts(dir: string, root: string): Promise<LoadedContracts> {
  if (!existsSync(dir)) return { contracts: [], problems: [], stamp: "", unmatched: () => [] };
  // Loaded only where there is such a folder.
  const { parseContract } = await import("./contract-file.ts");
  const { unmatchedMappings } = await import("./unmatched-mappings.ts");
  const { files, problems: skipped } = await scanFolder(dir, root);
  const problems: Problem[] = [...skipped];
  const good = new Map<string, Contract>();
  const broken = new Map<string, Contract>();
  const texts: ContractText[] = [];
  const known = builtInContracts();
  for (const scanned of files.filter(({ kind }) => kind === "yaml")) {
    const { source = "", problem } = await textOf(scanned);
    const text = { file: scanned.name, source };
    texts.push(text);
    const parsed =
      problem === undefined ? parseContract(source, { ...text, known }) : { contract: undefined, problems: [problem] };
    problems.push(...parsed.problems);
    const contract = parsed.contract ?? brokenContract(text, { ...parsed, known });
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

function textOf(file: ScannedFile): Promise<Partial<ContractText> & { readonly problem?: Problem | undefined }> {
  if (!file.outside) return readText(file);
  const message = "the file is a link that leads out of the workspace";
  return Promise.resolve({ problem: fileProblem(file.name, "outside_workspace", message) });
}

function duplicate({ name, file = "" }: Contract, owner: string): Problem {
  const message = `the capability "${name}" is already described in ${owner}`;
  return { ...fileProblem(file, "duplicate_capability", message), hint: "put both into one file" };
}
