import { FailureError, nameGlob } from "../base/index.ts";
import type { CallerType } from "../store/index.ts";
import { suggest } from "../text/index.ts";
import type { Effect } from "../tool/index.ts";

/**
 * Rules tried in the order deny, ask, allow; the first match decides and no match denies. A rule is
 * `[caller:]selector`: the caller `model`, `person`, `chain` or `mcp`; the selector a tool name with `*`, or
 * `effect:once`, `source:mcps`, `destructive`, `*`. A rule of `allow` may end with ` trusted`: then a destructive call is
 * not asked about either when text from outside could have led to it.
 */
export interface PermissionRules {
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly allow?: readonly string[];
}

/** What the rules say about one call. */
export type Permission = "deny" | "ask" | "allow";

/** What a rule may look at. */
export interface PermissionSubject {
  readonly tool: string;
  /** Other names of the tool: a rule that names one of them means the tool. */
  readonly aliases: readonly string[];
  readonly source: string;
  readonly callerType: CallerType;
  readonly effect: Effect;
  readonly destructive: boolean;
}

/** What a person types is consent; what a model decides, here or at an MCP client, is asked for when it is destructive. */
export const defaultPermissions: Required<PermissionRules> = {
  deny: [],
  ask: ["model:destructive", "mcp:destructive"],
  allow: ["*"],
};

const callers: ReadonlyMap<string, CallerType> = new Map([
  ["model", "conversation_agent"],
  ["conversation_agent", "conversation_agent"],
  ["person", "direct"],
  ["direct", "direct"],
  ["chain", "workflow_node"],
  ["workflow_node", "workflow_node"],
  ["mcp", "mcp_client"],
  ["mcp_client", "mcp_client"],
]);

const effects = new Set<string>(["pure", "read", "idempotent", "once"]);

type Matcher = (subject: PermissionSubject) => boolean;

/** The decision, and the rule that made it; no rule when nothing matched. */
export interface Ruling {
  readonly permission: Permission;
  readonly rule?: string;
  /** It allows also what text from outside could have led to. */
  readonly trusted?: boolean;
}

/** Rules that were read once. */
export interface Permissions {
  /** Decides a call. */
  readonly rule: (subject: PermissionSubject) => Ruling;
  /** What is decided for every call of such a caller, whatever it is: most often nothing else has to be looked at. */
  readonly always: (caller: CallerType) => Ruling | undefined;
}

/** A missing list keeps its default. */
export function compilePermissions(rules: PermissionRules = {}): Permissions {
  const ordered = (["deny", "ask", "allow"] as const).flatMap((permission) =>
    (rules[permission] ?? defaultPermissions[permission]).map((rule) => ({
      permission,
      rule,
      ...checkTrusted(permission, rule, compileRule(rule)),
    })),
  );
  const same = new Map<CallerType, Ruling>();
  for (const type of new Set(callers.values())) {
    const first = ordered.find(({ caller }) => caller === undefined || caller === type);
    if (first === undefined || first.matches === anything) same.set(type, first ?? { permission: "deny" });
  }
  return {
    always: (caller) => same.get(caller),
    rule: (subject) => {
      const applies = ({ caller, matches, permission }: (typeof ordered)[number]): boolean =>
        (caller === undefined || caller === subject.callerType) &&
        matches(permission === "allow" ? withOwnNames(subject) : subject);
      return ordered.find(applies) ?? { permission: "deny" };
    },
  };
}

/**
 * A server gives its tools what short names it likes: they may be denied and asked about by them, and a rule that allows
 * a tool of the workspace by its name does not mean them.
 */
function withOwnNames(subject: PermissionSubject): PermissionSubject {
  return subject.source === "mcps" && subject.aliases.length > 0 ? { ...subject, aliases: [] } : subject;
}

interface Rule {
  /** Whose calls it is about; everybody's where undefined. */
  readonly caller: CallerType | undefined;
  readonly matches: Matcher;
  readonly trusted: boolean;
}

const trustedEnding = /\s+trusted$/;

/** A rule, taken apart. */
interface Said {
  readonly caller: CallerType | undefined;
  readonly selector: string;
  readonly trusted: boolean;
}

function takeApart(rule: string): Said {
  const said = rule.replace(trustedEnding, "");
  const colon = said.indexOf(":");
  const caller = colon === -1 ? undefined : callers.get(said.slice(0, colon));
  return { caller, selector: caller === undefined ? said : said.slice(colon + 1), trusted: said !== rule };
}

/** What a rule selects by; of one tool or one source, `value` is its name. */
interface Selector {
  readonly kind: "tool" | "source" | "other";
  readonly value: string;
}

/** How a rule selects. */
export function selectorIn(rule: string): Selector {
  const { selector } = takeApart(rule);
  if (selector.startsWith("source:")) return { kind: "source", value: selector.slice("source:".length) };
  return { kind: selector === "destructive" || /[:*]/.test(selector) ? "other" : "tool", value: selector };
}

/** The one tool that a rule is about, by the name in it; undefined where it selects by something else. */
export function toolInRule(rule: string): string | undefined {
  const { kind, value } = selectorIn(rule);
  return kind === "tool" ? value : undefined;
}

/** The selectors that are words, and no names. */
export const selectorWords: readonly string[] = ["destructive", ...[...effects].map((effect) => `effect:${effect}`)];

function compileRule(rule: string): Rule {
  const { caller, selector, trusted } = takeApart(rule);
  return { caller, matches: compileSelector(selector, rule), trusted };
}

/** Nothing is trusted that is denied or asked about. */
function checkTrusted(permission: Permission, rule: string, compiled: Rule): Rule {
  if (!compiled.trusted || permission === "allow") return compiled;
  throw new FailureError(`"${rule}" says trusted, which only rules of allow can; take the word out`, {
    code: "file_invalid",
  });
}

const anything: Matcher = () => true;

function compileSelector(selector: string, rule: string): Matcher {
  if (selector === "*") return anything;
  if (selector === "destructive") return (subject) => subject.destructive;
  const colon = selector.indexOf(":");
  const [kind, value] = colon === -1 ? ["tool", selector] : [selector.slice(0, colon), selector.slice(colon + 1)];
  if (kind === "effect" && effects.has(value)) return (subject) => subject.effect === value;
  if (kind === "source" && value !== "") return (subject) => subject.source === value;
  if (kind === "tool" && value !== "") return compileGlob(value);
  if (kind === "capability")
    throw new FailureError(
      `"${rule}" is not a permission rule: rules are about the tools that serve a capability; name those ` +
        `(windlass tools show capability:${value} tells which)`,
      { code: "file_invalid" },
    );
  throw new FailureError(
    `"${rule}" is not a permission rule; write [caller:]selector, with the caller model, person, chain or mcp, and the ` +
      `selector a tool name (with * for any part), effect:once, source:mcps, destructive or *; a rule of allow may end with ` +
      `" trusted"${meantKind(kind, value)}`,
    { code: "file_invalid" },
  );
}

/** What most likely was meant before a colon, or could stand behind it. */
function meantKind(kind: string, value: string): string {
  const [...all] = effects;
  if (kind === "effect") return `; after effect: comes ${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;
  const near = suggest(kind, ["effect", "source", ...callers.keys()]);
  if (near === undefined || near === kind) return "";
  const meant = near === "effect" && !effects.has(value) ? (suggest(value, effects) ?? "once") : value;
  return `; did you mean "${near}:${meant}"?`;
}

function compileGlob(glob: string): Matcher {
  const fits = nameGlob(glob);
  return ({ tool, aliases }) => fits(tool) || aliases.some(fits);
}
