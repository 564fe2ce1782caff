import type { YamlPath } from "../../text/index.ts";
import type { Registration } from "../../tool/index.ts";
import type { ChainReport } from "./chain-report.ts";
import type { PlanContext } from "./plan-context.ts";
import type { Plan, Target } from "./plan.ts";

/** Finds what steps call. One for each chain that is being planned. */
export class TargetFinder {
  readonly #context: PlanContext;
  readonly #report: ChainReport;
  readonly #self: { readonly name: string; readonly plan: () => Plan };
  readonly #found = new Map<string, Target>();
  #names: ReadonlySet<string> | undefined;

  constructor(context: PlanContext, report: ChainReport, self: { readonly name: string; readonly plan: () => Plan }) {
    this.#context = context;
    this.#report = report;
    this.#self = self;
  }

  /** The tool or chain of a name; one that does not exist is reported where it stands. */
  find(name: string, path: YamlPath): Target {
    const known = this.#found.get(name);
    const target = known ?? this.#lookUp(name);
    if (known === undefined) this.#found.set(name, target);
    // A step without a tool has been told about.
    if (name !== "" && target.tool === undefined && target.chain === undefined) this.#unknown(name, path);
    return target;
  }

  /** Chains come first: in a workspace each of them is registered as a tool too. */
  #lookUp(name: string): Target {
    const chain = this.#context.chains?.(name);
    if (chain !== undefined) return { name, chain };
    const registration = this.#context.tools.resolve(name);
    if (registration !== undefined) return { name, ...this.#toolOf(registration) };
    return name !== "" && name === this.#self.name ? { name, chain: this.#self.plan } : { name };
  }

  /**
   * Who trusts a tool by its name does not mean others that share it, such as those of servers; and who trusts a
   * capability cannot mean tools that get it later, so that each of those that have it has to be trusted.
   */
  #toolOf({ tool, chooses = false, among = [] }: Registration): Pick<Target, "tool" | "trusted" | "among"> {
    const names = chooses ? among.map((one) => one.tool.name) : [tool.name];
    const isClear = names.length > 0 && new Set(names).size === names.length;
    const trusted = isClear && names.every((name) => this.#context.trusted?.includes(name) === true);
    return { tool, ...(trusted && { trusted }), ...(chooses && { among: names }) };
  }

  #unknown(name: string, path: YamlPath): void {
    this.#names ??= new Set([...this.#context.tools.names(), ...(this.#context.chainNames?.() ?? [])]);
    const hint = this.#report.near(name, this.#names, "`windlass tools` lists what there is");
    const why = this.#context.tools.whyMissing?.(name);
    const message = `no tool and no chain is called "${shorten(name)}"${why === undefined ? "" : `; ${why}`}`;
    this.#report.add("unknown_tool", path, [message, { hint }]);
  }
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
