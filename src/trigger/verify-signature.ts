import { nodeCrypto } from "../base/index.ts";
import type { Trigger } from "../chain/index.ts";

/** A request to a webhook, as it arrived. */
export interface WebhookRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A verified delivery: its id, if the sender states one; or why it is refused. */
export type Verification = { readonly valid: true; readonly id: string | undefined } | { readonly valid: false };

/** Difference between the clocks of sender and receiver, and the time of a retry. */
const toleranceMs = 5 * 60_000;

/** A timestamp and candidates for the signature of a text that is made of them and the body. */
interface Signed {
  /** Epoch milliseconds; undefined if the scheme signs no time. */
  readonly at: number | undefined;
  /** The text before the body. */
  readonly prefix: string;
  readonly signatures: readonly Buffer[];
  readonly key: (secret: string) => Buffer;
  /** Identifies the delivery; the body is read only after the signature was verified. */
  readonly id: () => string | undefined;
}

type ReadSigned = (request: WebhookRequest) => Signed | undefined;

const digits = /^\d{1,12}$/;

const schemes: Readonly<Record<NonNullable<Trigger["verify"]>, ReadSigned>> = {
  github({ headers }) {
    const hex = /^sha256=([\da-f]{64})$/i.exec(headers["x-hub-signature-256"] ?? "")?.[1];
    if (hex === undefined) return undefined;
    const id = (): string | undefined => headers["x-github-delivery"];
    return { at: undefined, prefix: "", signatures: [Buffer.from(hex, "hex")], key: plainKey, id };
  },
  stripe({ headers, body }) {
    const parts = (headers["stripe-signature"] ?? "").split(",").map((part) => part.trim().split("="));
    const time = parts.find(([name]) => name === "t")?.[1] ?? "";
    const hex = parts.flatMap(([name, value = ""]) => (name === "v1" && /^[\da-f]{64}$/i.test(value) ? [value] : []));
    if (!digits.test(time) || hex.length === 0) return undefined;
    const signatures = hex.slice(0, maxSignatures).map((value) => Buffer.from(value, "hex"));
    return { at: Number(time) * 1_000, prefix: `${time}.`, signatures, key: plainKey, id: () => fieldIn(body, "id") };
  },
  slack({ headers, body }) {
    const time = headers["x-slack-request-timestamp"] ?? "";
    const hex = /^v0=([\da-f]{64})$/i.exec(headers["x-slack-signature"] ?? "")?.[1];
    if (!digits.test(time) || hex === undefined) return undefined;
    // Commands and interactions have no id. Each has its own signature.
    const id = (): string => fieldIn(body, "event_id") ?? hex.toLowerCase();
    const signatures = [Buffer.from(hex, "hex")];
    return { at: Number(time) * 1_000, prefix: `v0:${time}:`, signatures, key: plainKey, id };
  },
  standard({ headers }) {
    const id = headers["webhook-id"] ?? "";
    const time = headers["webhook-timestamp"] ?? "";
    const listed = (headers["webhook-signature"] ?? "").split(" ").flatMap((part) => /^v1,(.+)$/.exec(part)?.[1] ?? []);
    if (id === "" || !digits.test(time) || listed.length === 0) return undefined;
    const signatures = listed.slice(0, maxSignatures).map((text) => Buffer.from(text, "base64"));
    const key = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    return { at: Number(time) * 1_000, prefix: `${id}.${time}.`, signatures, key, id: () => id };
  },
};

/** A sender states one for each of its secrets. */
const maxSignatures = 8;

/**
 * Verifies the signature of a delivery over the bytes that arrived. Every secret is compared with every signature, in
 * constant time; a timestamp may differ from the clock by five minutes.
 */
export function verifySignature(
  scheme: NonNullable<Trigger["verify"]>,
  request: WebhookRequest,
  { secrets, now }: { readonly secrets: readonly string[]; readonly now: number },
): Verification {
  const signed = schemes[scheme](request);
  if (signed === undefined) return { valid: false };
  const { at, prefix, signatures, key, id } = signed;
  let matches = 0;
  for (const secret of secrets) {
    const bytes = key(secret);
    // An empty key would verify what anyone can sign.
    if (bytes.length === 0) continue;
    const expected = nodeCrypto().createHmac("sha256", bytes).update(prefix).update(request.body).digest();
    for (const signature of signatures) matches += Number(isSame(expected, signature));
  }
  if (matches === 0 || (at !== undefined && Math.abs(now - at) > toleranceMs)) return { valid: false };
  return { valid: true, id: id() };
}

function plainKey(secret: string): Buffer {
  return Buffer.from(secret, "utf8");
}

function isSame(expected: Buffer, signature: Buffer): boolean {
  return signature.length === expected.length && nodeCrypto().timingSafeEqual(expected, signature);
}

/** A text in a JSON body. */
function fieldIn(body: Uint8Array, name: string): string | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString("utf8"));
    const field: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
    return typeof field === "string" && field !== "" ? field : undefined;
  } catch {
    return undefined;
  }
}
