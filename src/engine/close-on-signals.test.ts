import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

const program = (grace: string): string => `
import { closeOnSignals, createEngine } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
import { defineTool } from ${JSON.stringify(new URL("../tool/index.ts", import.meta.url).href)};
const work = defineTool({
  name: "work",
  description: "works until it is stopped",
  effect: "read",
  run: (_args, { signal }) => new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 60_000);
    signal.addEventListener("abort", () => { clearTimeout(timer); console.log("stopped"); reject(signal.reason); });
  }),
});
const engine = createEngine({ tools: [work] });
closeOnSignals({ close: () => engine.close({ drainMs: ${grace} }) });
engine.call(work, {}).then((result) => console.log(result.error.code));
console.log("ready");
`;

async function start(grace: string) {
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", program(grace)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  const ready = new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("ready")) resolve();
    });
  });
  await ready;
  const ended = once(child, "close").then(([, signal]) => ({ signal: signal as string, output }));
  return { child, ended };
}

test("SIGTERM stops running calls, then ends the process by that signal", async () => {
  const { child, ended } = await start("50");
  child.kill("SIGTERM");
  const { signal, output } = await ended;
  expect(output.split("\n")).toEqual(["ready", "stopped", "cancelled", ""]);
  expect(signal).toBe("SIGTERM");
});

test("a second signal ends the process immediately", async () => {
  const { child, ended } = await start("60_000");
  child.kill("SIGINT");
  setTimeout(() => child.kill("SIGINT"), 200);
  const { signal, output } = await ended;
  expect(output).toBe("ready\n");
  expect(signal).toBe("SIGINT");
});
