import { fail, cliCommand, nodeCrypto } from "../base/index.ts";
import { type RunResult, type Trigger } from "../chain/index.ts";
import type { Firing, NewFiring, TriggerState } from "../store/index.ts";
import { suggestHint } from "../text/index.ts";
import { scheduleOf } from "./fire-schedules.ts";
import { FiringQueue } from "./firing-queue.ts";
import { type TriggerEvent, firingOf } from "./read-event.ts";
import { WebhookReceiver, isChallenge } from "./receive-webhook.ts";
import { serveTriggers } from "./serve-triggers.ts";
import type { TriggerDeps } from "./trigger-deps.ts";
import { type TriggerStanding, type TriggerStatus, standingOf, writesTo } from "./trigger-state.ts";
import type { WebhookRequest } from "./verify-signature.ts";

/** A trigger, as people see it. */
export interface TriggerInfo extends Pick<Trigger, "id" | "chain" | "kind" | "expression" | "overlap"> {
  readonly timezone?: string;
  /** The file that defines it, relative to the workspace. */
  readonly file?: string;
  readonly status: TriggerStatus;
  /** Why it does not fire, and what to do. */
  readonly message?: string;
  /** The latest firing that started a run. */
  readonly last?: TriggerState["last"];
  /** The next time of a schedule; epoch milliseconds. */
  readonly next?: number;
  /** Firings that wait for an earlier run. */
  readonly waiting: number;
}

/** A firing and its outcome. */
export interface FiringOutcome extends Pick<Firing, "status" | "reason"> {
  readonly triggerId: string;
  readonly runId: string;
  /** The same delivery came before. */
  readonly isRepeated: boolean;
}

/** The outcome of a delivery to a webhook. */
export type DeliveryOutcome =
  | { readonly kind: "unknown" }
  | { readonly kind: "unverified" }
  | { readonly kind: "challenge"; readonly challenge: string }
  | { readonly kind: "fired"; readonly firing: FiringOutcome; readonly waitsForOutput: boolean };

/** Options for firing by hand. */
export interface FireOptions {
  /** The value of `${event}`. Default: only the trigger and the time. */
  readonly event?: TriggerEvent;
  /** The person. */
  readonly principal?: string;
  /** The same key fires once. Default: a new one. */
  readonly key?: string;
}

/** Deliveries that wait for earlier runs; more are refused. */
const maxWaiting = 100;

/**
 * The triggers of a workspace: schedules, webhooks and watched files that start runs of its chains. A firing starts at most
 * one run, also if several servers, restarts or repeated deliveries meet.
 *
 * @example
 * ```ts
 * for (const { id, next } of await workspace.triggers.list()) console.log(id, next);
 * ```
 *
 * @see docs/guide/triggers.md
 */
export class Triggers {
  readonly #deps: TriggerDeps;
  readonly #queue: FiringQueue;
  readonly #webhooks: WebhookReceiver;

  constructor(deps: TriggerDeps) {
    this.#deps = deps;
    this.#queue = new FiringQueue(deps);
    this.#webhooks = new WebhookReceiver(deps);
  }

  /** All triggers of the files, with their last and next time. */
  async list(): Promise<readonly TriggerInfo[]> {
    const standings = await this.#standings();
    const open = await this.#deps.store.open();
    const now = this.#deps.clock.now();
    return standings.map(({ trigger, status, message, state }) => {
      const { id, chain, kind, expression, overlap, timezone, file } = trigger;
      const next = status === "active" && kind === "schedule" ? scheduleOf(trigger)?.next(now) : undefined;
      const waiting = open.filter((firing) => firing.triggerId === id && firing.status === "waiting").length;
      return {
        id,
        chain,
        kind,
        expression,
        overlap,
        status,
        waiting,
        ...(timezone !== undefined && { timezone }),
        ...(file !== undefined && { file }),
        ...(message !== undefined && { message }),
        ...(state?.last !== undefined && { last: state.last }),
        ...(next !== undefined && { next }),
      };
    });
  }

