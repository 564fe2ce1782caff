// The entry of the thread that works on large data.
import { parentPort } from "node:worker_threads";
import { type DataJob, answerJob } from "./data-job.ts";

async function answer(job: string): Promise<void> {
  // Sent by DataThread.
  const told = JSON.stringify(await answerJob(JSON.parse(job) as DataJob));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads, not a window
  parentPort?.postMessage(told);
}

parentPort?.on("message", (job: string) => void answer(job));
