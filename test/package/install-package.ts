/** An empty project into which the packed package is installed, as users get it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** A project with the package and its dependencies, and nothing else. */
export interface InstalledPackage {
  readonly dir: string;
  /** The installed package. */
  readonly packageDir: string;
  /** Adds a package that users have besides. */
  add(name: string): void;
  write(files: Readonly<Record<string, string>>): void;
  /** Runs a module of the project; returns what it prints, or throws with its errors. */
  run(file: string, ...args: readonly string[]): string;
  remove(): void;
}

/**
 * Packs the package and unpacks it into a new project. Only the dependencies that it declares are there, as links: they
 * need no network, and a package that is used but not declared is not found.
 */
export function installPackage(): InstalledPackage {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "windlass-package-")));
  const modules = join(dir, "node_modules");
  const packageDir = join(modules, "windlass");
  mkdirSync(packageDir, { recursive: true });
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", dir];
  const tarball = execFileSync("npm", pack, { cwd: root, encoding: "utf8" }).trim();
  execFileSync("tar", ["-xzf", join(dir, tarball), "--strip-components=1", "-C", packageDir]);
  const add = (name: string): void => {
    const link = join(modules, name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(realpathSync(join(root, "node_modules", name)), link);
  };
  const { dependencies = {} } = JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8")) as {
    dependencies?: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) add(name);
  const installed: InstalledPackage = {
    dir,
    packageDir,
    add,
    write: (files) => {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(dir, name)), { recursive: true });
        writeFileSync(join(dir, name), text);
      }
    },
    run: (file, ...args) =>
      execFileSync(process.execPath, [file, ...args], { cwd: dir, encoding: "utf8", stdio: "pipe" }),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
  installed.write({ "package.json": '{ "name": "project", "private": true, "type": "module" }\n' });
  return installed;
}
