import { parseAllowList } from "../net/index.ts";
import { isRecord } from "../schema/index.ts";
import type { AnyTool, Effect, TargetKind, ToolResult } from "../tool/index.ts";
import type { CallContext } from "./call-context.ts";

/** The untrusted content in the arguments of a call. */
export interface UntrustedArguments {
  /**
   * The parameters that contain untrusted content, each as the file has it: a text such as
   * `https://example.com/${steps.find.output.id}`, or a list of these; undefined if all of the value is untrusted.
   * `all`: every parameter is untrusted.
   */
  readonly parameters: ReadonlyMap<string, unknown> | "all";
  /** Kinds of targets that untrusted content may decide, as the step states. */
  readonly allowed?: readonly TargetKind[];
  /** True if the URL appears verbatim in the prompt, or in an earlier result of the run or conversation. */
  readonly knowsUrl?: KnowsUrl | undefined;
}

/** True if the URL appears verbatim in the prompt, or in an earlier result of the run or conversation. */
export type KnowsUrl = (url: string) => boolean;

/**
 * The untrusted content in the arguments of a call. Every argument of a tainted call counts, unless its caller states
 * which ones do.
 */
export function untrustedArgumentsOf({
  tainted,
  untrustedArguments,
}: Pick<CallContext, "tainted" | "untrustedArguments">): UntrustedArguments | undefined {
  return untrustedArguments ?? (tainted === true ? allUntrusted : undefined);
}

const allUntrusted: UntrustedArguments = { parameters: "all" };

/** A call whose targets are checked. */
export interface TargetedCall {
  readonly args: unknown;
  readonly effect: Effect;
  readonly isDestructive: () => boolean;
  readonly isTrustedHost: (url: string) => boolean;
}

/** The kind of target that is decided by untrusted content; undefined if there is none and no approval is needed. */
export function findUntrustedTarget(
  { targets }: Pick<AnyTool, "targets">,
  call: TargetedCall,
  untrusted: UntrustedArguments,
): TargetKind | undefined {
  const { parameters, allowed = [] } = untrusted;
  const args = isRecord(call.args) ? call.args : {};
  for (const [name, kind] of Object.entries(targets ?? {})) {
    const isUntrusted = parameters === "all" || parameters.has(name);
    if (!isUntrusted || args[name] === undefined || allowed.includes(kind)) continue;
    const written = parameters === "all" ? undefined : parameters.get(name);
    if (decidesTarget(kind, { value: args[name], written }, { ...call, args, untrusted })) return kind;
  }
  return undefined;
}

interface CheckedCall extends TargetedCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly untrusted: UntrustedArguments;
}

/** A value, and the text in the file that it was computed from. */
interface WrittenValue {
  readonly value: unknown;
  readonly written: unknown;
}

function decidesTarget(kind: TargetKind, { value, written }: WrittenValue, call: CheckedCall): boolean {
  if (Array.isArray(value) && Array.isArray(written) && value.length === written.length)
    return value.some((item, at) => decidesTarget(kind, { value: item, written: written[at] }, call));
  if (typeof written !== "string") return decidesWrittenTarget(kind, { value, written: undefined }, call);
  return written.includes("${") && decidesWrittenTarget(kind, { value, written }, call);
}

function decidesWrittenTarget(
  kind: TargetKind,
  { value, written }: { readonly value: unknown; readonly written: string | undefined },
  call: CheckedCall,
): boolean {
  switch (kind) {
    case "command":
      return true;
    case "path":
      return call.isDestructive() && ![...textsIn(value)].every((path) => isOneSegment(path, written));
    case "url":
      if (written !== undefined && hasLiteralHost(written)) return false;
      return ![...textsIn(value)].every((url) => call.isTrustedHost(url) || (isPlainRead(call) && isKnown(url, call)));
    default:
      return kind satisfies never;
  }
}

/**
 * True if untrusted content may decide a target, as far as the text in the file shows: the value is not known yet.
 *
 * @param written The parameter as the file has it.
 */
export function mayDecideTarget(
  kind: TargetKind,
  written: unknown,
  { reads, isDestructive }: { readonly reads: boolean; readonly isDestructive: boolean },
): boolean {
  if (Array.isArray(written)) return written.some((item) => mayDecideTarget(kind, item, { reads, isDestructive }));
  if (typeof written !== "string") return mayDecideTarget(kind, "${}", { reads, isDestructive });
  if (!written.includes("${")) return false;
  const reference = onlyReference(written.trim());
  const isWhole = reference?.before === "" && reference.after === "";
  switch (kind) {
    case "command":
      return true;
    case "path":
      return isDestructive && (reference === undefined || isWhole);
    case "url":
      // A whole URL that is only read has usually appeared in an earlier result.
      return isWhole ? !reads : !hasLiteralHost(written);
    default:
      return kind satisfies never;
  }
}

