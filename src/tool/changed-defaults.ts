import { impliedDestructive } from "./check-effect.ts";
import type { AnyTool, Effect } from "./tool.ts";

/** Changes of a tool file to the approval of calls, for people. */
export interface ChangedDefaults {
  /** Why calls of the tool need fewer approvals than those of its entry. */
  readonly relaxed?: string;
  /** Which built-in tools it replaces. */
  readonly hides?: string;
}

/** The built-in tools by name and alias. */
export interface Builtins {
  get(name: string): AnyTool | undefined;
}

type File = Readonly<Record<string, unknown>>;

/** Finds the changes of a tool file to the approval of calls. */
export function changedDefaults(file: File, entry: File, builtins: Builtins): ChangedDefaults {
  const [relaxed, hides] = [relaxation(file, entry, builtins), replacement(file, entry, builtins)];
  return { ...(relaxed !== undefined && { relaxed }), ...(hides !== undefined && { hides }) };
}

/** Compares the effect that a file states with that of its entry. Code states its own effect. */
function relaxation({ name, effect, destructive }: File, entry: File, builtins: Builtins): string | undefined {
  const own = natureOf(entry, builtins);
  if (own === undefined) return undefined;
  const isWeaker = typeof effect === "string" && rankOf(effect, own) < rankOf(own.effect, own);
  const needsApproval = impliedDestructive(undefined, own.destructive) !== false;
  const isSilent = needsApproval && (destructive ?? impliedDestructive(effect, own.destructive)) === false;
  const details = [...(isWeaker ? [`taken as ${effect}`] : []), ...(isSilent ? ["called without approval"] : [])];
  return details.length === 0 ? undefined : `${String(name)}: ${own.label} ${details.join(", ")}`;
}

const effects = ["pure", "read", "idempotent", "once"];

/** An effect that the arguments decide counts as the strongest. */
function rankOf(effect: unknown, { staysRead }: Nature): number {
  const rank = typeof effect === "string" ? effects.indexOf(effect) : effects.length;
  return staysRead ? Math.max(1, rank) : rank;
}

interface Nature extends Pick<AnyTool, "effect"> {
  readonly label: string;
  /** Undefined if only the effect decides. */
  readonly destructive?: AnyTool["destructive"];
  /** True if `effect: pure` has no effect: the results of the entry stay untrusted. */
  readonly staysRead: boolean;
}

/** The effect of an entry by itself; undefined if its code decides. */
function natureOf(entry: File, builtins: Builtins): Nature | undefined {
  if (entry["type"] === "custom") return undefined;
  if (entry["type"] === "builtin") {
    const tool = builtins.get(String(entry["handler"]));
    return tool && { label: tool.name, effect: tool.effect, destructive: tool.destructive, staysRead: true };
  }
  const label = entryReceiver(entry);
  // A prompt: a model answers.
  if (label === undefined) return { label: "a prompt", effect: "read", destructive: false, staysRead: true };
  if (Array.isArray(entry["command"])) return { label, effect: "once", staysRead: false };
  const { method, effect } = httpEffect(entry);
  return { label: `${method} ${label}`, effect, destructive: effect !== "read", staysRead: true };
}

/** The built-in tools that the file hides; one that only delegates to it hides nothing. */
function replacement({ name, aliases }: File, entry: File, builtins: Builtins): string | undefined {
  const handler = entry["type"] === "builtin" ? builtins.get(String(entry["handler"]))?.name : undefined;
  const hidden = [name, ...(Array.isArray(aliases) ? aliases : [])].map(String).filter((own) => {
    const builtin = builtins.get(own);
    return builtin !== undefined && builtin.name !== handler;
  });
  if (hidden.length === 0) return undefined;
  const by = entry["type"] === "custom" ? String(entry["module"]) : (handler ?? entryReceiver(entry) ?? "a prompt");
  return `${hidden.join(", ")}: replaced by ${by}`;
}

/** The receiver of the values that an `entry` sends: a host, or its command. Undefined if its file names none. */
export function entryReceiver({ command, url }: File): string | undefined {
  if (Array.isArray(command)) return `the command ${String(command[0] ?? "")}`;
  return typeof url === "string" ? hostIn(url) : undefined;
}

/** The receiver if the address does not name it. */
const anyHost = "a host that the caller chooses";

/** The host of an address with references, as `example.com:8080`: only if it is written before the first reference. */
export function hostIn(address: string): string {
  const [literal = ""] = address.split("${", 1);
  if (literal !== address && !/^[a-z][a-z\d+.-]*:\/\/[^/?#\\\s]+[/?#]/i.test(literal)) return anyHost;
  return URL.parse(literal)?.host || anyHost;
}

/** Effect of each method, by the rules of HTTP. */
const methodEffects: Readonly<Record<string, Effect>> = {
  GET: "read",
  HEAD: "read",
  OPTIONS: "read",
  PUT: "idempotent",
  DELETE: "idempotent",
};

/** The method of an HTTP entry, and its effect on the server. */
export function httpEffect({ method, body }: File): {
  readonly method: string;
  readonly effect: Effect;
} {
  const own = typeof method === "string" ? method : body !== undefined && body !== null ? "POST" : "GET";
  return { method: own, effect: methodEffects[own] ?? "once" };
}
