// The entry of the threads of the text index.
import { serveOps } from "./serve-ops.ts";
import { createTextIndexOps } from "./text-index-ops.ts";

serveOps(createTextIndexOps());
