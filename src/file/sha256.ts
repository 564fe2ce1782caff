import { nodeCrypto } from "../base/index.ts";

/** From this size on, hashing runs in another thread. */
const large = 262_144;

/** The SHA-256 of bytes in hexadecimal; of many bytes without holding up the process. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  if (bytes.length < large) return nodeCrypto().createHash("sha256").update(bytes).digest("hex");
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- not where the types of browsers are loaded too
  const digest = await nodeCrypto().subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Buffer.from(digest).toString("hex");
}
