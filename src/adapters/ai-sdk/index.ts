export {
  type AiSdkExecution,
  type AiSdkToolCallOutput,
  type AiSdkTool,
  type FromAiSdkToolOptions,
  fromAiSdkTool,
} from "./from-ai-sdk-tool.ts";
export {
  type AiSdkAttachment,
  type AiSdkToolOutput,
  type AiSdkToolsOptions,
  type EngineAiSdkTool,
  toAiSdkTools,
} from "./to-ai-sdk-tools.ts";
