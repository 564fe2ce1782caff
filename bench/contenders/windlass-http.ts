import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HttpContender } from "../contender.ts";
import { loadServer, loadSubject } from "../subject.ts";

/** The server of a workspace, with nothing turned off but the limit of requests per second. */
export async function create(): Promise<HttpContender> {
  const folder = mkdtempSync(join(tmpdir(), "windlass-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "windlass.yaml"), "");
  const { openWorkspace } = await loadSubject();
  const { createServer } = await loadServer();
  const workspace = await openWorkspace(folder, { reload: false });
  const token = "0123456789abcdef";
  const server = createServer(workspace, { tokens: { bench: token }, limits: { requestsPerSecond: 1e9 } });
  return { url: (await server.listen(0)).url, token };
}
