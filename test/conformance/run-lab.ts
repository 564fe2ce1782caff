import type { AgentResult } from "../../src/agent/index.ts";
import { ChainLibrary, ChainRuns, type RunResult } from "../../src/chain/index.ts";
import { type Engine, type RequestApproval, createEngine } from "../../src/engine/index.ts";
import { type DurableCallResult, DurableCalls, type RunPorts, RunService } from "../../src/run/index.ts";
import type { ApprovalStore, JournalEvent, RunStore } from "../../src/store/index.ts";
import { mockTools } from "../../src/testing/chain/mock-tools.ts";
import { type RunScenario, type ScenarioName, type World, decisionOf } from "./run-scenarios.ts";

/** The ports of a machine, and a function that closes them. */
export interface OpenPorts {
  readonly journal: RunStore;
  readonly approvals: ApprovalStore;
  close(): Promise<void>;
}

/** A run after its execution in one process. */
export interface Executed {
  readonly status: string;
  readonly output: unknown;
  /** Number of commits of this execution. */
  readonly commits: number;
  /** The sequence numbers of all its journal events. */
  readonly seqs: readonly number[];
}

/** A machine on which the runs of one scenario are executed, process after process. */
export interface LabMachine {
  /**
   * Executes a run until it ends or is suspended, in the current process; first, a person decides its pending approvals.
   * Before the commit with this number, the process is killed: the result is then undefined, and the next execution has a
   * new process.
   */
  execute(runId: string, killBefore?: number): Promise<Executed | undefined>;
  /** The actions of the tools of a run, in order. */
  noted(runId: string): readonly string[];
  close(): Promise<void>;
}

/** Executes runs, and kills their processes. */
export interface RunLab {
  readonly name: string;
  open(scenario: ScenarioName): Promise<LabMachine>;
}

/** A result of a run of any kind. */
export interface LabResult {
  readonly status: string;
  readonly output: unknown;
  /** Set for chains. */
  readonly chain?: RunResult;
}

/** A run of a scenario over the ports of one process. */
export interface LabRun {
  /** Starts the run, or resumes it if it has been stored. */
  execute(): Promise<LabResult>;
  /** Submits the run unless it has been stored, and serves runs until it has ended or is suspended. */
  serve(): Promise<LabResult>;
  /** Replays the run; executes nothing. */
  inspect(): Promise<LabResult>;
  /** Repeats another run of this chain from this step on, as a new run. */
  rerun(of: string, from: string): Promise<LabResult>;
}

/** Opens a run of a scenario with a service of its own, as a new process would. */
export async function openRun(
  scenario: RunScenario,
  ports: Omit<RunPorts, "secrets">,
  { world, runId }: { readonly world: World; readonly runId: string },
): Promise<LabRun> {
  const { clock } = world;
  const engine = createEngine({
    tools: mockTools(toolsOf(scenario), scenario.tools(world)),
    clock,
    permissions: { ask: ["ruled_*"], allow: ["* trusted"] },
  });
  const service = new RunService({ ...ports, clock, secrets: engine });
  const requestApproval = scenario.requestApproval?.(world);
  const options = { runId, ...(requestApproval !== undefined && { requestApproval }) };
  const run = await openKind(scenario, { engine, service, options });
  const exists = async (): Promise<boolean> => (await ports.journal.read(runId)) !== undefined;
  return {
    inspect: () => run.inspect(),
    rerun: (...from) => run.rerun?.(...from) ?? Promise.reject(new Error("only chains are repeated")),
    execute: async () => ((await exists()) ? run.resume() : run.start()),
    serve: async () => {
      if (!(await exists())) await run.submit();
      const stop = new AbortController();
      const serving = service.serve(stop.signal, options);
      const result = await run.result();
      stop.abort();
      await serving;
      return result;
    },
  };
}

/** The run of a scenario, in the terms of its kind. */
interface RunOfKind extends Pick<LabRun, "inspect"> {
  start(): Promise<LabResult>;
  submit(): Promise<unknown>;
  resume(): Promise<LabResult>;
  result(): Promise<LabResult>;
  readonly rerun?: LabRun["rerun"];
}

interface KindParts {
  readonly engine: Engine;
  readonly service: RunService;
  readonly options: { readonly runId: string; readonly requestApproval?: RequestApproval };
}

