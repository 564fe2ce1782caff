export type { CallTool, CompositeContext, Log, Secrets, ToolContext } from "./context.ts";
export { type Origin, type Registration, type RegistryChange, ToolRegistry } from "./registry.ts";
export {
  type Attachment,
  type Ok,
  type ResultMeta,
  type Returned,
  type ToolError,
  type ToolResult,
  type ToolSuccess,
  isOk,
  ok,
  snakeKeys,
  toDict,
  toWireFailure,
  toWireResult,
} from "./result.ts";
export {
  type AnyTool,
  type CachePolicy,
  type Effect,
  type HandlerReturn,
  type InputOf,
  type OutputOf,
  type Tool,
  type ToolInfo,
  type ToolStatus,
  isTool,
  knownCategories,
  toolBrand,
} from "./tool.ts";
