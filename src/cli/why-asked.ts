import type { Workspace } from "../app/index.ts";
import { compilePermissions } from "../engine/index.ts";
import type { Approval } from "../store/index.ts";
import type { AnyTool, Effect } from "../tool/index.ts";
import type { AgentWords } from "./agent-view/agent-words.ts";

type Asked = Pick<Approval, "tool" | "args" | "callerType">;

/**
 * What a call does to the world, and why a person is asked about it: a rule says so, or, where the rules would let it run,
 * text from outside could have led to it. Undefined where the question itself says why.
 */
export function whyAsked(
  { tool: name, args, callerType }: Asked,
  { engine, config }: Pick<Workspace, "engine" | "config">,
  words: AgentWords,
): string | undefined {
  const registered = engine.tools.resolve(name);
  if (registered === undefined || callerType !== "conversation_agent") return undefined;
  const { tool, source } = registered;
  const effect = effectOf(tool, args);
  const { permission, rule } = compilePermissions(config.permissions).rule({
    tool: tool.name,
    aliases: tool.aliases,
    source,
    callerType,
    effect,
    destructive: isDestructive(tool, args),
  });
  return words.asked(words.effects[effect], permission === "ask" ? rule : undefined);
}

/** What people see of the arguments is without secrets: a tool that looks at one may not know what to make of it. */
function effectOf({ effect }: AnyTool, args: unknown): Effect {
  return typeof effect === "function" ? orElse(() => effect(args), "once") : effect;
}

function isDestructive({ destructive }: AnyTool, args: unknown): boolean {
  return typeof destructive === "function" ? orElse(() => destructive(args), true) : destructive;
}

function orElse<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