async function openKind(scenario: RunScenario, { engine, service, options }: KindParts): Promise<RunOfKind> {
  const { runId } = options;
  switch (scenario.kind) {
    case "chain": {
      const chains = new ChainLibrary({ tools: engine.tools });
      for (const spec of [...(scenario.others ?? []), scenario.spec]) chains.add({ name: spec.name, spec });
      const runs = new ChainRuns({ engine, service, chains });
      const plan = chains.plan(scenario.spec.name);
      return {
        start: async () => ofChain(await runs.start(plan, options)),
        submit: () => runs.submit(plan, options),
        resume: async () => ofChain(await runs.resume(runId, options)),
        result: async () => ofChain(await runs.result(runId)),
        inspect: async () => ofChain(await runs.inspect(runId)),
        rerun: async (of, from) => ofChain(await runs.rerun(of, { ...options, from })),
      };
    }
    case "call": {
      const calls = new DurableCalls({ engine, service });
      const { tool, args } = scenario;
      return {
        start: async () => ofCall(await calls.start(tool, args, options)),
        submit: () => calls.submit(tool, args, options),
        resume: async () => ofCall(await calls.resume(runId, options)),
        result: async () => ofCall(await calls.result(runId)),
        inspect: async () => ofCall(await calls.inspect(runId)),
      };
    }
    case "agent": {
      // Loaded only here: a process of another kind starts faster without them.
      const { AgentRuns, agentDefaults, findRunner } = await import("../../src/agent/index.ts");
      const { scriptedModel } = await import("../../src/testing/model/scripted-model.ts");
      const model = scriptedModel(({ prompt }) => {
        const response = scenario.responses[prompt.filter(({ role }) => role === "assistant").length];
        return response ?? "too many rounds";
      });
      const runs = new AgentRuns({ engine, service, runner: findRunner, model: () => model });
      const spec = { ...agentDefaults, runner: "autonomous" };
      return {
        start: async () => ofAgent(await runs.start(spec, "Begin.", options)),
        submit: () => runs.submit(spec, "Begin.", options),
        resume: async () => ofAgent(await runs.resume(runId, options)),
        result: async () => ofAgent(await runs.result(runId)),
        inspect: async () => ofAgent(await runs.inspect(runId)),
      };
    }
  }
}

function toolsOf(scenario: RunScenario): readonly string[] {
  if (scenario.kind !== "chain") return [];
  const chains = [scenario.spec, ...(scenario.others ?? [])];
  const names = chains.flatMap((chain) => [...mockTools(chain)].map(({ name }) => name));
  return names.filter((name) => !chains.some((chain) => chain.name === name));
}

const ofChain = (chain: RunResult): LabResult => ({ status: chain.status, output: chain.output, chain });
const ofCall = ({ status, result }: DurableCallResult): LabResult => ({
  status,
  output: result?.success === true ? result.output : result?.error,
});
const ofAgent = ({ status, answer }: AgentResult): LabResult => ({
  status: status === "completed" ? "success" : status,
  output: answer,
});

/** Delivers the events of a scenario to a run that exists. */
export async function deliverEvents(
  journal: RunStore,
  { events = [] }: RunScenario,
  { world, runId }: { world: World; runId: string },
): Promise<void> {
  for (const { data, ...event } of events)
    await journal.deliver({ runId, ...event, at: Math.floor(world.clock.now()), data: JSON.stringify(data) });
}

/** A person decides the pending approvals of a run. */
export async function decidePending(
  approvals: ApprovalStore,
  { world, runId }: { world: World; runId: string },
): Promise<void> {
  const now = world.clock.now();
  for (const approval of await approvals.list(now, "pending")) {
    if (approval.runId === runId) await approvals.decide(approval.id, decisionOf(approval, world), now);
  }
}

/** The methods of ports that write. */
const writing: ReadonlySet<string> = new Set([
  "create",
  "submit",
  "append",
  "finish",
  "requestCancel",
  "deliver",
  "addTurn",
  "request",
  "consume",
  "restore",
  "decide",
]);

/** Makes a call of a port, or does not. */
export type PortCall = (name: string, make: () => unknown, isCommit: boolean) => unknown;

/** The same port, with a function between it and its callers. */
export function intercepted<Port extends object>(port: Port, call: PortCall): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const isCommit = writing.has(String(name));
      return (...args: unknown[]) => call(String(name), () => Reflect.apply(value, target, args) as unknown, isCommit);
    },
  });
}

/** The sequence numbers of the events of a run. */
export async function seqsOf(journal: RunStore, runId: string): Promise<number[]> {
  const events: readonly JournalEvent[] = (await journal.read(runId))?.events ?? [];
  return events.map(({ seq }) => seq);
}
