import { type Issue, failure } from "../../base/index.ts";
import { callersOf, effectOf, rulingsOf } from "../../engine/index.ts";
import type { Validation } from "../../schema/index.ts";
import { formatDuration } from "../../text/index.ts";
import type { AnyTool, Effect, ToolContext } from "../../tool/index.ts";
import { type Candidate, argumentsFor } from "./candidate.ts";
import { checkArguments } from "./check-arguments.ts";
import type { MadeChoice } from "./choice-world.ts";
import type { Entrant, PassedOver } from "./entrants.ts";

/** A schema that asks a service may hang: nobody waits longer for what it says. */
const checkMs = 2_000;

/** A candidate as it takes part in a choice, or why it does not. */
export async function prepareCandidate(
  candidate: Candidate,
  { choice, world, args: given }: MadeChoice,
  context: ToolContext,
): Promise<Entrant | PassedOver> {
  const { tool, source } = candidate.registration;
  if (!world.isAvailable(tool)) return { candidate, why: "it is switched off" };
  if (callersOf(context).has(tool)) return { candidate, why: "this call is a part of its own work" };
  const own = argumentsFor(candidate, choice.contract, given);
  if ("issues" in own) return { candidate, why: refusal(own.issues) };
  const checking = checkArguments(tool.input, own.args);
  const checked = checking instanceof Promise ? await inTime(checking, world, context) : checking;
  if (context.signal.aborted) return { candidate, why: "the call was over" };
  if (checked === undefined) {
    const why = `it did not say within ${formatDuration(checkMs)} whether it takes these arguments`;
    const now = world.clock.elapsed();
    world.breakers.failed(candidate.registration, failure("timeout", why), { call: context.callId, now });
    return { candidate, why };
  }
  if (checked.issues !== undefined) return { candidate, why: refusal(checked.issues) };
  const effect = effectWith(tool, checked.value);
  const destructive = destructiveWith(tool, checked.value);
  const { name, aliases } = tool;
  const permission = rulingsOf(context)({ tool: name, aliases, source, effect, destructive });
  return { candidate, args: own.args, effect, permission };
}

/** What a check says; undefined where it takes too long, or the call is over. */
function inTime(
  checking: Promise<Validation<unknown>>,
  { clock }: MadeChoice["world"],
  { signal }: ToolContext,
): Promise<Validation<unknown> | undefined> {
  return new Promise((resolve) => {
    const timer = clock.after(checkMs, () => end());
    const end = (found?: Validation<unknown>): void => {
      timer.cancel();
      signal.removeEventListener("abort", onAbort);
      resolve(found);
    };
    const onAbort = (): void => end();
    signal.addEventListener("abort", onAbort);
    void checking.then(end);
  });
}

function refusal(issues: readonly Issue[]): string {
  return `it does not take these arguments: ${issues.map(({ message }) => message).join("; ")}`;
}

/** The effect of a tool with valid arguments; one that cannot be told is the most harmful. */
export function effectWith(tool: AnyTool, args: unknown): Effect {
  try {
    return effectOf(tool, args);
  } catch {
    return "once";
  }
}

/** The same for whether somebody should be asked first. */
export function destructiveWith({ destructive }: AnyTool, args: unknown): boolean {
  try {
    return typeof destructive === "function" ? destructive(args) : destructive;
  } catch {
    return true;
  }
}
