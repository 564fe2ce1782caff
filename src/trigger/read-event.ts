import { fail } from "../base/index.ts";
import { type Trigger, shortHash } from "../chain/index.ts";
import { compileValue, isExpressionError, missing } from "../expr/index.ts";
import { parseArguments } from "../schema/index.ts";
import type { NewFiring } from "../store/index.ts";
import type { WebhookRequest } from "./verify-signature.ts";

/** The event, as `${event.…}` reads it. */
export type TriggerEvent = Readonly<Record<string, unknown>>;

/** The input of a run that a trigger starts. */
interface EventInput {
  readonly input: unknown;
  /** Content that did not come from the workspace is in it. */
  readonly tainted: boolean;
}

/** The firing of a trigger for an event. It has failed already if an expression of the input cannot be evaluated. */
export function firingOf(trigger: Trigger, { key, at, event, isLasting }: FiringEvent): NewFiring {
  const about = { key, runId: runIdOf(trigger, key), at, ...(isLasting === true && { isLasting }) };
  try {
    const time = new Date(at).toISOString();
    const { input, tainted } = inputOf(trigger, { ...event, trigger: trigger.id, time });
    return { ...about, status: "waiting", input: JSON.stringify(input), tainted };
  } catch (error) {
    if (!isExpressionError(error)) throw error;
    return { ...about, status: "failed", tainted: true, reason: `the input: ${error.message}` };
  }
}

/** The event of a firing, and its identity. */
export interface FiringEvent {
  readonly key: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly event: TriggerEvent;
  readonly isLasting?: boolean;
}

function inputOf({ input, kind }: Trigger, event: TriggerEvent): EventInput {
  const { value } = compileValue(input, { missing: "drop" });
  const evaluated = value.evaluate({ event });
  // The time of a schedule comes from the clock.
  const tainted = kind !== "schedule" && value.references.some(({ root }) => root === "event");
  return { input: evaluated === missing ? {} : evaluated, tainted };
}

/** The event of a webhook. Throws if its body is JSON beyond the limits of arguments. */
export function webhookEvent({ headers, query, body }: WebhookRequest): TriggerEvent {
  return { headers: withoutCredentials(headers), query, body: parseBody(body, headers["content-type"] ?? "") };
}

/** Headers that authenticate the sender, which no run needs. */
const credentials = /^(?:authorization|cookie|proxy-authorization)$|signature/;

function withoutCredentials(headers: WebhookRequest["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !credentials.test(name)));
}

function parseBody(bytes: Uint8Array, type: string): unknown {
  const text = Buffer.from(bytes).toString("utf8");
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return Object.fromEntries(new URLSearchParams(text));
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type) || text.trim() === "") return text;
  // The limits hold for any value, not only for an object.
  const parsed = parseArguments(`{"body":${text}}`);
  const fields = parsed.issues === undefined ? Object.keys(parsed.value) : [];
  if (parsed.issues !== undefined || fields.length !== 1)
    throw fail(`the body is not JSON that can be used: ${parsed.issues?.[0]?.message ?? "it has several values"}`, {
      code: "validation_error",
    });
  return parsed.value["body"];
}

/** The run of a firing: its id is the same in every process. */
export function runIdOf({ id, kind }: Trigger, key: string): string {
  // A time is readable; other keys may have any length and characters.
  return kind === "schedule" && /^[\w-]+$/.test(key) ? `${id}-${key}` : `${id}-${shortHash([id, key], 24)}`;
}

/** A time as a part of an id: `20260308T073000Z`. */
export function timeKey(at: number): string {
  return new Date(at)
    .toISOString()
    .replaceAll(/[-:]|\.000/g, "")
    .replace(".", "_");
}
