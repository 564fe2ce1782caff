/**
 * The client of a Windlass server, for browsers and Node: `windlass/client`. It is typed by the routes of the server and
 * needs only `fetch`.
 *
 * @packageDocumentation
 */
export {
  ApiError,
  type CallOptions,
  type ClientOptions,
  type ListName,
  type Received,
  type RequestOptions,
  type RequestValues,
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
  WireValue,
} from "./api/index.ts";
