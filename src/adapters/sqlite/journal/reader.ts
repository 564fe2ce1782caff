// The entry of the reader thread.
import { openForReading } from "./open-database.ts";
import { createReaderOps } from "./reader-ops.ts";
import { serveOps } from "../thread/serve-ops.ts";

serveOps(createReaderOps(openForReading));
