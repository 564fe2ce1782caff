export {
  type ConversationHistory,
  type HistoryMessage,
  type HistoryEntry,
  type ConversationHistoryDeps,
  type HistoryQuery,
  type MessageLog,
  conversationHistory,
} from "./conversation-history.ts";
export { conversationHistoryTool } from "./conversation-history-tool.ts";
export {
  type ForgetQuery,
  type ForgetResult,
  type MemoryService,
  type RecallQuery,
  createMemoryService,
} from "./memory-service.ts";
export { memoryForgetTool } from "./memory-forget-tool.ts";
export { type MemoryRecallOutput, memoryRecallTool } from "./memory-recall-tool.ts";
export { memoryStoreTool } from "./memory-store-tool.ts";
export { type RememberInput } from "./new-memory.ts";
