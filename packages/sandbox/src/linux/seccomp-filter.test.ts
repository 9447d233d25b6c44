import { expect, it } from 'vitest';
import { seccompFilter, type SeccompOptions } from './seccomp-filter.ts';

const x64 = 0xc000003e;
const allow = 0x7fff0000;

/** What a filter says to a call, by the kernel's rules for such programs. */
function verdict(options: SeccompOptions, call: number, args: readonly number[] = [], architecture = x64): number {
  const program = seccompFilter(options, 'x64');
  if (program === undefined) throw new Error('there is no filter');
  const data = new Map([[0, call], [4, architecture], ...args.map((value, index) => [16 + 8 * index, value] as const)]);
  let loaded = 0;
  for (let at = 0; ; at += 1) {
    const [code, ifTrue, ifFalse] = [
      program.readUInt16LE(at * 8),
      program.readUInt8(at * 8 + 2),
      program.readUInt8(at * 8 + 3),
    ];
    const value = program.readUInt32LE(at * 8 + 4);
    if (code === 0x20) loaded = data.get(value) ?? 0;
    else if (code === 0x54) loaded = (loaded & value) >>> 0;
    else if (code === 0x15) at += loaded === value ? ifTrue : ifFalse;
    else if (code === 0x35) at += loaded >= value ? ifTrue : ifFalse;
    else if (code === 0x06) return value;
    else throw new Error(`code ${code} is not known`);
  }
}

const closed = { unixSockets: false };
const relay = { unixSockets: true, nesting: true };

it('lets through what programs do, and no sockets but those of the internet and the kernel', () => {
  for (const call of [0, 1, 2, 59, 101, 257]) expect(verdict(closed, call)).toBe(allow);
  const socket = (options: SeccompOptions, family: number) => verdict(options, 41, [family]) === allow;
  expect([1, 2, 10, 16, 17, 38, 40].filter((family) => socket(closed, family))).toEqual([2, 10, 16]);
  expect([1, 2, 10, 16, 17, 38, 40].filter((family) => socket(relay, family))).toEqual([1, 2, 10, 16]);
});

it('lets make pairs of sockets that can talk to nobody else', () => {
  const pair = (options: SeccompOptions, type: number) => verdict(options, 53, [1, type]) === allow;
  // Streams, also those that are closed on exec, and packets; no datagrams.
  expect([1, 1 | 0x80000, 5, 2, 2 | 0x800].map((type) => pair(closed, type))).toEqual([true, true, true, false, false]);
  // The relay makes one; what it could reach is hidden.
  expect(pair(relay, 2)).toBe(true);
  expect(pair({ unixSockets: true }, 2)).toBe(true);
});

it('refuses namespaces, mounts and other tables of calls; a helper may make them first', () => {
  expect(verdict(closed, 56, [0x11])).toBe(allow);
  expect(verdict(closed, 56, [0x1000_0011])).not.toBe(allow);
  expect(verdict(closed, 272, [0x0002_0000])).not.toBe(allow);
  expect(verdict(closed, 165)).not.toBe(allow);
  expect(verdict(closed, 435)).toBe(0x00050000 | 38);
  expect(verdict(relay, 272, [0x1000_0000])).toBe(allow);
  expect(verdict(closed, 0x4000_0000 + 39)).not.toBe(allow);
  expect(verdict(closed, 20, [], 0x4000_0003)).not.toBe(allow);
  for (const call of [250, 248, 425, 321, 298, 323, 304]) expect(verdict(relay, call)).not.toBe(allow);
});

it('is made for processors that it knows', () => {
  expect(seccompFilter(closed, 'arm64')?.length).toBeGreaterThan(100);
  expect(seccompFilter(closed, 'riscv64')).toBeUndefined();
});
