import { setTimeout as pause } from "node:timers/promises";

/** What has arrived is there at once; a terminal needs no longer than this to hand it over. */
const handOverMs = 25;

/** What {@link forgetTyped} needs of an input. */
export interface TypedInput {
  readonly isTTY?: boolean;
  readonly readableEnded: boolean;
  on(event: "data", take: () => void): unknown;
  off(event: "data", take: () => void): unknown;
  pause(): unknown;
}

/**
 * Forgets what was typed before a question is shown: it was meant for something else, and a `y` among it would let a
 * call run that nobody has seen.
 */
export async function forgetTyped(input: TypedInput = process.stdin): Promise<void> {
  if (input.isTTY !== true || input.readableEnded) return;
  const drop = (): void => {};
  input.on("data", drop);
  await pause(handOverMs);
  input.off("data", drop);
  input.pause();
}