function isKnown(url: string, { untrusted: { knowsUrl } }: CheckedCall): boolean {
  return knowsUrl?.(url) === true;
}

/** True if the text in the file states the host: `https://example.com/${…}`. */
function hasLiteralHost(written: string): boolean {
  const [literal = ""] = written.split("${", 1);
  return /^[a-z][a-z\d+.-]*:\/\/[^/?#\\\s]+[/?#]/i.test(literal);
}

/** Parameters that carry data to the host, in addition to its URL. */
const carrying =
  /^(?:body|data|json|form|files?|payload|content|text|message|headers?|cookies?|query|params|search|auth|token)$/i;

/** True for a GET request without a body, headers or query of its own: it sends nothing but its URL. */
function isPlainRead({ effect, args }: CheckedCall): boolean {
  return (
    (effect === "read" || effect === "pure") &&
    !Object.entries(args).some(([name, value]) => carrying.test(name) && value !== undefined && value !== null)
  );
}

/** True if the untrusted part of a path is one segment, as in `notes/${steps.page.output.title}.md`. */
function isOneSegment(path: string, written = "${}"): boolean {
  const reference = onlyReference(written);
  if (reference === undefined || path.split(/[/\\]/).some((segment) => segment === "." || segment === ".."))
    return false;
  const { before, after } = reference;
  const isTemplate = path.startsWith(before) && path.endsWith(after) && path.length > before.length + after.length;
  return isTemplate && !/[/\\]/.test(path.slice(before.length, path.length - after.length));
}

/** The text around the only reference in a text of the file; undefined if it has several. */
function onlyReference(written: string): { readonly before: string; readonly after: string } | undefined {
  const start = written.indexOf("${");
  if (start < 0 || written.indexOf("${", start + 1) >= 0) return undefined;
  return { before: written.slice(0, start), after: written.slice(written.lastIndexOf("}") + 1) };
}

/** The texts in a value at any depth, with the names of its keys if they are requested. */
export function* textsIn(value: unknown, options: { readonly keys?: boolean } = {}, depth = 0): Generator<string> {
  if (typeof value === "string") yield value;
  if (typeof value !== "object" || value === null || depth > maxDepth) return;
  if (options.keys === true && !Array.isArray(value)) yield* Object.keys(value);
  for (const item of Object.values(value)) yield* textsIn(item, options, depth + 1);
}

/** Data from a file or a tool never nests deeper. */
const maxDepth = 1000;

/** True if the URLs in a result come from elsewhere than the caller or a model, which could have composed them. */
export function bringsUrls(
  { success, meta }: ToolResult,
  effect: Effect | undefined,
  tool?: Pick<AnyTool, "callerContent">,
): boolean {
  const isByModel = meta["tokensUsed"] !== undefined || meta["modelUse"] !== undefined;
  return success && effect !== "pure" && !isByModel && tool?.callerContent !== true;
}

/**
 * The untrusted content in the arguments of a nested call: parameters with the same value as in the outer call, and those
 * whose texts contain an untrusted text of the outer call.
 */
export function nestedUntrusted(untrusted: UntrustedArguments, outerArgs: unknown, args: unknown): UntrustedArguments {
  const { parameters } = untrusted;
  if (parameters === "all") return untrusted;
  const outer = isRecord(outerArgs) ? outerArgs : {};
  const texts = [...parameters.keys()].flatMap((name) => [...textsIn(outer[name])]).filter((text) => text !== "");
  const found = new Map<string, unknown>();
  for (const [name, value] of Object.entries(isRecord(args) ? args : {})) {
    if (parameters.has(name) && value === outer[name]) found.set(name, parameters.get(name));
    else if ([...textsIn(value)].some((own) => texts.some((text) => own.includes(text)))) found.set(name, undefined);
  }
  return { ...untrusted, parameters: found };
}

/** Returns a check of a URL's host against a list of names, `*.example.com` and addresses, with or without a port. */
export function trustedHosts(entries: readonly string[]): (url: string) => boolean {
  if (entries.length === 0) return () => false;
  const list = parseAllowList(entries, "trustedHosts");
  return (text) => {
    const url = URL.parse(text);
    if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return false;
    const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
    return list.opensHost(url.hostname, port);
  };
}
