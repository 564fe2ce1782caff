// Entry point of the thread that reads documents.
import { errorMessage } from "../../base/index.ts";
import { parentPort } from "node:worker_threads";
import type { PageWorkerReply } from "./page-thread.ts";
import { type Article, type ArticleJob, readArticle } from "./read-article.ts";
import { type DocumentJob, readDocument } from "./read-document.ts";

/** Returns undefined if the search for the content throws: the text of the page can still be read. */
function findArticle(job: ArticleJob): Article | undefined {
  try {
    return readArticle(job);
  } catch {
    return undefined;
  }
}

async function answer(job: DocumentJob): Promise<void> {
  try {
    postAnswer({ document: await readDocument(job, { findArticle }) });
  } catch (error) {
    postAnswer({ fault: errorMessage(error) });
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads, not a window
const postAnswer = (reply: PageWorkerReply): void => parentPort?.postMessage(reply);

parentPort?.on("message", (job: DocumentJob) => void answer(job));
postAnswer({ ready: true });
