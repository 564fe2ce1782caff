// The entry of the thread of the page cache.
import { createPageOps } from "./page-ops.ts";
import { serveOps } from "../thread/serve-ops.ts";

serveOps(createPageOps());
