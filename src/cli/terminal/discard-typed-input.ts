import { setImmediate as turn, setTimeout as pause } from "node:timers/promises";
import type { KeyInput } from "./type-ahead.ts";

/** Time that a terminal needs at most to deliver input that was already typed. */
const inputSettleMs = 25;

/**
 * Discards input that was typed before a prompt is shown: it was meant for something else, and a `y` in it would
 * approve a call that no one has seen. This includes input without Enter, which the terminal buffers in its default
 * mode. Returns the input.
 */
export async function discardTypedInput(input: KeyInput = process.stdin): Promise<string> {
  if (input.isTTY !== true || input.readableEnded) return "";
  let forgotten = "";
  const drop = (data: Buffer): void => {
    forgotten += String(data);
    // In raw mode, the terminal does not turn Ctrl-C into a signal.
    if (String(data).includes("\u0003")) process.kill(process.pid, "SIGINT");
  };
  input.setRawMode?.(true);
  input.on("data", drop);
  // A paused stream, as after every line, is not read just because it has a listener.
  input.resume();
  await pause(inputSettleMs);
  // Timers fire before input events: a process that was busy has not read its input yet.
  await turn();
  await turn();
  input.off("data", drop);
  input.pause();
  input.setRawMode?.(false);
  return forgotten;
}
