import type { Problem } from "../../text/index.ts";
import { type ToolFolderEvent, FolderEventEmitter } from "../tool-folder/folder-event-emitter.ts";
import { FolderReloader, type ReloadMode, noChange } from "../tool-folder/folder-reloader.ts";
import type { Contract } from "./contract.ts";
import type { Hub } from "./hub.ts";
import { type LoadedContracts, loadContracts } from "./load-contracts.ts";
import type { MappedTools } from "./unmatched-mappings.ts";

/** Options of {@link ContractFolder}. */
export interface ContractFolderOptions {
  readonly dir: string;
  /** The workspace, in which everything has to lie. */
  readonly root: string;
  readonly hub: Pick<Hub, "setContracts" | keyof MappedTools>;
  readonly mode?: ReloadMode;
  /** Called with every file that cannot be used, whenever that changes. */
  readonly onEvent?: (event: ToolFolderEvent) => void;
}

/**
 * A folder of contracts, synchronized with a hub. An invalid edit keeps the last good contract.
 *
 * @see docs/guide/hub.md
 */
export class ContractFolder {
  readonly #runs: FolderReloader;
  readonly #tools: MappedTools;
  #stamp = "";
  #contracts: readonly Contract[] = [];
  #problems: readonly Problem[] = [];
  #unmatched: LoadedContracts["unmatched"] = () => [];

  constructor({ dir, root, hub, mode, onEvent }: ContractFolderOptions) {
    const events = new FolderEventEmitter({ source: "capabilities", onEvent });
    this.#tools = hub;
    this.#runs = new FolderReloader({
      dir,
      mode,
      run: async () => {
        const { contracts, problems, stamp, unmatched } = await loadContracts(dir, root);
        if (stamp === this.#stamp || this.#runs.signal.aborted) return noChange;
        this.#stamp = stamp;
        this.#problems = problems;
        this.#unmatched = unmatched;
        this.#contracts = keepLastGood(contracts, this.#contracts);
        hub.setContracts(this.#contracts);
        // Contracts are not tools: only their problems are reported.
        const errors = events.ended({ why: "load", change: noChange, problems, owners: new Map() });
        return { ...noChange, errors };
      },
    });
  }

  /** Loads the folder for the first time and starts checking for changes. */
  async load(): Promise<void> {
    await this.#runs.load();
  }

  /** Checks the folder now. */
  async reload(): Promise<void> {
    await this.#runs.reload();
  }

  /** Problems of the files as they are now. */
  problems(): readonly Problem[] {
    return this.#problems;
  }

  /** Warnings about mappings that match no tool. Meaningful once all tools are loaded. */
  unmatched(): readonly Problem[] {
    return this.#unmatched(this.#tools);
  }

  /** Stops looking; the contracts stay. */
  close(): Promise<void> {
    return this.#runs.close();
  }
}

/** The current contracts, with the last good version of each broken file. */
function keepLastGood(now: readonly Contract[], before: readonly Contract[]): readonly Contract[] {
  const names = new Set(now.filter(({ broken }) => broken === undefined).map(({ name }) => name));
  return now.map((contract) => {
    const last = contract.broken === undefined ? undefined : before.find(({ file }) => file === contract.file);
    return last === undefined || names.has(last.name) ? contract : last;
  });
}
