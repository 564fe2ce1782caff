import { assign, createActor, fromPromise, setup, toPromise } from "xstate";
import type { ChainContender } from "../contender.ts";
import { type Input, type SequenceTask, inputOf } from "./chain-workload.ts";

/** A machine with a state per step that invokes a promise; zod is called by hand. */
export function create({ tool, steps }: SequenceTask): ChainContender {
  const step = (index: number) => ({
    invoke: {
      src: "step" as const,
      input: ({ context }: { context: Input }) => context,
      onDone: { target: `s${index + 1}`, actions: "keep" as const },
    },
  });
  const states = Array.from({ length: steps }, (_, index) => [`s${index}`, step(index)] as const);
  const machine = setup({
    types: { context: {} as Input, input: {} as Input, output: {} as number },
    actors: { step: fromPromise(async ({ input }: { input: Input }) => tool.run(tool.schema.parse(input))) },
    // The only event is the completion of a step.
    actions: { keep: assign(({ event }) => (event as unknown as { output: Input }).output) },
  }).createMachine({
    initial: "s0",
    context: ({ input }) => input,
    states: { ...Object.fromEntries(states), [`s${steps}`]: { type: "final" } },
    output: ({ context }) => context.value,
  });
  return {
    run(value) {
      const actor = createActor(machine, { input: inputOf(value) });
      const done = toPromise(actor);
      actor.start();
      return done;
    },
  };
}
