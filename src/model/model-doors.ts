import { type Door, createDoor } from "../net/index.ts";

/** The ways to the models of a workspace. */
export interface ModelDoors {
  /** The door through which the model at this address is asked. */
  to(baseUrl: string | undefined): Door;
  /** Ends every request under way and every connection. */
  close(): Promise<void>;
}

/**
 * Doors to models, one for each origin: it opens that origin, also on this machine or in a private network, and besides
 * only what all doors of the workspace open. So such a model needs no entry in `network.allow`, which would open it to
 * tools as well. Only for addresses of whoever set up the workspace.
 *
 * @example
 * ```ts
 * const doors = createModelDoors(config.network.allow);
 * const models = openModels({ file: config.models, env: process.env }, doors);
 * ```
 */
export function createModelDoors(allow: readonly string[]): ModelDoors {
  const doors = new Map<string, Door>();
  return {
    to: (baseUrl = "") => {
      const url = URL.parse(baseUrl) ?? undefined;
      const origin = url?.origin ?? "";
      const door = doors.get(origin) ?? createDoor({ allow, service: url });
      doors.set(origin, door);
      return door;
    },
    close: async () => {
      await Promise.all([...doors.values()].map((door) => door.close()));
    },
  };
}
