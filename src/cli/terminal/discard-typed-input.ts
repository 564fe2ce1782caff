import { setImmediate as turn, setTimeout as pause } from "node:timers/promises";
import type { KeyInput } from "./typed-ahead.ts";

/** What has arrived is there at once; a terminal needs no longer than this to hand it over. */
const handOverMs = 25;

/**
 * Forgets what was typed before a question is shown: it was meant for something else, and a `y` among it would let a
 * call run that nobody has seen. Also what was typed without Enter, which the terminal keeps to itself in its usual mode.
 * Gives what it was.
 */
export async function forgetTyped(input: KeyInput = process.stdin): Promise<string> {
  if (input.isTTY !== true || input.readableEnded) return "";
  let forgotten = "";
  const drop = (data: Buffer): void => {
    forgotten += String(data);
    // Meanwhile the terminal makes no signal of it.
    if (String(data).includes("\u0003")) process.kill(process.pid, "SIGINT");
  };
  input.setRawMode?.(true);
  input.on("data", drop);
  // One that was paused, as at the end of every line, is not read just because somebody listens.
  input.resume();
  await pause(handOverMs);
  // Timers go before what has arrived: a process that was busy has not looked yet.
  await turn();
  await turn();
  input.off("data", drop);
  input.pause();
  input.setRawMode?.(false);
  return forgotten;
}
