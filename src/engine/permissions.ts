import { FailureError, cliCommand, foldedNameGlob } from "../base/index.ts";
import type { CallerType } from "../store/index.ts";
import { suggest } from "../text/index.ts";
import type { Effect, Registration } from "../tool/index.ts";

/**
 * Permission rules, checked in the order `deny`, `ask`, `allow`: the first match decides, and a call that matches no rule is
 * denied. A rule is `[caller:]selector`: the caller `model`, `person`, `chain`, `mcp`, `api`, `trigger` or `library`; the
 * selector a tool name with `*`, in any case, or `effect:once`, `source:mcps`, `destructive`, `sends`, `*`. A rule of `allow` may end
 * with ` trusted`: then even a destructive call that untrusted content may have caused needs no approval.
 *
 * A `deny` rule for any caller on the path to a call wins. The denial of tools that no rule allows applies only to tools
 * that a caller calls itself, not to the steps of a chain that it may call.
 */
export interface PermissionRules {
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly allow?: readonly string[];
}

/** Result of the rules for one call. */
export type Permission = "deny" | "ask" | "allow";

/** Properties of a call that rules can match. */
export interface PermissionSubject {
  readonly tool: string;
  /** Other names of the tool: a rule that names one of them applies to the tool. */
  readonly aliases: readonly string[];
  /** Names of the tool that it delegates to: a rule of `deny` or `ask` that names one of them applies to the tool. */
  readonly handlerNames?: readonly string[] | undefined;
  readonly source: string;
  readonly callerType: CallerType;
  /** The callers of the calls and runs that contain this call: a `deny` rule for one of them applies. */
  readonly callerPath?: readonly CallerType[] | undefined;
  /** True if a tool of the workspace makes the call, not the caller itself: it needs no rule that allows it. */
  readonly indirect?: boolean | undefined;
  readonly effect: Effect;
  readonly destructive: boolean;
  /** True if the tool sends data to others. Default: false. */
  readonly sends?: boolean | undefined;
}

/**
 * Default rules. Calls that a person types are allowed; destructive calls that a model decides on, here or at an MCP
 * client, and those in runs that a trigger starts need approval.
 */
export const defaultPermissions: Required<PermissionRules> = {
  deny: [],
  ask: ["model:destructive", "mcp:destructive", "trigger:destructive"],
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
  ["api", "api"],
  ["trigger", "trigger"],
  ["library", "library"],
]);

const effects = new Set<string>(["pure", "read", "idempotent", "once"]);

type Matcher = (subject: PermissionSubject) => boolean;

/** The decision, and the rule that made it; no rule if nothing matched. */
export interface PermissionDecision {
  readonly permission: Permission;
  readonly rule?: string;
  /** True if the rule also allows tainted calls. */
  readonly trusted?: boolean;
  /** True if the rule names the tool, rather than a property of it. */
  readonly namesTool?: boolean;
}

/** Compiled permission rules. */
export interface Permissions {
  /** Decides a call. */
  readonly decide: (subject: PermissionSubject) => PermissionDecision;
  /** Returns the decision if it is the same for every call of this caller: usually nothing else has to be checked. */
  readonly always: (caller: CallerType) => PermissionDecision | undefined;
  /** True if the decision may depend on these callers along the path. */
  readonly dependsOnPath: (path: readonly CallerType[]) => boolean;
}

interface OrderedRule extends Rule {
  readonly permission: Permission;
  readonly rule: string;
}

