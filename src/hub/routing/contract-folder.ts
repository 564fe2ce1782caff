import type { Problem } from "../../text/index.ts";
import { type ToolFolderEvent, FolderEventEmitter } from "../tool-folder/folder-event-emitter.ts";
import { FolderReloader, type ReloadMode, noChange } from "../tool-folder/folder-reloader.ts";
import type { Contract } from "./contract.ts";
import type { Hub, CapabilityInfo } from "./hub.ts";
import { type LoadedContracts, loadContracts } from "./load-contracts.ts";
import type { MappedTools } from "./unmatched-mappings.ts";
import type { Registration } from "../../tool/index.ts";

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

/**
 * Warns about contracts of the workspace that no tool serves, and about tools that declare the capability but are
 * omitted because they do not match. Built-in contracts and tools cause no warnings: the user did not write them.
 * A capability that `mayBeServed` names may have a tool that is not known yet.
 */
export function unservedContracts(
  hub: Pick<Hub, "capabilities" | "withCapability">,
  mayBeServed: (capability: string) => boolean,
): Problem[] {
  return hub.capabilities().flatMap((info): Problem[] => {
    const { name, tools, contract } = info;
    if (contract?.file === undefined || contract.broken !== undefined) return [];
    const warn = (text: Pick<Problem, "code" | "message" | "hint">): Problem => ({
      severity: "warning",
      ...text,
      file: contract.file ?? "",
      line: 1,
      column: 1,
    });
    const left = omittedTools(info, hub.withCapability(name)).map((text) =>
      warn({ code: "unfit_tool", message: `${text}; it is omitted`, hint: "write an entry for it under `tools`" }),
    );
    if (tools.length > 0 || left.length > 0 || mayBeServed(name)) return left;
    const hint = `give a tool capabilities: [${name}], or declare it under \`capabilities\` in windlass.yaml`;
    return [warn({ code: "unserved_capability", message: `no tool serves capability:${name}`, hint })];
  });
}

function omittedTools({ unfit }: CapabilityInfo, registrations: readonly Registration[]): readonly string[] {
  const declaring = registrations.filter(({ tool, owner }) => owner !== "builtin" && tool.capabilities.length > 0);
  return unfit.filter((text) =>
    declaring.some(({ tool }) => text.split(": ", 1)[0]?.split("/").at(-1) === tool.name.split("/").at(-1)),
  );
}
