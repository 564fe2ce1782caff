// Entry point of the thread that works on large data.
import { parentPort } from "node:worker_threads";
import { type DataJob, runDataJob } from "./data-job.ts";

async function answer(job: string): Promise<void> {
  // Sent by DataThread.
  const result = JSON.stringify(await runDataJob(JSON.parse(job) as DataJob));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads, not a window
  parentPort?.postMessage(result);
}

parentPort?.on("message", (job: string) => void answer(job));
