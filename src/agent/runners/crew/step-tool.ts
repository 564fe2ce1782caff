import { type Failure, failure } from "../../../base/index.ts";
import { type ResultKind, deriveCapabilities, resultKind, isHub } from "../../../hub/index.ts";
import type { JsonSchema } from "../../../schema/index.ts";
import { cutText, suggest } from "../../../text/index.ts";
import { type AnyTool, isSameTool } from "../../../tool/index.ts";
import { recordValue, type RunProgram } from "../../../run/index.ts";
import { isToolAllowed } from "../../run/is-tool-allowed.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { CrewStep } from "./crew-step.ts";

/** Tool of a step, as it was when the step ran: plain JSON. */
export interface StepTool {
  /** Name under which it is called. */
  readonly name: string;
  /** The name of the resolved tool. */
  readonly tool: string;
  readonly description: string;
  readonly schema: JsonSchema;
  /** Determines how its input is derived and how much of its result is shown. */
  readonly kind: ResultKind;
}

/** The tool that the plan names for a step, or the reason why it cannot be called. */
export function* toolByName(run: AgentRun, { id, toolType }: CrewStep): RunProgram<StepTool | Failure> {
  return yield* recordValue(`${id}.by-name`, () => lookByName(run, toolType));
}

/**
 * Finds other tools for a step: those with the same capability, as `capability:NAME`. Undefined if there are only tools
 * that were already tried.
 */
export function* toolByCapability(
  run: AgentRun,
  step: CrewStep,
  tried: string | undefined,
): RunProgram<StepTool | undefined> {
  return (
    (yield* recordValue(`${step.id}.by-capability`, () => lookByCapability(run, step, tried) ?? null)) ?? undefined
  );
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
  if (!isToolAllowed(run, tool)) return failure("not_available", `the tool ${shown} is not available to this agent`);
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

/** Capabilities of the tool: as registered in the hub, as declared, then derived from its name and from the step. */
function capabilitiesOf({ engine }: AgentRun, step: CrewStep, tried: AnyTool | undefined): ReadonlySet<string> {
  const { resolver } = engine;
  const registration = tried === undefined ? undefined : resolver.registrationOf?.(tried);
  return new Set([
    ...(registration !== undefined && isHub(resolver) ? resolver.capabilitiesOf(registration) : []),
    ...(tried?.capabilities ?? []),
    ...(tried === undefined ? [] : derive(tried)),
    ...derive({ name: step.toolType, description: step.description }),
  ]);
}

/**
 * True if another tool has the capability and the agent may use all tools that have it: the hub chooses among all of
 * them.
 */
function hasOthers(
  run: AgentRun,
  name: string,
  { tool, tried }: { readonly tool: AnyTool; readonly tried: AnyTool | undefined },
): boolean {
  const { resolver } = run.engine;
  const candidates = isHub(resolver) ? resolver.candidates(name).map((one) => one.tool) : [tool];
  const isOnly = run.spec.tools !== undefined && !candidates.every((one) => isToolAllowed(run, one));
  return !isOnly && candidates.some((one) => !isSameTool(tried, one) && isToolAllowed(run, one));
}
