import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { HttpContender } from "./contender.ts";
import { loadContender } from "./load-contender.ts";
import type { Work } from "./work.ts";

const load = fileURLToPath(new URL("http-load.ts", import.meta.url));
/** Requests per repetition. */
const units = 64;

/** Calls of `echo` over HTTP, from another process. Every response is checked. */
export async function httpWork([file = ""]: readonly string[]): Promise<Work> {
  const { url, token } = await loadContender<HttpContender>(file);
  const clients = fork(load, [url, token], { execArgv: [] });
  await once(clients, "message");
  await send(clients, units);
  return { units, prepare: (repetitions) => () => send(clients, repetitions * units) };
}

async function send(clients: ChildProcess, count: number): Promise<void> {
  const answer = once(clients, "message") as Promise<[number]>;
  clients.send(count);
  const [answered] = await answer;
  if (answered !== count) throw new Error(`${count - answered} of ${count} requests got no right answer`);
}