  /** Fires a trigger now, also if it is paused, and beside other runs of it. */
  async fire(
    id: string,
    { event = {}, principal, key: own = nodeCrypto().randomUUID() }: FireOptions = {},
  ): Promise<FiringOutcome> {
    const { trigger, status, message } = await this.#require(id);
    if (status !== "active" && status !== "paused") throw cannotFire(id, message);
    await this.#register([trigger]);
    const key = `by hand ${own}`;
    const firing = firingOf(trigger, { key, at: this.#deps.clock.now(), event });
    await this.#deps.store.add(
      id,
      this.#closed({ ...firing, ...(principal !== undefined && { principal }) }),
      Infinity,
    );
    await this.#deps.store.begin(id, key, "always");
    await this.#queue.dispatch(trigger, false);
    return this.#outcome(id, key);
  }

  /** A paused trigger does not fire. Times of a schedule that pass in the meantime are not missed. */
  async pause(id: string): Promise<void> {
    await this.#changeable(id);
    await this.#deps.store.pause(id, { pausedAt: this.#deps.clock.now() });
  }

  async resume(id: string): Promise<void> {
    await this.#changeable(id);
    await this.#deps.store.pause(id, { resumedAt: this.#deps.clock.now() });
  }

  /** Lets a trigger fire whose file was written by a tool, with its present definition. */
  async approve(id: string): Promise<void> {
    const { trigger, write } = await this.#changeable(id);
    await this.#deps.store.approve(id, { digest: trigger.digest, write }, this.#deps.clock.now());
  }

  /** Handles a delivery to the webhook of this name. Throws if it cannot be taken now, or its body cannot be used. */
  async deliver(name: string, request: WebhookRequest): Promise<DeliveryOutcome> {
    const all = await this.#standings();
    const found = all.find(({ trigger }) => trigger.kind === "webhook" && trigger.expression === name);
    if (found === undefined) return { kind: "unknown" };
    const { trigger, status, message } = found;
    const received = this.#webhooks.receive(trigger, request, () => nodeCrypto().randomUUID());
    if (received === undefined) return { kind: "unverified" };
    if (isChallenge(received)) return { kind: "challenge", challenge: received.challenge };
    if (status !== "active") throw cannotFire(trigger.id, message);
    const firing = await this.#take(trigger, received);
    return { kind: "fired", firing, waitsForOutput: trigger.reply === "output" };
  }

  async #take(trigger: Trigger, firing: NewFiring): Promise<FiringOutcome> {
    const { store } = this.#deps;
    const { id } = trigger;
    const [known] = await store.known(id, [firing.key]);
    if (known === undefined) this.#webhooks.admit(trigger);
    await this.#register([trigger]);
    const added = await store.add(id, this.#closed(firing), maxWaiting);
    if (added === "full")
      throw fail(`${maxWaiting} deliveries wait for the runs of ${id}; send it again later`, { code: "rejected" });
    // The process that stored a repeated delivery may have ended before it started the run.
    await this.#queue.dispatch(trigger);
    return { ...(await this.#outcome(id, firing.key)), isRepeated: added === "known" };
  }

  /** Waits until the run of a firing has ended, or waits for a person. */
  result(runId: string, signal: AbortSignal): Promise<RunResult> {
    return this.#deps.runs.result(runId, signal);
  }

  /** Fires schedules and watches files, until the signal is aborted. Any number of processes may do so. */
  serve(signal: AbortSignal): Promise<void> {
    return serveTriggers(
      {
        ...this.#deps,
        standings: () => this.#standings(),
        register: (triggers) => this.#register(triggers),
        dispatch: (trigger, begins) => this.#queue.dispatch(trigger, begins),
      },
      signal,
    );
  }

  async #outcome(id: string, key: string): Promise<FiringOutcome> {
    const found = await this.#deps.store.get(id, key);
    const { runId = "", status = "waiting", reason } = found ?? {};
    return { triggerId: id, runId, status, isRepeated: false, ...(reason !== undefined && { reason }) };
  }

  /** The store may keep an input for long: known secrets are not written there. */
  #closed(firing: NewFiring): NewFiring {
    const { input } = firing;
    if (input === undefined) return firing;
    return { ...firing, input: JSON.stringify(this.#deps.redactor.known(JSON.parse(input))) };
  }

  async #standings(): Promise<readonly TriggerStanding[]> {
    const { store, defined, dir } = this.#deps;
    const all = defined();
    const [states, written] = await Promise.all([store.list(), store.writtenFiles()]);
    const byId = new Map(states.map((state) => [state.id, state]));
    const files = all.map(({ trigger }) => trigger.file);
    const writes = await writesTo(files, written, dir);
    return all.map((one) => standingOf(one, byId.get(one.trigger.id), writes.get(one.trigger.file ?? "") ?? 0));
  }

  async #require(id: string): Promise<TriggerStanding> {
    const standings = await this.#standings();
    const found = standings.find(({ trigger }) => trigger.id === id);
    if (found !== undefined) return found;
    const ids = standings.map(({ trigger }) => trigger.id);
    const hint = suggestHint(id, ids) ?? `list them with: ${cliCommand("triggers")}`;
    throw fail(`there is no trigger ${JSON.stringify(id)}; ${hint}`, {
      code: "validation_error",
      reason: unknownTrigger,
    });
  }

  async #changeable(id: string): Promise<TriggerStanding> {
    const found = await this.#require(id);
    const { status, message, trigger } = found;
    if (status === "untrusted" || status === "invalid") throw cannotFire(id, message);
    await this.#register([trigger]);
    return found;
  }

  async #register(triggers: readonly Pick<Trigger, "id" | "digest">[]): Promise<void> {
    const { store, clock } = this.#deps;
    await store.register(
      triggers.map(({ id, digest }) => ({ id, digest })),
      clock.now(),
    );
  }
}

/** Reason of the failure for an id that no trigger has. */
export const unknownTrigger = "unknown_trigger";

function cannotFire(id: string, message: string | undefined): Error {
  return fail(`the trigger ${id} does not fire: ${message ?? "it is not active"}`, {
    code: "not_available",
    reason: "inactive_trigger",
  });
}
