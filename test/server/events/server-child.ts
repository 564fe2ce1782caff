// A server over a workspace, until it is killed. Arguments: folder, port, token.
import { openWorkspace } from "../../../src/app/index.ts";
import { createServer } from "../../../src/server/index.ts";

const [dir = "", port = "0", token = ""] = process.argv.slice(2);
const workspace = await openWorkspace(dir, { reload: false });
const server = createServer(workspace, { tokens: { admin: token } });
await server.listen(Number(port));
process.stdout.write("listening\n");
