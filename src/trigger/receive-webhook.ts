import { LruMap, fail } from "../base/index.ts";
import type { Trigger } from "../chain/index.ts";
import type { NewFiring } from "../store/index.ts";
import { firingOf, webhookEvent } from "./read-event.ts";
import type { TriggerDeps } from "./trigger-deps.ts";
import { type WebhookRequest, verifySignature } from "./verify-signature.ts";

/** Deliveries of one webhook that may come at once, and per second after that. */
const burst = 100;
const perSecond = 10;

interface Allowance {
  left: number;
  at: number;
}

/** A verified request that starts nothing: the sender checks the address. */
export interface Challenge {
  readonly challenge: string;
}

/** Verifies and limits the deliveries of webhooks. */
export class WebhookReceiver {
  readonly #deps: Pick<TriggerDeps, "clock" | "secret">;
  readonly #allowances = new LruMap<Allowance>({ maxEntries: 1_000 });

  constructor(deps: Pick<TriggerDeps, "clock" | "secret">) {
    this.#deps = deps;
  }

  /**
   * The firing of a delivery; undefined if its signature is not valid. Throws if there are too many, or the body cannot be
   * used.
   */
  receive(trigger: Trigger, request: WebhookRequest, newKey: () => string): NewFiring | Challenge | undefined {
    const { verify } = trigger;
    const now = this.#deps.clock.now();
    const secrets = this.#secretsOf(trigger);
    const verified = verify === undefined ? undefined : verifySignature(verify, request, { secrets, now });
    if (verified?.valid !== true) return undefined;
    const event = webhookEvent(request);
    const challenge = verify === "slack" ? challengeIn(event["body"]) : undefined;
    if (challenge !== undefined) return { challenge };
    const key = verified.id ?? newKey();
    return firingOf(trigger, { key, at: now, event: { ...event, id: key } });
  }

  /** Counts a new delivery. Throws if there are too many. */
  admit(trigger: Trigger): void {
    const now = this.#deps.clock.elapsed();
    const allowance = this.#allowances.get(trigger.id) ?? { left: burst, at: now };
    this.#allowances.set(trigger.id, allowance);
    allowance.left = Math.min(burst, allowance.left + ((now - allowance.at) / 1_000) * perSecond);
    allowance.at = now;
    if (allowance.left < 1)
      throw fail(`more than ${perSecond} deliveries per second came for ${trigger.id}`, { code: "rejected" });
    allowance.left--;
  }

  #secretsOf({ secrets }: Trigger): readonly string[] {
    const { secret } = this.#deps;
    const values = secrets.flatMap((name) => secret(name) ?? []);
    if (values.length > 0) return values;
    throw fail(`the secret of this webhook has no value: ${secrets.join(", ")}`, { code: "not_available" });
  }
}

/** The text that Slack expects back. */
function challengeIn(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const { type, challenge } = body as { readonly type?: unknown; readonly challenge?: unknown };
  return type === "url_verification" && typeof challenge === "string" ? challenge : undefined;
}

/** True if a delivery only checks the address. */
export function isChallenge(received: NewFiring | Challenge): received is Challenge {
  return "challenge" in received;
}
