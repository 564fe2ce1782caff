import { type Failure, failure } from "../../../base/index.ts";
import { Hub, type ResultKind, deriveCapabilities, resultKind } from "../../../hub/index.ts";
import type { JsonSchema } from "../../../schema/index.ts";
import { cutText, suggest } from "../../../text/index.ts";
import type { AnyTool } from "../../../tool/index.ts";
import { fact } from "../../flow/fact.ts";
import type { Flow } from "../../flow/flow.ts";
import { mayUse } from "../../run/may-use.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { CrewStep } from "./plan/crew-step.ts";

/** What a step calls, as it was when it came to that: plain JSON. */
export interface StepTool {
  /** By which it is called. */
  readonly name: string;
  /** The name of the tool that was found for it. */
  readonly tool: string;
  readonly description: string;
  readonly schema: JsonSchema;
  /** Decides how its input is found and how much of its result is shown. */
  readonly kind: ResultKind;
}

/** The tool that the plan names for a step, or why it cannot be called. */
export function* toolByName(run: AgentRun, { id, toolType }: CrewStep): Flow<StepTool | Failure> {
  return yield* fact(`${id}.by-name`, () => lookByName(run, toolType));
}

/**
 * What else can do the work of a step: other tools with the same capability, as `capability:NAME`. Undefined where there
 * are none besides those that were tried.
 */
export function* toolByCapability(
  run: AgentRun,
  step: CrewStep,
  tried: string | undefined,
): Flow<StepTool | undefined> {
  return (yield* fact(`${step.id}.by-capability`, () => lookByCapability(run, step, tried) ?? null)) ?? undefined;
}

function lookByName(run: AgentRun, name: string): StepTool | Failure {
  const { resolver } = run.engine;
  const tool = resolver.resolve(name)?.tool;
  const shown = JSON.stringify(cutText(name, 80).text);
  if (tool === undefined) {
    const near = suggest(name, resolver.names());
    const hint = near === undefined ? "" : `; did you mean ${near}?`;
    return failure("tool_not_found", `there is no tool ${shown}${hint}`);
  }
  if (!mayUse(run, tool)) return failure("not_available", `the tool ${shown} is not available to this agent`);
  return toStepTool(name, tool, resultKind(tool));
}

function toStepTool(name: string, tool: AnyTool, kind: ResultKind): StepTool {
  return { name, tool: tool.name, description: tool.description, schema: tool.input.json, kind };
}

const derive = deriveCapabilities();

function lookByCapability(run: AgentRun, step: CrewStep, triedName: string | undefined): StepTool | undefined {
  const { resolver } = run.engine;
  const tried = triedName === undefined ? undefined : resolver.resolve(triedName)?.tool;
  for (const capability of capabilitiesOf(run, step, tried)) {
    const name = `capability:${capability}`;
    const tool = resolver.resolve(name)?.tool;
    if (tool === undefined || !hasOthers(run, name, { tool, tried })) continue;
    return toStepTool(name, tool, resultKind({ name: capability, aliases: [], capabilities: [capability] }));
  }
  return undefined;
}

/** What the tool can do, by those who know it; then what its name and the step speak of. */
function capabilitiesOf({ engine }: AgentRun, step: CrewStep, tried: AnyTool | undefined): ReadonlySet<string> {
  const { resolver } = engine;
  const registration = tried === undefined ? undefined : resolver.registrationOf?.(tried);
  return new Set([
    ...(registration !== undefined && resolver instanceof Hub ? resolver.capabilitiesOf(registration) : []),
    ...(tried?.capabilities ?? []),
    ...(tried === undefined ? [] : derive(tried)),
    ...derive({ name: step.toolType, description: step.description }),
  ]);
}

/** Somebody else has it, too; and the agent may use everybody who has it: the hub chooses among all of them. */
function hasOthers(
  run: AgentRun,
  name: string,
  { tool, tried }: { readonly tool: AnyTool; readonly tried: AnyTool | undefined },
): boolean {
  const { resolver } = run.engine;
  const candidates = resolver instanceof Hub ? resolver.candidates(name).map((one) => one.tool) : [tool];
  const isOnly = run.spec.tools !== undefined && !candidates.every((one) => mayUse(run, one));
  return !isOnly && candidates.some((one) => one !== tried && mayUse(run, one));
}
