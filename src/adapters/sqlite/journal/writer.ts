// The entry of the writer thread.
import { serveOps } from "../thread/serve-ops.ts";
import { createWriterOps } from "./writer-ops.ts";

serveOps(createWriterOps());
