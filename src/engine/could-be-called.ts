import type { Effect, Registration } from "../tool/index.ts";
import type { PermissionSubject } from "./permissions.ts";

const anyEffect: readonly Effect[] = ["pure", "read", "idempotent", "once"];

/** What rules look at in a call, except for who makes it. */
export type RuledCall = Omit<PermissionSubject, "callerType">;

/** Is there any call of this tool that the rules let pass? Where the arguments decide what it does, all of that counts. */
export function couldBeCalled({ tool, source }: Registration, passes: (call: RuledCall) => boolean): boolean {
  const { name, aliases, effect, destructive } = tool;
  const effects = typeof effect === "function" ? anyEffect : [effect];
  const harms = typeof destructive === "function" ? [false, true] : [destructive];
  return effects.some((one) =>
    harms.some((harm) => passes({ tool: name, aliases, source, effect: one, destructive: harm })),
  );
}
