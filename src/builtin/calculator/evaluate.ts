import { suggest } from "../../text/index.ts";
import { negate, operate } from "./arithmetic.ts";
import type { Step } from "./compile.ts";
import { CalculatorError, isCalculatorError } from "./fault.ts";
import { type Value, fromDecimal } from "./fraction.ts";
import { constants, factorial, functions } from "./functions.ts";

/** Values of the variables of an expression. */
export type Variables = Readonly<Record<string, number>>;

/** Runs a compiled expression on a stack. An error has the part of the expression that it concerns. */
export function evaluate(steps: readonly Step[], variables: Variables): Value {
  const stack: Value[] = [];
  for (const step of steps) {
    try {
      stack.push(perform(step, stack, variables));
    } catch (error) {
      if (isCalculatorError(error) && error.span === undefined) {
        throw new CalculatorError(error.reason, error.message, { at: step.at, length: step.length });
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

/** Variables precede constants of the same name. */
function valueOf(name: string, variables: Variables): Value {
  const value = Object.hasOwn(variables, name) ? variables[name] : constants.get(name.toLowerCase());
  if (value === undefined) throw new CalculatorError("unknown_name", unknownName(name, variables));
  // Unlike the global isFinite, this is false for everything that is not a number.
  if (!Number.isFinite(value))
    throw new CalculatorError("domain", `the variable ${JSON.stringify(name)} is not a finite number`);
  return Object.hasOwn(variables, name) ? fromDecimal(String(value)) : value;
}

function call(name: string, args: readonly Value[]): Value {
  const known = functions.get(name.toLowerCase());
  if (known === undefined) throw new CalculatorError("unknown_function", unknownFunction(name));
  const [min, max] = known.arity;
  if (args.length < min || args.length > max) {
    throw new CalculatorError("arity", `${name} takes ${countOf(known.arity)}, got ${args.length}`);
  }
  return known.apply(args);
}

function unknownName(name: string, variables: Variables): string {
  const message = `there is no constant or variable ${JSON.stringify(name.slice(0, 60))}`;
  if (functions.has(name.toLowerCase())) return `${message}; ${name} is a function, write ${name}(…)`;
  const close = suggest(name, [...Object.keys(variables), ...constants.keys()]);
  return close === undefined ? message : `${message}; did you mean "${close}"?`;
}

function unknownFunction(name: string): string {
  const message = `there is no function ${JSON.stringify(name.slice(0, 60))}`;
  if (constants.has(name.toLowerCase())) return `${message}; ${name} is a constant, to multiply write ${name}*(…)`;
  const close = suggest(name, functions.keys());
  return close === undefined ? message : `${message}; did you mean "${close}"?`;
}

function countOf([min, max]: readonly [number, number]): string {
  if (max === Infinity) return `at least ${min} argument${min === 1 ? "" : "s"}`;
  return min === max ? `${min} argument${min === 1 ? "" : "s"}` : `${min} or ${max} arguments`;
}

function pop(stack: Value[]): Value {
  const value = stack.pop();
  // The compiler puts every operand before its operator.
  if (value === undefined) throw new Error("the calculator's stack is empty");
  return value;
}
