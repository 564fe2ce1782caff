import { createRequire } from "node:module";
import type * as Ajv from "ajv";
import type * as Ajv2020 from "ajv/dist/2020.js";
import type * as JsonP3 from "json-p3";
import type * as JsoncParser from "jsonc-parser";
import type * as Re2js from "re2js";
import type * as Yaml from "yaml";

const require = createRequire(import.meta.url);

/** Packages that are large and often not needed. */
export interface LazyPackages {
  readonly yaml: typeof Yaml;
  readonly re2js: typeof Re2js;
  readonly ajv: typeof Ajv;
  readonly "ajv/dist/2020.js": typeof Ajv2020;
  readonly "json-p3": typeof JsonP3;
  readonly "jsonc-parser": typeof JsoncParser;
}

/**
 * A package, loaded synchronously on first use, because its callers cannot await a promise. The build replaces this
 * file with a version that finds each package in one file, which loads several times faster.
 */
export function loadPackage<Name extends keyof LazyPackages>(name: Name): LazyPackages[Name] {
  // The exports of a package match its own types.
  return require(name) as LazyPackages[Name];
}
