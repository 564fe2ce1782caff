// The entry of the thread of the memories.
import { createMemoryOps } from "./memory-ops.ts";
import { serveOps } from "../thread/serve-ops.ts";

serveOps(createMemoryOps());
