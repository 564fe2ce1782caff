import type { CodedTexts } from "../../text/index.ts";
import type { AgentNoticeParams, OmissionReason } from "../events/agent-notice.ts";
import type { PartKind } from "../events/part-kind.ts";

/** The texts of agents in one language. */
export interface AgentTextTable {
  readonly notices: CodedTexts<AgentNoticeParams>;
  readonly omission: (reason: OmissionReason) => string;
  /** A model request before it produces text for the answer. */
  readonly thinking: string;
  /** A model request while it runs and when it is done. */
  readonly parts: Readonly<Record<PartKind, { readonly doing: string; readonly done: string }>>;
  readonly waiting: (seconds: string, isLimited: boolean) => string;
  /** A call with its subject. */
  readonly calls: Readonly<Record<keyof typeof subjectParameters, (subject: string) => string>>;
  readonly bareCalls: Readonly<Record<BareTool, string>>;
  readonly otherCall: (name: string, input: string) => string;
  readonly duplicateCall: (name: string) => string;
  readonly quoted: (text: string) => string;
  readonly comma: string;
  /** `names` are those of the first items. */
  readonly found: (count: number, names: readonly string[]) => string;
  readonly indexing: (counted: string | undefined) => string;
  /** Below an answer that is not verified. */
  readonly notVerified: (issues: string) => string;
  /** For the model: there are more tools, which this one finds. */
  readonly moreTools: (count: number, finder: string) => string;
  /** The texts of the vault runner itself in an answer. */
  readonly vault: {
    readonly nothing: (terms: string) => string;
    /** Used if the prompt names nothing to search for. */
    readonly noTopic: string;
    readonly extracted: string;
    /** Used without search terms: the notes of a time, or all. */
    readonly listed: (time: string | undefined) => string;
    readonly more: string;
    /** Used if no matching note is of the requested time. */
    readonly otherTimes: (time: string, terms: string) => string;
  };
}

/** The tools with a text for calls that name a subject: the arguments that name it, the first one first. */
export const subjectParameters = {
  local_search: ["salientTerms", "query"],
  web_search: ["query"],
  search_files: ["query", "pattern"],
  memory_recall: ["query"],
  memory_store: ["content"],
  find_tools: ["query"],
  web_fetch: ["url", "urls"],
  http_request: ["url"],
  read_file: ["path"],
  read_note: ["note", "path"],
  write_file: ["path"],
  edit_file: ["path"],
  list_dir: ["path"],
  calculator: ["expression"],
  get_time_range_ms: ["description"],
  get_weather: ["place", "location", "city"],
  youtube_transcription: ["url"],
} as const;

/** Tools with a text for calls that name none. */
export type BareTool =
  | "local_search"
  | "list_dir"
  | "get_file_tree"
  | "get_current_time"
  | "get_time_range_ms"
  | "read_result"
  | "get_conversation_history";
