import { existsSync } from "node:fs";
import type { Problem } from "../../text/index.ts";
import { fileProblem, readText } from "../folder/read-text.ts";
import { type ScannedFile, scanFolder } from "../folder/scan-folder.ts";
import { builtInContracts } from "./built-in-contracts.ts";
import type { Contract } from "./contract.ts";
import type { MappedTools } from "./unmatched-mappings.ts";

/** The contracts of a folder, and what is wrong with its files. */
export interface LoadedContracts {
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
  const byName = new Map<string, Contract>();
  const texts: { readonly file: string; readonly source: string }[] = [];
  for (const file of files.filter(({ kind }) => kind === "yaml")) {
    const text = await textOf(file);
    if (text.problem !== undefined) {
      problems.push(text.problem);
      continue;
    }
    texts.push({ file: file.name, source: text.source });
    const { contract, problems: found } = parseContract(text.source, { file: file.name, known: builtInContracts() });
    problems.push(...found);
    if (contract === undefined) continue;
    const other = byName.get(contract.name);
    if (other === undefined) byName.set(contract.name, contract);
    else problems.push(duplicate(contract, other.file ?? ""));
  }
  const used = texts.filter(({ file }) => [...byName.values()].some((contract) => contract.file === file));
  return {
    contracts: [...byName.values()],
    problems,
    stamp: JSON.stringify([texts, problems]),
    unmatched: (tools) => used.flatMap((text) => unmatchedMappings(text, tools)),
  };
}

function textOf(file: ScannedFile) {
  if (!file.outside) return readText(file);
  const message = "the file is a link that leads out of the workspace";
  return Promise.resolve({ problem: fileProblem(file.name, "outside_workspace", message) });
}

function duplicate({ name, file = "" }: Contract, owner: string): Problem {
  const message = `the capability "${name}" is already described in ${owner}`;
  return { ...fileProblem(file, "duplicate_capability", message), hint: "put both into one file" };
}
