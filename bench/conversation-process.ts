/**
 * Measures prompts of a long conversation, in its own process: `conversation-process.ts ROUNDS` sends its samples to the
 * parent. With `server` instead, it is the model server, whose CPU time does not count.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent } from "../src/agent/index.ts";
import { type ConversationSample, conversationSizes, promptText } from "./conversation-suite.ts";
import { loadSubject } from "./subject.ts";

/** Prompts per sample; few, so that the conversation keeps its length. */
const promptsPerSample = 10;

const [role = ""] = process.argv.slice(2);
if (role === "server") serveModel();
else await measure(Number(role));

async function measure(rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "windlass-bench-"));
  const server = fork(import.meta.filename, ["server"], { execArgv: process.execArgv });
  try {
    const [port] = (await once(server, "message")) as [number];
    const model = `{ base_url: "http://127.0.0.1:${port}/v1", model: bench }`;
    writeFileSync(join(folder, "windlass.yaml"), `models: { main: ${model} }\nagent: { model: main }\n`);
    const { openWorkspace } = await loadSubject();
    const workspace = await openWorkspace(folder, { reload: false });
    const agent = await workspace.agent();
    process.send?.({ session: await samplesOf(bySession(agent), rounds), run: await samplesOf(byRun(agent), rounds) });
    await workspace.close();
  } finally {
    server.disconnect();
    rmSync(folder, { recursive: true });
    process.disconnect();
  }
}

/** Sends a prompt to a conversation and returns its answer. */
type Send = (conversation: string) => Promise<string>;

async function samplesOf(send: Send, rounds: number): Promise<ConversationSample[]> {
  const { early, late } = conversationSizes;
  // The long one first: both are then measured in a process that has run the same code often.
  for (let count = 0; count < late; count++) await send("late");
  for (let count = 0; count < early; count++) await send("early");
  const samples: ConversationSample[] = [];
  for (let round = 0; round < rounds; round++) {
    samples.push({ earlyMs: await cpuMsOf(send, "early"), lateMs: await cpuMsOf(send, "late") });
  }
  return samples;
}

/** CPU time of a prompt, in all threads. */
async function cpuMsOf(send: Send, conversation: string): Promise<number> {
  globalThis.gc?.();
  const before = process.cpuUsage();
  for (let count = 0; count < promptsPerSample; count++) await send(conversation);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / promptsPerSample;
}

function bySession(agent: Agent): Send {
  const sessions = new Map<string, ReturnType<Agent["session"]>>();
  return async (conversation) => {
    const id = `session-${conversation}`;
    let session = sessions.get(id);
    if (session === undefined) sessions.set(id, (session = agent.session({ conversationId: id })));
    return answered(await session.send(promptText));
  };
}

function byRun(agent: Agent): Send {
  return async (conversation) => answered(await agent.run(promptText, { conversationId: `run-${conversation}` }));
}

function answered({ status, answer, error }: Awaited<ReturnType<Agent["run"]>>): string {
  if (status !== "completed") throw new Error(error?.message ?? status);
  return answer;
}

/** A model server that answers at once, with as many characters as the prompt. */
function serveModel(): void {
  const message = { role: "assistant", content: promptText };
  const usage = { prompt_tokens: 1000, completion_tokens: 250, total_tokens: 1250 };
  const body = JSON.stringify({
    id: "1",
    model: "bench",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage,
  });
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.setHeader("content-type", "application/json").end(body));
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
  process.on("disconnect", () => process.exit());
}
