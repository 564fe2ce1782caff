// The entry of the thread that builds documents.
import { parentPort } from "node:worker_threads";
import { type ArticleJob, readArticle } from "./read-article.ts";
import type { WorkerAnswer } from "./page-thread.ts";

function answer(job: ArticleJob): WorkerAnswer {
  try {
    return { article: readArticle(job) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads, not a window
const tell = (said: WorkerAnswer): void => parentPort?.postMessage(said);

parentPort?.on("message", (job: ArticleJob) => tell(answer(job)));
tell({ ready: true });
