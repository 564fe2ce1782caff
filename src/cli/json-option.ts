import type { OptionSpec } from "./command-spec.ts";

/** Most commands have it. */
export const jsonOption: OptionSpec = { flags: "--json", about: "print JSON, for programs" };
