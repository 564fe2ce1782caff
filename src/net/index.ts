export { type AllowList, type RefuseTarget, parseAllowList, withService } from "./allow-list.ts";
export type { RequestHeaders } from "./check-headers.ts";
export { checkUrl } from "./check-url.ts";
export { type FetchAnswer, createFetch } from "./create-fetch.ts";
export type { DialSocket } from "./connector.ts";
export {
  type HttpClient,
  type HttpClientOptions,
  type HttpRequest,
  type HttpResponse,
  type HttpStream,
  type StreamRequest,
  type StreamingHttpClient,
  createHttpClient,
} from "./http-client.ts";
export { type NetReason, netReasons } from "./net-reasons.ts";
export type { ResolveHost } from "./resolve-target.ts";
export { retryAfterMs } from "./retry-after.ts";
export { withoutCredentials } from "./check-url.ts";
