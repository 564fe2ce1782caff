import type { Scope } from "../../api/index.ts";
import { type Clock, nodeCrypto } from "../../base/index.ts";

/** The principal and the rights of a session. */
export interface SessionGrant {
  readonly name: string;
  readonly scopes: readonly Scope[];
}

interface Code {
  readonly hash: Buffer;
  readonly grant: SessionGrant;
  readonly expiresAt: number;
}

const validMs = 5 * 60_000;
const maxCodes = 100;

/** One-time codes of the links that a server prints. They end with the process. */
export class SessionCodes {
  /** Oldest first. */
  #codes: readonly Code[] = [];
  readonly #clock: Pick<Clock, "elapsed">;

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock;
  }

  /** A code that can be redeemed once, for five minutes. */
  create(grant: SessionGrant): string {
    const code = nodeCrypto().randomBytes(24).toString("base64url");
    const expiresAt = this.#clock.elapsed() + validMs;
    this.#codes = [...this.#codes, { hash: hashOf(code), grant, expiresAt }].slice(-maxCodes);
    return code;
  }

  /** The session of a code, once. Undefined if the code is wrong, used or too old. */
  redeem(code: string): SessionGrant | undefined {
    const now = this.#clock.elapsed();
    const hash = hashOf(code);
    const found = this.#codes.find((each) => nodeCrypto().timingSafeEqual(each.hash, hash));
    this.#codes = this.#codes.filter((each) => each !== found && now < each.expiresAt);
    return found !== undefined && now < found.expiresAt ? found.grant : undefined;
  }
}

function hashOf(code: string): Buffer {
  return nodeCrypto().createHash("sha256").update(code).digest();
}
