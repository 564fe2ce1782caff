import type { Problem } from "../../text/index.ts";
import { FolderRuns, type ReloadMode, noChange } from "../folder/folder-runs.ts";
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
}

/** A folder of contracts, kept in step with a hub. */
export class ContractFolder {
  readonly #runs: FolderRuns;
  readonly #tools: MappedTools;
  #stamp = "";
  #problems: readonly Problem[] = [];
  #unmatched: LoadedContracts["unmatched"] = () => [];

  constructor({ dir, root, hub, mode }: ContractFolderOptions) {
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
        hub.setContracts(contracts);
        return noChange;
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
