// The entry of the threads of the text index.
import { serveOps } from "../thread/serve-ops.ts";
import { createTextIndexOps } from "./ops.ts";

serveOps(createTextIndexOps());