/** Compiles permission rules. A missing list keeps its default. */
export function compilePermissions(rules: PermissionRules = {}): Permissions {
  const [deny, ask, allow] = (["deny", "ask", "allow"] as const).map((permission) =>
    (rules[permission] ?? defaultPermissions[permission]).map((rule): OrderedRule => {
      const compiled = checkTrusted(permission, rule, compileRule(rule));
      return { permission, rule, ...compiled };
    }),
  ) as [OrderedRule[], OrderedRule[], OrderedRule[]];
  // A workspace that lists the tools of a caller allows no others, regardless of the default rules about approval.
  const isOpen = (type: CallerType): boolean =>
    rules.allow === undefined || allow.some((rule) => isFor(rule, type) && rule.matches === anything);
  // The steps of a chain are its own affair unless rules for `chain` list them.
  const listsSteps = allow.some(({ caller }) => caller === "workflow_node");
  const unlisted = (type: CallerType, indirect: boolean | undefined): PermissionDecision =>
    indirect === true || (type === "workflow_node" && !listsSteps) ? { permission: "allow" } : { permission: "deny" };

  const decide = (subject: PermissionSubject): PermissionDecision => {
    const { callerType: type, indirect } = subject;
    const denied = firstDenial(deny, subject);
    if (denied !== undefined) return denied;
    const approvalRule = firstApprovalRule(ask, subject);
    if (approvalRule !== undefined && (isOpen(type) || (rules.ask !== undefined && approvalRule.namesTool)))
      return approvalRule;
    const allowed = firstAllowance(allow, withOwnNames(subject)) ?? unlisted(type, indirect);
    return allowed.permission === "allow" && approvalRule !== undefined ? approvalRule : allowed;
  };
  const same = new Map<CallerType, PermissionDecision>();
  for (const type of new Set(callers.values())) {
    const first = [...deny, ...ask, ...allow].find((rule) => isFor(rule, type));
    const varies = first?.permission === "ask" && (!isOpen(type) || ask.some(({ namesTool }) => namesTool));
    if (first?.matches === anything && !varies) same.set(type, first);
    if (first === undefined && type === "workflow_node") same.set(type, unlisted(type, false));
  }
  const ofPath = new Set([...deny, ...ask.filter(holdsAlongPath)].map(({ caller }) => caller));
  return {
    always: (caller) => same.get(caller),
    decide,
    dependsOnPath: (path) => path.some((caller) => ofPath.has(caller)),
  };
}

// Loops, because a model's calls are decided one by one, and closures for each took longer than the rules.

function firstDenial(rules: readonly OrderedRule[], subject: PermissionSubject): OrderedRule | undefined {
  for (const rule of rules) if (isOnPath(rule, subject) && rule.matches(subject)) return rule;
  return undefined;
}

/**
 * The first rule that requires approval. One that names the tool goes before others, because an approval of a chain does
 * not cover such a call.
 */
function firstApprovalRule(rules: readonly OrderedRule[], subject: PermissionSubject): OrderedRule | undefined {
  let first: OrderedRule | undefined;
  for (const rule of rules) {
    const applies = isFor(rule, subject.callerType) || (holdsAlongPath(rule) && isOnPath(rule, subject));
    if (!applies || !rule.matches(subject)) continue;
    if (rule.namesTool) return rule;
    first ??= rule;
  }
  return first;
}

/** A trigger makes no calls itself: its rules are about the steps of its runs. */
function holdsAlongPath({ namesTool, caller }: Rule): boolean {
  return namesTool || caller === "trigger";
}

function firstAllowance(rules: readonly OrderedRule[], subject: PermissionSubject): OrderedRule | undefined {
  for (const rule of rules) if (isFor(rule, subject.callerType) && rule.matches(subject)) return rule;
  return undefined;
}

function isFor({ caller }: Rule, type: CallerType): boolean {
  return caller === undefined || caller === type;
}

function isOnPath(rule: Rule, { callerType, callerPath }: PermissionSubject): boolean {
  return isFor(rule, callerType) || callerPath?.some((before) => before === rule.caller) === true;
}

/**
 * Removes aliases that an MCP server chose, and the names of a tool that a file delegates to. They count for `deny` and
 * `ask`, but an `allow` rule that names a tool must not match a server's tool with that alias, or another tool that
 * delegates to it.
 */
function withOwnNames(subject: PermissionSubject): PermissionSubject {
  if (subject.handlerNames !== undefined) return { ...subject, handlerNames: undefined };
  return subject.source === "mcps" && subject.aliases.length > 0 ? { ...subject, aliases: [] } : subject;
}

interface Rule {
  /** The caller it applies to. Default: all callers. */
  readonly caller: CallerType | undefined;
  readonly matches: Matcher;
  readonly trusted: boolean;
  readonly namesTool: boolean;
}

const trustedEnding = /\s+trusted$/;

function takeApart(rule: string): {
  readonly caller: CallerType | undefined;
  readonly selector: string;
  readonly trusted: boolean;
} {
  const text = rule.replace(trustedEnding, "");
  const colon = text.indexOf(":");
  const caller = colon === -1 ? undefined : callers.get(text.slice(0, colon));
  return { caller, selector: caller === undefined ? text : text.slice(colon + 1), trusted: text !== rule };
}

