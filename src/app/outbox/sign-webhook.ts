import { fail, nodeCrypto } from "../../base/index.ts";

/** A message in the form of Standard Webhooks. */
export interface WebhookMessage {
  /** The same for every attempt, so that the receiver can drop repetitions. */
  readonly id: string;
  /** Time of the attempt in epoch milliseconds. */
  readonly at: number;
  readonly body: string;
}

const prefix = "whsec_";

/** The headers that sign a message: id, timestamp in seconds, and an HMAC-SHA256 of both with the body. */
export function signWebhook({ id, at, body }: WebhookMessage, secret: string): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const mac = nodeCrypto().createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${mac}` };
}

/** A secret with the prefix of Standard Webhooks is base64; any other is used as it is. */
function keyOf(secret: string): Buffer {
  if (!secret.startsWith(prefix)) return Buffer.from(secret, "utf8");
  const key = Buffer.from(secret.slice(prefix.length), "base64");
  if (key.length > 0) return key;
  throw fail(`the secret begins with ${prefix}, but no base64 follows`, { code: "validation_error" });
}
