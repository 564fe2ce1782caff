import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach } from "vitest";

/** The folder of the heavy packages that only slow tests need; `npm ci --prefix test/full` installs them. */
export const packagesFolder: string = join(import.meta.dirname, "node_modules");

const remedy = "install the packages of these tests: npm ci --prefix test/full";

/** Skips the tests of a file if the packages are not installed. In CI they must be. */
export function needsPackages(): void {
  const isInstalled = existsSync(join(packagesFolder, ".package-lock.json"));
  beforeEach(({ skip }) => {
    if (isInstalled) return;
    if (process.env["CI"] !== undefined) throw new Error(remedy);
    skip(remedy);
  });
}

/** Loads one of the packages. Its types are not imported: without the packages, the types of the tests are still checked. */
export async function loadPackage<Package>(name: string): Promise<Package> {
  return (await import(name)) as Package;
}
