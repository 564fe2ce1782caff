import type { AnyTool, Effect, ToolResult, ToolSuccess } from "../../tool/index.ts";
import type { CallInitiator, ResultItems, ShownTool } from "../events/agent-event.ts";
import type { CallEffect, FirstOutcome, RunProgram, ToolCallOutcome } from "../../run/index.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { type ToolCallRequest, requestToolApproval, toolCallEffect, needsNoApproval } from "./tool-call.ts";
import { summarizeResult } from "../run/summarize-result.ts";
import { isRecord, ownValue } from "../../schema/index.ts";

/** A call, with the data by which the run records it. */
export interface ObservedCallRequest extends ToolCallRequest {
  readonly initiator: CallInitiator;
  /** The key of `dedupeKey`; undefined for a call that cannot be repeated. */
  readonly dedupeKey: string | undefined;
  /** The effect of the call if no handler ran. */
  readonly effect: Effect;
}

/** Makes a call, counts and records it, and emits its start and its end. */
export function* callObserved(run: AgentRun, request: ObservedCallRequest): RunProgram<ToolCallOutcome> {
  const outcome: FirstOutcome = yield emitCallStarted(run, request);
  return recordCallEnd(
    run,
    request,
    needsNoApproval(run, request, outcome) ? outcome : yield* requestToolApproval(run, request, outcome),
  );
}

/** Emits the start of a call, and returns the effect that makes it. */
export function emitCallStarted(run: AgentRun, request: ObservedCallRequest): CallEffect {
  const { turnRef, callId, tool, initiator, args } = request;
  if (run.hasListener)
    run.emitStart({
      type: "tool-started",
      ...turnRef,
      callId,
      ...toShownTool(run, tool),
      initiator,
      args: run.redacted(args),
    });
  return toolCallEffect(run, request);
}

/** Counts and records a settled call, and emits its end. */
export function recordCallEnd(run: AgentRun, request: ObservedCallRequest, called: ToolCallOutcome): ToolCallOutcome {
  const { callId, dedupeKey, effect } = request;
  const { result } = called;
  // Cancelled before it could run, for example while it waited for approval.
  if (called.effect !== undefined || result.success || result.error.code !== "cancelled") run.count(result);
  if (dedupeKey !== undefined) {
    run.callHistory.add(dedupeKey, {
      callId,
      result,
      effect: called.effect ?? effect,
      ran: called.effect !== undefined,
    });
  }
  emitCallFinished(run, request, { result });
  return called;
}

/** Emits the end of a call, also of one that was never made. */
export function emitCallFinished(
  run: AgentRun,
  { turnRef, callId, initiator }: Pick<ObservedCallRequest, "turnRef" | "callId" | "initiator">,
  { result, duplicate }: { readonly result: ToolResult; readonly duplicate?: true },
): void {
  if (!run.hasListener) return;
  const { success, durationMs } = result;
  const found = result.success ? findResultItems(run, result) : undefined;
  run.emit({
    type: "tool-finished",
    ...turnRef,
    callId,
    ...toShownTool(run, result.tool),
    initiator,
    durationMs,
    success,
    summary: summarizeResult(run, result),
    ...(found !== undefined && { items: found }),
    ...(!result.success && { error: result.error }),
    ...(duplicate && { duplicate }),
  });
}

/** The tool of this name, as people see it. */
function toShownTool({ engine }: AgentRun, name: string): ShownTool {
  const { displayName = name, background = false } = engine.resolver.resolve(name)?.tool ?? {};
  return {
    tool: name,
    ...(displayName !== name && { displayName }),
    ...(background && { background }),
  };
}

/** Keys that hold the name of an item, the best first. */
const nameKeys = ["title", "name", "path", "url", "id"] as const;
const maxNames = 5;
const maxNameLength = 200;
/** Longer results are not searched for names to their end. */
const maxReadChars = 100_000;

/** The items of a list result, such as the notes that a search found; undefined if the output is not a list. */
function findResultItems(run: AgentRun, { tool, output }: ToolSuccess): ResultItems | undefined {
  const items = Array.isArray(output) ? output : listIn(output, run.engine.resolver.resolve(tool)?.tool);
  if (items === undefined) return undefined;
  const names = items.slice(0, maxNames).flatMap((item) => redactedName(run, itemName(item)));
  return { count: items.length, names };
}

/**
 * The list in an output: the one that the tool declares, or the only one, unless it is empty. An empty list may as well
 * be that of the warnings of a write, so only a declared one means that nothing was found.
 */
function listIn(output: unknown, tool: AnyTool | undefined): readonly unknown[] | undefined {
  if (!isRecord(output)) return undefined;
  const key = tool === undefined ? undefined : declaredList(tool);
  const declared = key === undefined || !Object.hasOwn(output, key) ? undefined : output[key];
  if (Array.isArray(declared) && (declared.length > 0 || !hasText(output))) return declared;
  const lists = Object.values(output).filter((value) => Array.isArray(value));
  return lists.length === 1 && lists[0]?.length !== 0 ? lists[0] : undefined;
}

/** The only required list in the output schema of a tool that changes nothing. */
function declaredList({ effect, output }: AnyTool): string | undefined {
  const { properties, required } = output?.json ?? {};
  if ((effect !== "read" && effect !== "pure") || !isRecord(properties) || !Array.isArray(required)) return undefined;
  const keys = required.filter((key: unknown): key is string => {
    const schema = typeof key === "string" && Object.hasOwn(properties, key) ? properties[key] : undefined;
    return isRecord(schema) && schema["type"] === "array";
  });
  return keys.length === 1 ? keys[0] : undefined;
}

/** A text in a list result is at most this long and on one line; a longer one is content. */
const maxLabelLength = 200;

function hasText(output: Readonly<Record<string, unknown>>): boolean {
  return Object.values(output).some(
    (value) => typeof value === "string" && (value.length > maxLabelLength || value.trim().includes("\n")),
  );
}

/** Secrets are redacted before anything is cut: a part of a secret is not recognized. */
function redactedName(run: AgentRun, name: string | undefined): string[] {
  return name === undefined
    ? []
    : [
        String(run.redacted(name.slice(0, maxReadChars)))
          .slice(0, maxNameLength)
          .toWellFormed(),
      ];
}

function itemName(item: unknown): string | undefined {
  if (typeof item === "string") return item;
  for (const key of nameKeys) {
    const value = ownValue(item, key);
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}
