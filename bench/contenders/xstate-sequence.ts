import { assign, createActor, fromPromise, setup, toPromise } from "xstate";
import type { ChainContender } from "../contender.ts";
import { type Given, type SequenceTask, givenOf } from "./chain-workload.ts";

/** A machine with a state per step that invokes a promise; zod is called by hand. */
export function create({ tool, steps }: SequenceTask): ChainContender {
  const step = (index: number) => ({
    invoke: {
      src: "step" as const,
      input: ({ context }: { context: Given }) => context,
      onDone: { target: `s${index + 1}`, actions: "keep" as const },
    },
  });
  const states = Array.from({ length: steps }, (_, index) => [`s${index}`, step(index)] as const);
  const machine = setup({
    types: { context: {} as Given, input: {} as Given, output: {} as number },
    actors: { step: fromPromise(async ({ input }: { input: Given }) => tool.run(tool.schema.parse(input))) },
    // The only event is that of a step that is done.
    actions: { keep: assign(({ event }) => (event as unknown as { output: Given }).output) },
  }).createMachine({
    initial: "s0",
    context: ({ input }) => input,
    states: { ...Object.fromEntries(states), [`s${steps}`]: { type: "final" } },
    output: ({ context }) => context.value,
  });
  return {
    run(value) {
      const actor = createActor(machine, { input: givenOf(value) });
      const done = toPromise(actor);
      actor.start();
      return done;
    },
  };
}
