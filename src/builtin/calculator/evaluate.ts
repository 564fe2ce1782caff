import { suggest } from "../../text/index.ts";
import { negate, operate } from "./arithmetic.ts";
import type { Step } from "./compile.ts";
import { Fault } from "./fault.ts";
import { type Value, fromDecimal } from "./fraction.ts";
import { constants, factorial, functions } from "./functions.ts";

/** Values for the names of an expression. */
export type Variables = Readonly<Record<string, number>>;

/** Runs a compiled expression on a stack. A fault says which part of the expression it concerns. */
export function evaluate(steps: readonly Step[], variables: Variables): Value {
  const stack: Value[] = [];
  for (const step of steps) {
    try {
      stack.push(perform(step, stack, variables));
    } catch (error) {
      if (error instanceof Fault && error.span === undefined) {
        throw new Fault(error.reason, error.message, { at: step.at, length: step.length });
      }
      throw error;
    }
  }
  return pop(stack);
}

function perform(step: Step, stack: Value[], variables: Variables): Value {
  switch (step.do) {
    case "push":
      return step.value;
    case "load":
      return valueOf(step.name, variables);
    case "call":
      return call(step.name, stack.splice(stack.length - step.count));
    case "negate":
      return negate(pop(stack));
    case "factorial":
      return factorial(pop(stack));
    case "operate": {
      const right = pop(stack);
      return operate(step.operator, pop(stack), right);
    }
    default:
      return step satisfies never;
  }
}

/** Variables come first: who passes one means it. */
function valueOf(name: string, variables: Variables): Value {
  const given = Object.hasOwn(variables, name) ? variables[name] : constants.get(name.toLowerCase());
  if (given === undefined) throw new Fault("unknown_name", unknownName(name, variables));
  // Unlike the global isFinite, this is false for everything that is no number.
  if (!Number.isFinite(given)) throw new Fault("domain", `the variable ${JSON.stringify(name)} is not a finite number`);
  return Object.hasOwn(variables, name) ? fromDecimal(String(given)) : given;
}

function call(name: string, args: readonly Value[]): Value {
  const known = functions.get(name.toLowerCase());
  if (known === undefined) throw new Fault("unknown_function", unknownFunction(name));
  const [least, most] = known.arity;
  if (args.length < least || args.length > most) {
    throw new Fault("arity", `${name} takes ${countOf(known.arity)}, got ${args.length}`);
  }
  return known.apply(args);
}

function unknownName(name: string, variables: Variables): string {
  const what = `there is no constant or variable ${JSON.stringify(name.slice(0, 60))}`;
  if (functions.has(name.toLowerCase())) return `${what}; ${name} is a function, write ${name}(…)`;
  const close = suggest(name, [...Object.keys(variables), ...constants.keys()]);
  return close === undefined ? what : `${what}; did you mean "${close}"?`;
}

function unknownFunction(name: string): string {
  const what = `there is no function ${JSON.stringify(name.slice(0, 60))}`;
  if (constants.has(name.toLowerCase())) return `${what}; ${name} is a constant, to multiply write ${name}*(…)`;
  const close = suggest(name, functions.keys());
  return close === undefined ? what : `${what}; did you mean "${close}"?`;
}

function countOf([least, most]: readonly [number, number]): string {
  if (most === Infinity) return `at least ${least} argument${least === 1 ? "" : "s"}`;
  return least === most ? `${least} argument${least === 1 ? "" : "s"}` : `${least} or ${most} arguments`;
}

function pop(stack: Value[]): Value {
  const value = stack.pop();
  // The compiler puts every operand before its operator.
  if (value === undefined) throw new Error("the calculator's stack is empty");
  return value;
}