/** Returns the selector of a rule. */
export function selectorIn(rule: string): { readonly kind: "tool" | "source" | "other"; readonly value: string } {
  const { selector } = takeApart(rule);
  if (selector.startsWith("source:")) return { kind: "source", value: selector.slice("source:".length) };
  return { kind: isKeyword(selector) || /[:*]/.test(selector) ? "other" : "tool", value: selector };
}

/** Returns the name of the one tool that a rule applies to; undefined if it selects by something else. */
export function toolInRule(rule: string): string | undefined {
  const { kind, value } = selectorIn(rule);
  return kind === "tool" ? value : undefined;
}

function isKeyword(selector: string): boolean {
  return selector === "destructive" || selector === "sends";
}

/** The selectors that are keywords and not tool names. */
export const selectorWords: readonly string[] = [
  "destructive",
  "sends",
  ...[...effects].map((effect) => `effect:${effect}`),
];

function compileRule(rule: string): Rule {
  const { caller, selector, trusted } = takeApart(rule);
  const namesTool = selector !== "*" && !isKeyword(selector) && !/^(effect|source):/.test(selector);
  return { caller, matches: compileSelector(selector, rule), trusted, namesTool };
}

/** Refuses `trusted` in rules of `deny` and `ask`. */
function checkTrusted(permission: Permission, rule: string, compiled: Rule): Rule {
  if (!compiled.trusted || permission === "allow") return compiled;
  throw new FailureError(`"${rule}" says trusted, which is only valid in rules of allow; remove the word`, {
    code: "file_invalid",
  });
}

const anything: Matcher = () => true;

function compileSelector(selector: string, rule: string): Matcher {
  if (selector === "*") return anything;
  if (selector === "destructive") return (subject) => subject.destructive;
  if (selector === "sends") return (subject) => subject.sends === true;
  const colon = selector.indexOf(":");
  const [kind, value] = colon === -1 ? ["tool", selector] : [selector.slice(0, colon), selector.slice(colon + 1)];
  if (kind === "effect" && effects.has(value)) return (subject) => subject.effect === value;
  if (kind === "source" && value !== "") return (subject) => subject.source === value;
  if (kind === "tool" && value !== "") return compileGlob(value);
  if (kind === "capability")
    throw new FailureError(
      `"${rule}" is not a permission rule: rules apply to the tools that serve a capability; name those ` +
        `(list them with: ${cliCommand(`tools show capability:${value}`)})`,
      { code: "file_invalid" },
    );
  throw new FailureError(
    `"${rule}" is not a permission rule; write [caller:]selector, with the caller model, person, chain, mcp, api, ` +
      `trigger or library, and the selector a tool name (with * for any part), effect:once, source:mcps, destructive, ` +
      `sends or *; a rule of allow may end with ` +
      `" trusted"${suggestRuleKind(kind, value)}`,
    { code: "file_invalid" },
  );
}

/** Suggests a correction for the word before a colon, or the values that may follow it. */
function suggestRuleKind(kind: string, value: string): string {
  const [...all] = effects;
  if (kind === "effect") return `; after effect: comes ${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;
  const near = suggest(kind, ["effect", "source", ...callers.keys()]);
  if (near === undefined || near === kind) return "";
  const resolved = near === "effect" && !effects.has(value) ? (suggest(value, effects) ?? "once") : value;
  return `; did you mean "${near}:${resolved}"?`;
}

function compileGlob(glob: string): Matcher {
  const fits = foldedNameGlob(glob);
  return ({ tool, aliases, handlerNames }) => fits(tool) || aliases.some(fits) || handlerNames?.some(fits) === true;
}

const anyEffect: readonly Effect[] = ["pure", "read", "idempotent", "once"];

/** Properties of a call that rules match, except for the caller. */
export type RuleSubject = Omit<PermissionSubject, "callerType" | "callerPath" | "indirect">;

/**
 * True if the rules allow any call of this tool. If its effect depends on the arguments, every possible effect counts.
 */
export function isEverAllowed({ tool, source }: Registration, passes: (call: RuleSubject) => boolean): boolean {
  const { name, aliases, handlerNames, effect, destructive, sends } = tool;
  const effects = typeof effect === "function" ? anyEffect : [effect];
  const harms = typeof destructive === "function" ? [false, true] : [destructive];
  return effects.some((one) =>
    harms.some((harm) => passes({ tool: name, aliases, handlerNames, source, effect: one, destructive: harm, sends })),
  );
}
