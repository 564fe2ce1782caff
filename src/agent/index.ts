export { type ChatRequest, type RequestOptions, buildRequest } from "./build-request.ts";
export {
  type OpenAIToolCall,
  type OpenAIToolMessage,
  type ToolCallOptions,
  processToolCalls,
} from "./process-tool-calls.ts";
export {
  type SubAgentCall,
  type SubAgentCallOptions,
  type SubAgentSummary,
  ToolSubAgent,
  type ToolSubAgentOptions,
} from "./tool-sub-agent.ts";
