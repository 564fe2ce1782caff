import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "../../src/client.ts";
import { isRecord, listOf, textOf } from "../../src/schema/index.ts";
import type { seeded } from "../crash/runs/seeded.ts";
import { processToken } from "../support/served-process.ts";
import { type Answer, Requests } from "./send-requests.ts";
import { effectsIn } from "./workload.ts";

type Random = ReturnType<typeof seeded>;

/** Clients of a server that is killed again and again, and what was promised to them. */
export class LoadClients {
  readonly requests: Requests;
  /** The ids of the calls whose key got its result. */
  readonly paid: string[] = [];
  /** The ids of the runs that were accepted, by their chains. */
  readonly runs = new Map<string, "order" | "checked">();
  /** Answers that must not be. */
  readonly wrong: string[] = [];
  /** The ids of the events, and the runs that ended by them. */
  readonly events: string[] = [];
  readonly endedRuns = new Map<string, string>();
  resets = 0;
  readonly #url: string;
  readonly #dir: string;
  readonly #random: Random;
  readonly #stopping = new AbortController();
  readonly #watching = new AbortController();
  #count = 0;

  constructor({ url, dir }: { readonly url: string; readonly dir: string }, random: Random) {
    this.requests = new Requests(url);
    this.#url = url;
    this.#dir = dir;
    this.#random = random;
  }

  /** Sends mixed requests with this number of clients until it is stopped. */
  async work(clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.#workOne()));
  }

  /** No client begins anything new. */
  stop(): void {
    this.#stopping.abort();
  }

  async #workOne(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const id = `n${++this.#count}`;
      await this.#random.pick([
        () => this.#payWithKey(id),
        () => this.#payWithKey(id),
        () => this.#payTwiceAtOnce(id),
        () => this.#run("order", id),
        () => this.#run("order", id),
        () => this.#run("checked", id),
        () => this.#callPlain(id),
        () => this.#list(),
      ])();
      await pause(this.#random.upTo(20));
    }
  }

  /** Repeats a request with its key until it has the result of the call. */
  async #payWithKey(id: string): Promise<void> {
    const body = { args: { id, ms: this.#random.upTo(60) } };
    const headers = { "idempotency-key": `key-${id}` };
    for (;;) {
      const answer = await this.requests.send("POST", "/v1/tools/pay/call", { body, headers });
      if (answer !== "lost" && answer.status === 200) {
        const { output } = answer.body;
        if (!isRecord(output) || output["id"] !== id) this.wrong.push(`${id} got ${JSON.stringify(output)}`);
        this.paid.push(id);
        return;
      }
      this.#checkRepeatable(id, answer);
      await pause(100);
    }
  }

  /** Two clients send the same request: both get the same result. */
  async #payTwiceAtOnce(id: string): Promise<void> {
    const ms = this.#random.upTo(60);
    const twice = { body: { args: { id, ms } }, headers: { "idempotency-key": `key-${id}` } };
    const results = await Promise.all(
      ["a", "b"].map(async () => {
        for (;;) {
          const answer = await this.requests.send("POST", "/v1/tools/pay/call", twice);
          if (answer !== "lost" && answer.status === 200) return JSON.stringify(answer.body);
          this.#checkRepeatable(id, answer);
          await pause(50);
        }
      }),
    );
    if (results[0] !== results[1]) this.wrong.push(`${id} got two results: ${results.join(" and ")}`);
    this.paid.push(id);
  }

  /** Starts a run under an id of the client, again until it is accepted. */
  async #run(chain: "order" | "checked", id: string): Promise<void> {
    const body = { run_id: `run-${id}`, input: { id } };
    const headers = this.#random.chance(0.5) ? { prefer: "wait=5" } : undefined;
    for (;;) {
      const answer = await this.requests.send("POST", `/v1/chains/${chain}/runs`, {
        body,
        ...(headers && { headers }),
      });
      if (answer !== "lost" && (answer.status === 200 || answer.status === 202)) {
        this.runs.set(`run-${id}`, chain);
        return;
      }
      this.#checkRepeatable(id, answer);
      await pause(100);
    }
  }

  /** Nothing is known of a call without a key whose answer is lost. */
  async #callPlain(id: string): Promise<void> {
    const tool = this.#random.pick(["peek", "put"]);
    const answer = await this.requests.send("POST", `/v1/tools/${tool}/call`, { body: { args: { id, ms: 5 } } });
    if (answer !== "lost" && answer.status !== 200) this.#checkRepeatable(id, answer);
  }

  async #list(): Promise<void> {
    const path = this.#random.pick([
      "/v1/runs?limit=20",
      "/v1/records?limit=20",
      "/v1/approvals",
      "/v1/tools",
      "/v1/stats",
    ]);
    const answer = await this.requests.send("GET", path);
    if (answer !== "lost" && answer.status !== 200) this.wrong.push(`${path}: ${answer.status}`);
  }

  /** Notes an answer after which a client may not repeat its request: the server neither stops, nor does the work still run, nor does a person decide. */
  #checkRepeatable(id: string, answer: Answer): void {
    if (answer === "lost") return;
    const code = textOf(answer.body["code"]);
    if (["conflict", "unknown_outcome", "shutting_down", "run_held", "not_available"].includes(code)) return;
    this.wrong.push(`${id}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
  }

  /** Decides every approval, until it is stopped: a call that was interrupted is done if its effect is in the file. */
  async decide(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const answer = await this.requests.send("GET", "/v1/approvals?status=pending&limit=200");
      const items = answer === "lost" ? [] : listOf(answer.body["items"]).filter(isRecord);
      for (const { id, args } of items) {
        const paid = isRecord(args) ? textOf(args["id"]) : "";
        const wasDone = (await effectsIn(this.#dir, "once")).includes(paid);
        const body = wasDone ? { decision: "done", output: { id: paid } } : { decision: "approve" };
        const decided = await this.requests.send("POST", `/v1/approvals/${textOf(id)}`, { body });
        if (decided !== "lost" && ![200, 409].includes(decided.status))
          this.wrong.push(`approval of ${paid}: ${decided.status} ${JSON.stringify(decided.body)}`);
      }
      await pause(100);
    }
  }

  /** Follows all runs, over every kill, until it is stopped. */
  async watch(): Promise<void> {
    const { signal } = this.#watching;
    const client = createClient({ url: this.#url, token: processToken });
    try {
      for await (const { type, id, data } of client.events({ topics: ["runs"], signal })) {
        if (type === "reset") this.resets++;
        if (id !== undefined && type !== "ready") this.events.push(id);
        if (type === "run" && data.finished_at !== undefined) this.endedRuns.set(data.run_id, data.status);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  stopWatching(): void {
    this.#watching.abort();
  }
}
