export {
  type ConversationHistory,
  type ConversationMessage,
  type HistoryEntry,
  type HistoryParts,
  type HistoryQuery,
  type MessageLog,
  conversationHistory,
} from "./conversation-history.ts";
export { conversationHistoryTool } from "./conversation-history-tool.ts";
export { type Forget, type Forgotten, type Memories, type Recall, createMemories } from "./memories.ts";
export { memoryForgetTool } from "./memory-forget-tool.ts";
export { type MemoryRecallOutput, memoryRecallTool } from "./memory-recall-tool.ts";
export { memoryStoreTool } from "./memory-store-tool.ts";
export { type Remembered } from "./new-memory.ts";
