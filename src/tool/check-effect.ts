import { type FileReport, isRecord } from "../schema/index.ts";
import type { EntryPlan } from "./entry-plan.ts";
import type { AnyTool } from "./tool.ts";

type File = Readonly<Record<string, unknown>>;

/** Reports an effect that contradicts the entry or the cache, and calls that need no approval. */
export function checkEffect(file: File, plan: EntryPlan, report: FileReport): void {
  checkCache(file, plan, report);
  checkPure(file, plan, report);
  checkApproval(file, plan, report);
}

function checkCache({ cache, effect }: File, plan: EntryPlan, report: FileReport): void {
  const known = effect ?? plan.effect;
  if ((cache ?? undefined) === undefined || (known !== "once" && known !== "idempotent")) return;
  const message = `results of a tool with the effect "${known}" cannot be cached`;
  const hint = 'set "effect" to read or pure if that is correct';
  report.add("useless_cache", ["cache"], [message, { part: "key", hint }]);
}

/** A model may act on the results of a pure tool without approval, so nothing that comes from elsewhere is pure. */
function checkPure({ effect, entry }: File, { isExternal }: EntryPlan, report: FileReport): void {
  const isCommand = isRecord(entry) && Array.isArray(entry["command"]);
  if (effect !== "pure" || !(isExternal === true || isCommand)) return;
  const message = isCommand
    ? "the results of a pure tool count as trusted, and a command can read anything"
    : "this entry returns content from elsewhere, so its effect is read";
  const hint = isCommand ? "use read unless the output depends only on the arguments" : 'write "effect: read"';
  report.add("not_pure", ["effect"], [message, { severity: "warning", hint }]);
}

function checkApproval({ effect, destructive }: File, plan: EntryPlan, report: FileReport): void {
  if (destructive !== false || impliedDestructive(effect, plan.destructive) === false) return;
  const message = '"destructive: false": no call of this tool needs approval, even if it changes or deletes something';
  const hint = "remove this line unless that is intended";
  report.add("no_approval", ["destructive"], [message, { part: "key", severity: "warning", hint }]);
}

/**
 * `destructive` of a tool file that does not state it. An effect adds approval (`once`), and never removes that of an
 * entry: only `destructive: false` does. Of an entry without one, such as a command, only the effect decides.
 */
export function impliedDestructive(
  effect: unknown,
  ofEntry: AnyTool["destructive"] | undefined,
): AnyTool["destructive"] {
  if (effect === "once") return true;
  return ofEntry ?? (effect !== "pure" && effect !== "read");
}
