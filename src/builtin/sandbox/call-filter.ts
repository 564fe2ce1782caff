/** What a filter has to know of a machine: its name in the kernel, and the numbers of the calls that it refuses. */
interface Machine {
  readonly audit: number;
  /** Numbers from here on are those of another way to call the same kernel. */
  readonly otherFrom?: number;
  /** memfd_create, memfd_secret, shmget, msgget. */
  readonly refused: readonly number[];
}

const machines: Readonly<Partial<Record<NodeJS.Architecture, Machine>>> = {
  x64: { audit: 0xc000_003e, otherFrom: 0x4000_0000, refused: [319, 447, 29, 68] },
  arm64: { audit: 0xc000_00b7, refused: [279, 447, 194, 186] },
};

/** Where the filter finds the number of a call and the machine that it is meant for. */
const callAt = 0;
const machineAt = 4;

const load = 0x20;
const ifEqual = 0x15;
const ifAtLeast = 0x35;
const giveBack = 0x06;
const allow = 0x7fff_0000;
/** "There is no such call", as of an older kernel: programs then do without. */
const noSuchCall = 0x0005_0000 + 38;

/** What it does, with which value; and whether the last instruction follows where that is true, or false. */
type Instruction = readonly [code: number, value: number, refuseIf?: boolean];

/**
 * A seccomp program that refuses the calls which keep memory that belongs to no process, so that nobody could count it.
 * Calls in the way of another machine are all refused. Undefined for machines whose numbers are not known here.
 */
export function callFilter(architecture: NodeJS.Architecture = process.arch): Uint8Array | undefined {
  const machine = machines[architecture];
  if (machine === undefined) return undefined;
  const { audit, otherFrom, refused } = machine;
  const other: Instruction[] = otherFrom === undefined ? [] : [[ifAtLeast, otherFrom, true]];
  return assemble([
    [load, machineAt],
    [ifEqual, audit, false],
    [load, callAt],
    ...other,
    ...refused.map((call): Instruction => [ifEqual, call, true]),
    [giveBack, allow],
    [giveBack, noSuchCall],
  ]);
}

/** As the kernel reads it; the last instruction is the one that refuses. */
function assemble(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, [code, value, refuseIf]] of program.entries()) {
    const toRefuse = program.length - 2 - at;
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(refuseIf === true ? toRefuse : 0, at * 8 + 2);
    bytes.writeUInt8(refuseIf === false ? toRefuse : 0, at * 8 + 3);
    bytes.writeUInt32LE(value, at * 8 + 4);
  }
  return bytes;
}
