import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Plan } from "./plan.ts";
import type { ConversationRow } from "./results.ts";
import { ratioOf, spreadOf } from "./statistics.ts";

/** Number of earlier prompts in a conversation. */
export const conversationSizes = { early: 100, late: 1000 } as const;

/** The prompt; answers have the same length. A hundred of both nearly fill the default context window. */
export const promptText: string = "What changed since the first release? ".repeat(27).slice(0, 1000);

/** CPU time of one prompt in a short and in a long conversation, measured one right after the other. */
export interface ConversationSample {
  readonly earlyMs: number;
  readonly lateMs: number;
}

const child = fileURLToPath(new URL("conversation-process.ts", import.meta.url));

/** Measures what a prompt costs in a conversation with few and with many earlier ones. */
export async function conversationSuite(plan: Plan): Promise<ConversationRow[]> {
  const samples: Record<string, ConversationSample[]> = {};
  for (let count = 0; count < plan.processes; count++) {
    for (const [id, more] of Object.entries(await measured(plan.rounds))) (samples[id] ??= []).push(...more);
  }
  return Object.entries(samples).map(([id, all]) => {
    const early = all.map(({ earlyMs }) => earlyMs);
    const late = all.map(({ lateMs }) => lateMs);
    return { id, early: spreadOf(early), late: spreadOf(late), ratio: ratioOf(late, early) };
  });
}

async function measured(rounds: number): Promise<Record<string, ConversationSample[]>> {
  const started = fork(child, [String(rounds)], {
    execArgv: ["--expose-gc", "--disable-warning=ExperimentalWarning"],
  });
  const ended = once(started, "exit");
  const samples = await Promise.race([once(started, "message"), ended.then(() => undefined)]);
  if (samples === undefined) throw new Error("the conversation could not be measured");
  await ended;
  return (samples as [Record<string, ConversationSample[]>])[0];
}
