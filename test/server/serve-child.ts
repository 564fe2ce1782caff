// Serves the workspace of the first argument on a free port, and prints its URL.
import { openWorkspace } from "../../src/app/index.ts";
import { createServer } from "../../src/server/index.ts";

const [dir = ""] = process.argv.slice(2);
const workspace = await openWorkspace(dir, { reload: false });
const server = createServer(workspace, { tokens: { admin: "admin-token-of-the-tests" } });
const { url } = await server.listen(0);
console.log(url);
