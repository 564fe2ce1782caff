import type * as Crypto from "node:crypto";
import type * as Net from "node:net";
import type * as Util from "node:util";

/**
 * A module of Node that is loaded when it is used. Loading `node:crypto` with the library would cost a quarter of its
 * import time, and many programs never need it.
 */
export function nodeCrypto(): typeof Crypto {
  return process.getBuiltinModule("node:crypto");
}

/** `node:net`, likewise. */
export function nodeNet(): typeof Net {
  return process.getBuiltinModule("node:net");
}

/** `node:util`, likewise. */
export function nodeUtil(): typeof Util {
  return process.getBuiltinModule("node:util");
}
