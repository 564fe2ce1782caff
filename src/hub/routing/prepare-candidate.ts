import { type Issue, failure, raceAbortOrUndefined, withinLimits } from "../../base/index.ts";
import { internals, isDestructiveCall, resolveCallEffect } from "../../engine/index.ts";
import type { Validation } from "../../schema/index.ts";
import { formatDuration } from "../../text/index.ts";
import type { ToolContext } from "../../tool/index.ts";
import { type Candidate, argumentsFor } from "./candidate.ts";
import { checkArguments } from "./check-arguments.ts";
import type { ChoiceInvocation } from "./choice-deps.ts";
import type { RunnableCandidate, SkippedCandidate } from "./select-runnable.ts";

/** Time limit of an asynchronous schema, which may hang. */
const checkMs = 2_000;

/** A candidate as it takes part in a choice, or why it does not. */
export async function prepareCandidate(
  candidate: Candidate,
  { choice, world, args }: ChoiceInvocation,
  context: ToolContext,
): Promise<RunnableCandidate | SkippedCandidate> {
  const { tool, source } = candidate.registration;
  if (!world.isAvailable(tool)) return { candidate, why: "it is switched off" };
  const { callers, decidePermission } = internals(context);
  if (callers.has(tool)) return { candidate, why: "this call is a part of its own work" };
  const own = argumentsFor(candidate, choice.contract, args);
  if ("issues" in own) return { candidate, why: refusal(own.issues) };
  const checking = checkArguments(tool.input, own.args);
  const checked = checking instanceof Promise ? await inTime(checking, world, context) : checking;
  if (context.signal.aborted) return { candidate, why: "the call was over" };
  if (checked === undefined) {
    const why = `it did not validate these arguments within ${formatDuration(checkMs)}`;
    const now = world.clock.elapsed();
    world.breakers.failed(candidate.registration, failure("timeout", why), { call: context.callId, now });
    return { candidate, why };
  }
  if (checked.issues !== undefined) return { candidate, why: refusal(checked.issues) };
  const effect = resolveCallEffect(tool, checked.value);
  const destructive = isDestructiveCall(tool, checked.value);
  const { name, aliases, handlerNames, sends } = tool;
  const subject = { tool: name, aliases, handlerNames, source, effect, destructive, sends };
  const permission = decidePermission(subject);
  return { candidate, args: own.args, effect, permission };
}

/** The result of a check; undefined if it takes too long, or the call is over. */
async function inTime(
  checking: Promise<Validation<unknown>>,
  { clock }: ChoiceInvocation["world"],
  { signal }: ToolContext,
): Promise<Validation<unknown> | undefined> {
  const late = (): undefined => undefined;
  return withinLimits({ clock, ms: checkMs, late, signal }, (either) => raceAbortOrUndefined(checking, either));
}

function refusal(issues: readonly Issue[]): string {
  return `it does not take these arguments: ${issues.map(({ message }) => message).join("; ")}`;
}
