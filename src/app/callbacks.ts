import { type Failure, fail, nameGlob, nodeCrypto } from "../base/index.ts";
import { secretName } from "../model/index.ts";
import type { HttpClient } from "../net/index.ts";
import type { EndedRun, RunClient } from "../run/index.ts";
import { type Redactor, redactFailure } from "../secrets/index.ts";
import { type Delivery, type RunStatus, type StoredRun, isLargePayload } from "../store/index.ts";
import { toWireFailure } from "../tool/index.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";
import { finalFailure } from "./final-failure.ts";

type CallbackConfig = WorkspaceConfig["callbacks"][string];

const channelPrefix = "callback/";

/** The channels of all callbacks of a workspace. */
export function callbackChannels({ callbacks }: Pick<WorkspaceConfig, "callbacks">): readonly string[] {
  return Object.keys(callbacks).map((name) => channelPrefix + name);
}

/** The channels that the end of a run is delivered to. Runs that other runs call are parts of those. */
export function channelsOfEnd(
  { callbacks }: Pick<WorkspaceConfig, "callbacks">,
  { kind, name, calledBy }: EndedRun,
  status: RunStatus,
): readonly string[] {
  if (kind !== "chain" || calledBy !== undefined) return [];
  return Object.entries(callbacks).flatMap(([callback, { chains = ["*"], status: statuses }]) => {
    const isSelected = statuses === undefined || (statuses as readonly string[]).includes(status);
    return isSelected && chains.some((glob) => nameGlob(glob)(name)) ? [channelPrefix + callback] : [];
  });
}

/** Dependencies of a {@link CallbackSender}. */
export interface CallbackSenderDeps {
  readonly config: Pick<WorkspaceConfig, "callbacks">;
  readonly runs: Pick<RunClient, "find">;
  readonly http: Pick<HttpClient, "request">;
  readonly secret: (name: string) => string | undefined;
  readonly redactor: Redactor;
}

/** Posts the ends of runs to the URLs of the settings. */
export class CallbackSender {
  readonly #parts: CallbackSenderDeps;

  constructor(parts: CallbackSenderDeps) {
    this.#parts = parts;
  }

  /** Sends one attempt. Throws if the receiver did not accept it. */
  async send({ channel, subject }: Delivery, at: number, signal: AbortSignal): Promise<void> {
    const { config, runs, http, secret } = this.#parts;
    const callback = this.#configOf(config, channel);
    const key = secret(callback.secret);
    if (key === undefined)
      throw fail(`the secret ${secretName(callback.secret)} has no value`, { code: "not_available" });
    const run = await runs.find(subject.slice(0, subject.lastIndexOf("/")));
    if (run === undefined) throw finalFailure("the run was removed before its end was delivered");
    const body = JSON.stringify(this.#payload(run));
    const id = `run_${subject.replace("/", "_")}`;
    const { status } = await http.request({
      url: callback.url,
      method: "POST",
      headers: { "content-type": "application/json", ...signWebhook({ id, at, body }, key) },
      body,
      timeoutMs: 15_000,
      maxBytes: 64 * 1024,
      maxRedirects: 0,
      signal,
    });
    if (status === 410) throw finalFailure("the receiver answered 410: it takes no more messages");
    if (status < 200 || status > 299) throw fail(`the receiver answered ${status}`, { code: "not_available" });
  }

  #configOf({ callbacks }: Pick<WorkspaceConfig, "callbacks">, channel: string): CallbackConfig {
    const name = channel.slice(channelPrefix.length);
    const callback = Object.hasOwn(callbacks, name) ? callbacks[name] : undefined;
    if (callback === undefined) throw fail(`windlass.yaml has no callback ${name}`, { code: "not_available" });
    return callback;
  }

  #payload(run: StoredRun): object {
    const { redactor } = this.#parts;
    const { id, kind, name, status, startedAt, finishedAt = startedAt, output, error } = run;
    const iso = (at: number): string => new Date(at).toISOString();
    return {
      type: `run.${status}`,
      timestamp: iso(finishedAt),
      data: {
        run_id: id,
        kind,
        chain: name,
        status,
        started_at: iso(startedAt),
        finished_at: iso(finishedAt),
        duration_ms: finishedAt - startedAt,
        ...outputOf(output, redactor),
        // Written by the program of the run.
        ...(error !== undefined && {
          error: toWireFailure(redactFailure(JSON.parse(error) as Failure, redactor.text)),
        }),
      },
    };
  }
}

/** Without a large output, which `GET /v1/runs/{id}` returns. */
function outputOf(output: string | undefined, redactor: Pick<Redactor, "value">): object {
  if (output === undefined) return {};
  if (isLargePayload(output)) return { output_omitted: true };
  return { output: redactor.value(JSON.parse(output)) };
}

/** A message in the form of Standard Webhooks. */
interface WebhookMessage {
  /** The same for every attempt, so that the receiver can drop repetitions. */
  readonly id: string;
  /** Time of the attempt in epoch milliseconds. */
  readonly at: number;
  readonly body: string;
}

const prefix = "whsec_";

/** The headers that sign a message: id, timestamp in seconds, and an HMAC-SHA256 of both with the body. */
function signWebhook({ id, at, body }: WebhookMessage, secret: string): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const mac = nodeCrypto().createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${mac}` };
}

/** A secret with the prefix of Standard Webhooks is base64; any other is used as it is. */
function keyOf(secret: string): Buffer {
  if (!secret.startsWith(prefix)) return Buffer.from(secret, "utf8");
  const key = Buffer.from(secret.slice(prefix.length), "base64");
  if (key.length > 0) return key;
  throw fail(`the secret begins with ${prefix}, but no base64 follows`, { code: "validation_error" });
}
