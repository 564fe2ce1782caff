// Serves the workspace of a folder, and prints its address. Arguments: folder, the point at which it kills itself.
import { writeSync } from "node:fs";
import { openWorkspace } from "../../src/app/index.ts";
import { createServer } from "../../src/server/index.ts";
import type { KillPoint } from "./server-process.ts";

const [folder = "", killAt] = process.argv.slice(2);
const opened = await openWorkspace(folder, { reload: false });
const { idempotencyKeys: keys, calls } = opened;

function killIf(point: KillPoint): void {
  if (point === killAt) process.kill(process.pid, "SIGKILL");
}

const submit = calls.submit.bind(calls);
calls.submit = async (...call) => {
  killIf("before the work");
  const submitted = await submit(...call);
  killIf("after the begin of the work");
  return submitted;
};
const workspace = {
  ...opened,
  idempotencyKeys: {
    begin: (...request: Parameters<typeof keys.begin>) => keys.begin(...request),
    started: (...work: Parameters<typeof keys.started>) => keys.started(...work),
    complete: async (...work: Parameters<typeof keys.complete>) => {
      killIf("before the response is stored");
      await keys.complete(...work);
      killIf("before the response is sent");
    },
  },
};
const server = createServer(workspace, { tokens: { admin: "admin-token-of-the-tests" } });
const { url } = await server.listen(0);
writeSync(1, `${url}\n`);
