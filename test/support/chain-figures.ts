// Prints how long the largest runs take and how much memory their processes need: node test/support/chain-figures.ts
import { spawnSync } from "node:child_process";
import { largeRuns } from "./large-runs.ts";

const [expected] = process.argv.slice(2);
if (expected === undefined) {
  console.log("| run | seconds | peak memory, MB |\n| --- | ---: | ---: |");
  for (const name of ["(nothing but the engine)", ...Object.keys(largeRuns)]) {
    const { stdout, stderr } = spawnSync(process.execPath, [import.meta.filename, name], { encoding: "utf8" });
    console.log(stdout === "" ? stderr : stdout.trimEnd());
  }
} else {
  const begun = performance.now();
  await largeRuns[expected]?.run();
  const seconds = ((performance.now() - begun) / 1000).toFixed(2);
  console.log(`| ${expected} | ${seconds} | ${Math.round(process.resourceUsage().maxRSS / 1024)} |`);
}
