type Environment = Readonly<Record<string, string | undefined>>;

/** True for the `windlass` script of our own package.json, which npm runs in the folder of the package. */
function isWindlassScript(env: Environment): boolean {
  return env["npm_package_name"] === "windlass" && env["npm_lifecycle_event"] === "windlass";
}

/** The folder in which `npm run windlass` was typed; undefined if the program was started differently. */
export function npmInvocationFolder(env: Environment): string | undefined {
  return isWindlassScript(env) ? env["INIT_CWD"] : undefined;
}

/** The folder in which npm finds our script; undefined if the program was started differently. */
export function scriptRoot(env: Environment): string | undefined {
  return isWindlassScript(env) ? env["npm_package_json"]?.replace(/[\\/]package\.json$/, "") : undefined;
}

/** The words with which the program was started, for suggested commands. */
export function commandPrefix(env: Environment, program = ""): string {
  if (isWindlassScript(env)) return "npm run -s windlass --";
  const isLocal = /[\\/]node_modules[\\/]\.bin[\\/][^\\/]+$/.test(program);
  return isLocal || env["npm_lifecycle_event"] === "npx" ? "npx windlass" : "windlass";
}

/** A command of the program, as the user has to type it. For files that are loaded for help; see also `cliCommand`. */
export function programCommand(words: string): string {
  return `${commandPrefix(process.env, process.argv[1])} ${words}`;
}
