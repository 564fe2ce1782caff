import { type ChildProcess, spawn } from "node:child_process";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { adminToken } from "../serve-workspace.ts";

const program = join(import.meta.dirname, "server-child.ts");

/** A port that is free at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A process with a server over a workspace. */
export async function startServer(dir: string, port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, dir, String(port), adminToken], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise<void>((resolve, reject) => {
    child.once("exit", () => reject(new Error("the server did not start")));
    child.stdout?.once("data", () => resolve());
  });
  return child;
}

export async function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGKILL");
  await ended;
}
