import { canonicalJson, nodeCrypto } from "../../base/index.ts";
import type { missedPolicies, overlapPolicies, TriggerSpec, webhookReplies, webhookSchemes } from "./trigger-spec.ts";

/** Kinds of triggers. */
export type TriggerKind = "schedule" | "webhook" | "file";

/** A trigger of a workspace: starts runs of a chain. */
export interface Trigger {
  readonly id: string;
  /** The chain that it runs. */
  readonly chain: string;
  readonly kind: TriggerKind;
  /** The schedule, the name of the webhook, or the pattern of paths. */
  readonly expression: string;
  readonly timezone: string | undefined;
  readonly missed: (typeof missedPolicies)[number];
  readonly overlap: (typeof overlapPolicies)[number];
  readonly verify: (typeof webhookSchemes)[number] | undefined;
  /** Names of the secrets that signatures are checked with. */
  readonly secrets: readonly string[];
  readonly reply: (typeof webhookReplies)[number];
  /** As written in the file. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The file that defines it, relative to the workspace; undefined for a chain that is built in. */
  readonly file: string | undefined;
  /** Identifies the definition. */
  readonly digest: string;
}

/** The kinds that a trigger of a file has; one if it is valid. */
export function triggerKinds(spec: TriggerSpec): readonly TriggerKind[] {
  return (["schedule", "webhook", "file"] as const).filter((kind) => spec[kind] !== undefined);
}

/** Ids of triggers: parts of URLs, and the beginnings of the ids of their runs. */
export const triggerIdPattern: RegExp = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/;

/** The last part of the path of a webhook. */
export const webhookName: RegExp = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const secretReference = /^\s*\$\{\s*secret\.([A-Za-z_][\w-]*)\s*\}\s*$/;

/** The name of the secret that a text refers to; undefined if it is something else, such as the secret itself. */
export function secretReferenceIn(text: string): string | undefined {
  return secretReference.exec(text)?.[1];
}

/** The triggers of a chain: those that have a kind. */
export function triggersOf(
  specs: readonly TriggerSpec[],
  from: { readonly chain: string; readonly file: string | undefined; readonly timezone: string | undefined },
): Trigger[] {
  return specs.flatMap((spec) => {
    const [kind, ...others] = triggerKinds(spec);
    return kind === undefined || others.length > 0 ? [] : [triggerOf(spec, kind, from)];
  });
}

function triggerOf(
  spec: TriggerSpec,
  kind: TriggerKind,
  { chain, file, timezone: zone }: Parameters<typeof triggersOf>[1],
): Trigger {
  const written = (spec[kind] ?? "").trim();
  const expression = kind === "webhook" ? written.replace(/^\/+/, "") : written;
  const timezone = kind === "schedule" ? (spec.timezone ?? zone) : undefined;
  const { missed = "last", reply = "accepted", verify, input = {} } = spec;
  const overlap = spec.overlap ?? defaultOverlap(kind, missed);
  const secrets = [spec.secret ?? []].flat().flatMap((secret) => secretReferenceIn(secret) ?? []);
  const about = { chain, kind, expression, timezone, missed, overlap, verify, secrets, reply, input };
  const id = spec.id ?? defaultId(chain, kind, { expression, timezone: spec.timezone });
  return { id, ...about, file, digest: shortHash(about, 32) };
}

/** A person expects one report for each morning, and a run for each order. */
function defaultOverlap(kind: TriggerKind, missed: Trigger["missed"]): Trigger["overlap"] {
  if (kind !== "schedule") return "parallel";
  return missed === "all" ? "queue" : "skip";
}

/** Chain, kind and expression. A webhook has a readable name; other expressions are shortened to a hash. */
function defaultId(
  chain: string,
  kind: TriggerKind,
  { expression, timezone = null }: { readonly expression: string; readonly timezone: string | null | undefined },
): string {
  const own = kind === "webhook" ? expression : shortHash(kind === "schedule" ? [expression, timezone] : expression, 8);
  const id = `${chain}-${kind}-${own}`;
  return triggerIdPattern.test(id) ? id : `${kind}-${shortHash([chain, expression], 20)}`;
}

/** The first hexadecimal digits of a hash. */
export function shortHash(value: unknown, digits: number): string {
  return nodeCrypto().createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, digits);
}
