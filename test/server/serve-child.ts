import { openWorkspace } from "../../src/app/index.ts";
import { createServer } from "../../src/server/index.ts";

// A server as a process of its own: `node serve-child.ts FOLDER TOKEN` prints its address.
const [dir = "", token = ""] = process.argv.slice(2);
const workspace = await openWorkspace(dir, { reload: false });
const server = createServer(workspace, { tokens: { admin: token } });
const { url } = await server.listen(0);
process.stdout.write(`${url}\n`);
