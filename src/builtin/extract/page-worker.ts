// The entry of the thread that reads documents.
import { parentPort } from "node:worker_threads";
import type { WorkerAnswer } from "./page-thread.ts";
import { type Article, type ArticleJob, readArticle } from "./read-article.ts";
import { type DocumentJob, readDocument } from "./read-document.ts";

/** A page that breaks the search for its content still has its text. */
function findArticle(job: ArticleJob): Article | undefined {
  try {
    return readArticle(job);
  } catch {
    return undefined;
  }
}

async function answer(job: DocumentJob): Promise<void> {
  try {
    tell({ document: await readDocument(job, { findArticle }) });
  } catch (error) {
    tell({ fault: error instanceof Error ? error.message : String(error) });
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads, not a window
const tell = (said: WorkerAnswer): void => parentPort?.postMessage(said);

parentPort?.on("message", (job: DocumentJob) => void answer(job));
tell({ ready: true });
