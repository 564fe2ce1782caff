/**
 * The client of a Windlass server, for browsers and Node: `windlass/client`. It is typed by the routes of the server and
 * needs only `fetch`.
 *
 * @packageDocumentation
 */
export {
  type AgentAnswer,
  ApiError,
  type CallOptions,
  ClientAgents,
  ClientConversations,
  type ChainText,
  ClientChains,
  type ClientOptions,
  ClientRuns,
  type EventsOptions,
  type ListName,
  type MessageOptions,
  type Received,
  type RequestOptions,
  type RequestValues,
  type RerunOptions,
  type SaveOptions,
  type StartOptions,
  WindlassClient,
  createClient,
  isApiError,
} from "./client/index.ts";
export type {
  ApiCode,
  PathParams,
  Problem,
  ProblemCode,
  QueryParams,
  RequestBody,
  ResponseBody,
  RouteName,
  Scope,
  StreamEvent,
  StreamEventType,
  StreamTopic,
  WireValue,
} from "./api/index.ts";
