export { backoffMs } from "./backoff.ts";
export { brandOf, brandPublic } from "./brand.ts";
export { CircuitBreaker, type CircuitBreakerLimits, defaultBreakerLimits } from "./circuit-breaker.ts";
export { type Clock, type Timer, systemClock } from "./clock.ts";
export { createDataFolder, isOwnDataFolder, isReadOnly } from "./folders.ts";
export { Deadline, Deadlines, type Expiring } from "./deadlines.ts";
export { EventBus, type EventStream, type Listener } from "./event-bus.ts";
export {
  type Failure,
  type FailureArea,
  type FailureCode,
  FailureError,
  type FailureOptions,
  type RetryVerdict,
  fail,
  failure,
  failureKinds,
  isFailureError,
  cliCommand,
  setCliPrefix,
  withCliCommands,
} from "./failure.ts";
export { type ReasonFailure, createReasonFailures } from "./create-reason-failures.ts";
export { type IdGenerator, createIdGenerator } from "./ids.ts";
export { importModule } from "./import-module.ts";
export { type RealPath, isInsideFolder, resolveRealPath } from "./folders.ts";
export { type Issue, formatPath } from "./issue.ts";
export { nodeCrypto, nodeNet, nodeUtil } from "./node-module.ts";
export { canonicalJson, jsonText, parseJson, plainJsonSize } from "./json.ts";
export { loadPackage } from "./load-package.ts";
export { type Linked, LinkedList } from "./linked-list.ts";
export { LruMap } from "./lru-map.ts";
export { Bag, type Bagged } from "./bag.ts";
export { foldName, foldedNameGlob, nameGlob } from "./name-glob.ts";
export { exceedsJsonKeys, exceedsKeys, inputLimits } from "./input-limits.ts";
export { invalidTimeout, isTimeoutMs, maxTimeoutMs } from "./timeout.ts";
export { raceAbort, raceAbortOrUndefined, sleep } from "./race-abort.ts";
export {
  type ProcessIdentity,
  isProcessGone,
  isProcessAlive,
  processIdentity,
  processState,
} from "./process-identity.ts";
export { WallTime } from "./clock.ts";
export { type ProcessUsage, cpuTime, processUsageSince } from "./process-usage.ts";
export { EventLoopYielder } from "./event-loop-yielder.ts";
export { KeyedMutex } from "./keyed-mutex.ts";
