/**
 * A module of Node that is loaded when it is used. Loading `node:crypto` with the library would cost a quarter of its
 * import time, and many programs never need it.
 */
export function nodeCrypto(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}

/** `node:net`, likewise. */
export function nodeNet(): typeof import("node:net") {
  return process.getBuiltinModule("node:net");
}

/** `node:util`, likewise. */
export function nodeUtil(): typeof import("node:util") {
  return process.getBuiltinModule("node:util");
}
