import type { StreamTopic } from "../../api/index.ts";
import type { Workspace } from "../../app/index.ts";
import { redactFailure } from "../../secrets/index.ts";
import type { EngineEvent, EngineEventType } from "../../engine/index.ts";
import { snakeKeys, toWireFailure } from "../../tool/index.ts";
import { metricsOf } from "../request/engine-metrics.ts";

type Publish = (topic: StreamTopic, type: "call" | "metrics", data: object) => void;

const metricsEveryMs = 1_000;
const callEvents: readonly EngineEventType[] = ["execution_started", "execution_completed", "execution_failed"];

/** Ephemeral events that are only produced while they are read. */
export class TopicSources {
  readonly #workspace: Workspace;
  readonly #publish: Publish;
  readonly #stops = new Map<StreamTopic, () => void>();

  constructor(workspace: Workspace, publish: Publish) {
    this.#workspace = workspace;
    this.#publish = publish;
  }

  start(topic: StreamTopic): void {
    const { engine } = this.#workspace;
    if (topic === "calls") {
      this.#stops.set(
        topic,
        engine.subscribe((event) => this.#publish("calls", "call", this.#toWire(event)), callEvents),
      );
    } else if (topic === "metrics") {
      const publish = (): void => this.#publish("metrics", "metrics", metricsOf(engine));
      const timer = setInterval(publish, metricsEveryMs).unref();
      this.#stops.set(topic, () => clearInterval(timer));
      queueMicrotask(publish);
    }
  }

  stop(topic: StreamTopic): void {
    this.#stops.get(topic)?.();
    this.#stops.delete(topic);
  }

  #toWire({ at, ...event }: EngineEvent): object {
    const { redactor } = this.#workspace.engine;
    return {
      ...snakeKeys(event),
      at: new Date(at).toISOString(),
      ...("error" in event &&
        typeof event.error === "object" && { error: toWireFailure(redactFailure(event.error, redactor.text)) }),
    };
  }
}
