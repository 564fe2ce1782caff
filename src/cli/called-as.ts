type Environment = Readonly<Record<string, string | undefined>>;

/** Is this the script `windlass` of our own package.json? npm runs it in the folder of the package. */
function isOwnScript(env: Environment): boolean {
  return env["npm_package_name"] === "windlass" && env["npm_lifecycle_event"] === "windlass";
}

/** The folder in which `npm run windlass` was typed; undefined where the program was called otherwise. */
export function typedIn(env: Environment): string | undefined {
  return isOwnScript(env) ? env["INIT_CWD"] : undefined;
}

/** The folder inside of which npm finds our script; undefined where the program was called otherwise. */
export function scriptRoot(env: Environment): string | undefined {
  return isOwnScript(env) ? env["npm_package_json"]?.replace(/[\\/]package\.json$/, "") : undefined;
}

/** The words with which the program was called, to show in command lines. */
export function calledAs(env: Environment): string {
  if (isOwnScript(env)) return "npm run -s windlass --";
  return env["npm_lifecycle_event"] === "npx" ? "npx windlass" : "windlass";
}
