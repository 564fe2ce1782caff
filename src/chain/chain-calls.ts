import { SeenUrls, type UntrustedArguments, bringsUrls, knownUrlsIn } from "../engine/index.ts";
import { closeSecrets } from "../expr/index.ts";
import {
  type CallRequest,
  type CallRunner,
  type CallWork,
  type HostOutcome,
  type RunCalls,
  type UntrustedContent,
  changedTool,
} from "../run/index.ts";
import type { JournalEvent } from "../store/index.ts";
import { type AnyTool, type ToolResult, fingerprintTool } from "../tool/index.ts";
import { reachOf } from "./plan-targets.ts";
import type { Plan } from "./plan/plan.ts";
import { callsOfStep } from "./plan/planned-calls.ts";
import { TaintedCalls } from "./interpreter/tainted-calls.ts";

/** The untrusted content of a run. */
interface UntrustedRun {
  /**
   * Keys of calls whose arguments contain untrusted content. The plan does not cover what a composite tool does with
   * them.
   */
  readonly tainted: { has(key: string): boolean };
  /** The untrusted content in the arguments of each call. */
  readonly untrusted: { argumentsOf(key: string): UntrustedArguments };
  /** Earlier results of the run, and its input if that is trusted: a URL that appears in them may be read. */
  readonly known: () => Iterable<unknown>;
}

/** The run that {@link ChainCalls} are of. */
export interface ChainCallsOptions extends Pick<CallRequest, "runId" | "callerPath" | "principal" | "conversationId"> {
  readonly plan: Plan;
  readonly runner: CallRunner;
  /** Default: there is none. */
  readonly content?: UntrustedRun | undefined;
  /** Tools that have changed since the run began: they are not called any more. */
  readonly refused?: ReadonlySet<string> | undefined;
}

/** The facts about a tool that its calls contain, or that decide on their contents. */
interface CalledTool extends Pick<CallRequest, "bucket" | "fingerprint"> {
  readonly isComposite: boolean;
  /** Neither a call of it nor one that it makes can have a target, if false. */
  readonly mayHaveTarget: boolean;
}

/** The calls of a chain's run. */
export class ChainCalls implements RunCalls {
  readonly runner: CallRunner;
  readonly #run: ChainCallsOptions;
  /** The tools as of the time when the chain was planned: editing a file does not change a running chain. */
  readonly #tools: ReadonlyMap<string, AnyTool>;
  /** The tools that were called, by name: a step reads their facts with one look-up. */
  readonly #called = new Map<string, CalledTool>();
  /** False if the chain passes no secrets: arguments, which may be large, are then not searched for handles. */
  readonly #hasSecrets: boolean;
  /** The URLs in its results. Undefined if no tool of it takes a URL; results are then not read. */
  readonly #seen: SeenUrls | undefined;

  constructor(run: ChainCallsOptions) {
    const { plan, runner, content } = run;
    this.runner = runner;
    this.#run = run;
    this.#tools = reachOf(plan).tools;
    this.#hasSecrets = reachOf(plan).usesSecrets;
    if (content === undefined || !this.#tools.values().some(takesUrls)) return;
    this.#seen = new SeenUrls();
    this.#seen.add({ by: "user", content: () => [...content.known()] });
  }

  refuse({ tool }: CallWork): ToolResult | undefined {
    return this.#run.refused?.has(tool) === true ? changedTool(tool) : undefined;
  }

  request(key: string, work: CallWork): CallRequest {
    const { runId, callerPath, principal, conversationId, content } = this.#run;
    const called = this.#called.get(work.tool) ?? this.#noteCalled(work.tool);
    const closed = this.#hasSecrets ? closeSecrets(work.args) : undefined;
    // One literal, for speed.
    return {
      runId,
      key,
      tool: work.tool,
      args: closed === undefined ? work.args : closed.value,
      secrets: closed?.secrets,
      idempotencyKey: work.idempotencyKey,
      attempt: work.attempt,
      timeoutMs: work.timeoutMs,
      cache: work.cache,
      approvalId: work.approvalId,
      allowed: work.allowed,
      callerType: "workflow_node",
      callerPath,
      principal,
      conversationId,
      tainted: called.isComposite && content?.tainted.has(key) === true && "arguments",
      untrusted: content && called.mayHaveTarget ? this.#untrusted(content.untrusted, key, work.args) : undefined,
      bucket: called.bucket,
      fingerprint: called.fingerprint,
    };
  }

  #noteCalled(name: string): CalledTool {
    const tool = this.#tools.get(name);
    const called = {
      bucket: tool?.category,
      fingerprint: tool && fingerprintTool(tool),
      isComposite: tool?.composite === true,
      mayHaveTarget: tool === undefined || tool.targets !== undefined || tool.composite,
    };
    this.#called.set(name, called);
    return called;
  }

  ended({ tool: name }: CallRequest, result: ToolResult): void {
    if (this.#seen === undefined) return;
    const tool = this.#tools.get(name);
    const effect = typeof tool?.effect === "string" ? tool.effect : undefined;
    if (!result.success || !bringsUrls(result, effect, tool)) return;
    this.#seen.add({ by: "tool", content: result.output });
    // Only the URLs are retained.
    this.#seen.read();
  }

  /** The untrusted content in the arguments of a call. */
  #untrusted(content: UntrustedRun["untrusted"], key: string, args: unknown): UntrustedContent {
    const { parameters, allowed } = content.argumentsOf(key);
    if (parameters !== "all" && parameters.size === 0) return { parameters: [], allowed };
    const knownUrls = knownUrlsIn(args, (url) => this.#seen?.has(url) === true);
    if (parameters === "all") return { parameters, allowed, knownUrls };
    return { parameters: [...parameters].map(([name, written]) => [name, written ?? null]), allowed, knownUrls };
  }
}

function takesUrls({ targets, composite }: AnyTool): boolean {
  return composite || (targets !== undefined && Object.values(targets).includes("url"));
}

/** The untrusted content of a run. `events` are those of earlier executions of it. */
export function untrustedContent(
  plan: Plan,
  run: { readonly input: unknown; readonly tainted: boolean; readonly events: readonly JournalEvent[] },
): UntrustedRun {
  const { input, tainted, events } = run;
  const calls = TaintedCalls.of(plan, tainted ? "all" : []);
  const known = (): unknown[] => {
    const targets = plan.steps.flatMap(callsOfStep).map(({ target }) => target);
    const tools = new Map(targets.flatMap(({ tool }) => (tool === undefined ? [] : [[tool.name, tool] as const])));
    return [...(tainted ? [] : [input]), ...events.flatMap((event) => outputOf(event, tools))];
  };
  return { tainted: calls, untrusted: calls, known };
}

/** The output of a call that has ended. */
function outputOf({ kind, data }: JournalEvent, tools: ReadonlyMap<string, AnyTool>): unknown[] {
  if (kind !== "settled") return [];
  // The host wrote the data, so its shape is known.
  const outcome = data as HostOutcome;
  if (outcome.kind !== "call" || !outcome.result.success) return [];
  return bringsUrls(outcome.result, outcome.effect, tools.get(outcome.result.tool)) ? [outcome.result.output] : [];
}
