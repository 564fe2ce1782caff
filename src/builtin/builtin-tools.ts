import type { Door } from "../net/index.ts";
import type { AnyTool } from "../tool/index.ts";
import { calculatorTool } from "./calculator-tool.ts";
import { echoTool } from "./echo-tool.ts";
import { httpRequestTool } from "./http-request-tool.ts";

/** What the built-in tools work with. */
export interface BuiltinServices {
  /** The way out to the network. */
  readonly door: Door;
}

/**
 * Every built-in tool, ready to be registered.
 *
 * @example
 * ```ts
 * for (const tool of builtinTools({ door: createDoor() })) registry.register(tool, { owner: "builtin" });
 * ```
 */
export function builtinTools(services: BuiltinServices): AnyTool[] {
  return [echoTool, calculatorTool, httpRequestTool(services)];
}
