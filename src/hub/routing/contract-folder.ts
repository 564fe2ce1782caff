import type { Problem } from "../../text/index.ts";
import { type FolderEvent, FolderEvents } from "../folder/folder-events.ts";
import { FolderRuns, type ReloadMode, noChange } from "../folder/folder-runs.ts";
import type { Contract } from "./contract.ts";
import type { Hub } from "./hub.ts";
import { type LoadedContracts, loadContracts } from "./load-contracts.ts";
import type { MappedTools } from "./unmatched-mappings.ts";

/** What a {@link ContractFolder} takes. */
export interface ContractFolderOptions {
  readonly dir: string;
  /** The workspace, in which everything has to lie. */
  readonly root: string;
  readonly hub: Pick<Hub, "setContracts" | keyof MappedTools>;
  readonly mode?: ReloadMode;
  /** Told of every file that cannot be used, whenever that changes. */
  readonly onEvent?: (event: FolderEvent) => void;
}

/** A folder of contracts, kept in step with a hub. An edit that does not work keeps the contract that did. */
export class ContractFolder {
  readonly #runs: FolderRuns;
  readonly #tools: MappedTools;
  #stamp = "";
  #contracts: readonly Contract[] = [];
  #problems: readonly Problem[] = [];
  #unmatched: LoadedContracts["unmatched"] = () => [];

  constructor({ dir, root, hub, mode, onEvent }: ContractFolderOptions) {
    const events = new FolderEvents({ source: "capabilities", onEvent });
    this.#tools = hub;
    this.#runs = new FolderRuns({
      dir,
      mode,
      run: async () => {
        const { contracts, problems, stamp, unmatched } = await loadContracts(dir, root);
        if (stamp === this.#stamp || this.#runs.signal.aborted) return noChange;
        this.#stamp = stamp;
        this.#problems = problems;
        this.#unmatched = unmatched;
        this.#contracts = keepGood(contracts, this.#contracts);
        hub.setContracts(this.#contracts);
        // Contracts are no tools: what is told of them is what is wrong.
        const errors = events.ended({ why: "load", change: noChange, problems, owners: new Map() });
        return { ...noChange, errors };
      },
    });
  }

  /** Loads the folder for the first time and starts looking for changes. */
  async load(): Promise<void> {
    await this.#runs.load();
  }

  /** Looks at the folder now. */
  async reload(): Promise<void> {
    await this.#runs.reload();
  }

  /** What is wrong with the files as they are now. */
  problems(): readonly Problem[] {
    return this.#problems;
  }

  /** Warnings about what the files say of tools that are not so. Worth a look where all tools could be loaded. */
  unmatched(): readonly Problem[] {
    return this.#unmatched(this.#tools);
  }

  /** Stops looking; the contracts stay. */
  close(): Promise<void> {
    return this.#runs.close();
  }
}

/** What is there now, with the last version that worked of each file that does not. */
function keepGood(now: readonly Contract[], before: readonly Contract[]): readonly Contract[] {
  const names = new Set(now.filter(({ broken }) => broken === undefined).map(({ name }) => name));
  return now.map((contract) => {
    const last = contract.broken === undefined ? undefined : before.find(({ file }) => file === contract.file);
    return last === undefined || names.has(last.name) ? contract : last;
  });
}
