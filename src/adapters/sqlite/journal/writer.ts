// The entry of the writer thread.
import { serveOps } from "./serve-ops.ts";
import { createWriterOps } from "./writer-ops.ts";

serveOps(createWriterOps());
