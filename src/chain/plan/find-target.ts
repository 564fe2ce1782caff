import { cliCommand } from "../../base/index.ts";
import { brokenFileMessage } from "../../engine/index.ts";
import { type Problem, type YamlPath, shortenWritten } from "../../text/index.ts";
import { type Registration, namesToTrust } from "../../tool/index.ts";
import type { ChainReport } from "./chain-report.ts";
import type { PlanContext, Plan, Target } from "./plan.ts";

/** Finds the callees of steps. One for each chain that is being planned. */
export class TargetFinder {
  readonly #context: PlanContext;
  readonly #report: ChainReport;
  readonly #self: { readonly name: string; readonly plan: () => Plan };
  readonly #found = new Map<string, Target>();
  #names: ReadonlySet<string> | undefined;
  /** Files with errors that were reported. */
  readonly #brokenFiles = new Set<string>();

  constructor(context: PlanContext, report: ChainReport, self: { readonly name: string; readonly plan: () => Plan }) {
    this.#context = context;
    this.#report = report;
    this.#self = self;
  }

  /** The tool or chain of a name; an unknown name is reported at its position. */
  find(name: string, path: YamlPath): Target {
    const known = this.#found.get(name);
    const target = known ?? this.#lookUp(name);
    if (known === undefined) this.#found.set(name, target);
    // A step without a tool has been reported.
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
   * A trusted tool name does not cover other tools of the same name, such as those of servers. A trusted capability
   * does not cover tools that provide it later: each of its tools has to be trusted.
   */
  #toolOf(registration: Registration): Pick<Target, "tool" | "trusted" | "among"> {
    const { tool, isChoice = false, candidates = [] } = registration;
    const called = isChoice ? candidates : [registration];
    const names = called.map((one) => one.tool.name);
    const isClear = names.length > 0 && new Set(names).size === names.length;
    const trusted = isClear && called.every((one) => this.#isTrusted(one));
    return { tool, ...(trusted && { trusted }), ...(isChoice && { among: names }) };
  }

  #isTrusted(registration: Registration): boolean {
    const { trusted = [], tools } = this.#context;
    if (trusted.length === 0) return false;
    return namesToTrust(registration, (name) => tools.resolve(name)).some((name) => trusted.includes(name));
  }

  #unknown(name: string, path: YamlPath): void {
    const error = this.#context.tools.fileError?.(name);
    if (error !== undefined) return this.#broken(name, path, error);
    this.#names ??= new Set([...this.#context.tools.names(), ...(this.#context.chainNames?.() ?? [])]);
    const hint = this.#report.suggest(name, this.#names, `\`${cliCommand("tools")}\` lists the available tools`);
    const why = this.#context.tools.whyMissing?.(name);
    const message = `there is no tool or chain named "${shortenWritten(name)}"${why === undefined ? "" : `; ${why}`}`;
    this.#report.add("unknown_tool", path, [message, { hint }]);
  }

  /** A tool whose file has errors: one error per file, also if several steps use its tools. */
  #broken(name: string, path: YamlPath, { file, line, column, message: why, cause = file }: Problem): void {
    if (this.#brokenFiles.has(file)) return;
    this.#brokenFiles.add(file);
    const [first = ""] = why.split("\n", 1);
    const message = brokenFileMessage(shortenWritten(name), file);
    this.#report.add("broken_tool", path, [message, { hint: `${file}:${line}:${column}: ${first}`, cause }]);
  }
}
