// Reachability drift of two stored call graphs of a million functions and five million calls each: processor time and
// memory of a comparison, from the stored bytes to the result, hashes, union, ranks and searches included.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGraphBuilder } from '../reachability/graph-builder.ts';
import { compareStoredGraphs } from '../reachability/reachability-thread.ts';
import { encodeGraph } from '../reachability/stored-graph.ts';

const FUNCTIONS = 1_000_000;
const CALLS_EACH = 5;
const PACKAGES = 2_000;
const SINKS = 1_000;
/** Functions that only one of the graphs has. */
const RENAMED = 10_000;
const ROUNDS = 3;
const MEGABYTE = 2 ** 20;

/** Prints a figure as the benches of the gateway do. */
const tell = (metric: string, value: number, unit: string, goal?: { readonly atMost: number }): void =>
  void process.stdout.write(
    `${JSON.stringify({ bench: 'drift', metric, value: Number(value.toPrecision(4)), unit, ...(goal && { goal }) })}\n`,
  );

/** Uniform numbers from 0 to below 1, the same in each run (mulberry32). */
const random = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t ^= t + Math.imul(t ^ (t >>> 7), 61 | t);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
};

const symbolName = (i: number) => ({
  purl: `pkg:npm/%40vendor${i % 40}/package-${i % PACKAGES}`,
  module: `lib/module-${Math.floor(i / PACKAGES) % 50}`,
  name: `Service${Math.floor(i / 20)}.method${i}`,
  signature: '',
});

/** Stored graph most of whose calls stay near the caller. `isHead`: with other functions and some other calls. */
const storedGraph = (isHead: boolean): Uint8Array => {
  const next = random(1);
  const builder = createGraphBuilder('node');
  for (let i = 0; i < FUNCTIONS; i++) builder.addSymbol(symbolName(isHead ? i + RENAMED : i));
  for (let i = 0; i < FUNCTIONS; i++)
    for (let call = 0; call < CALLS_EACH; call++) {
      const isFar = next() < 0.2;
      const distance = isFar ? Math.floor(next() * FUNCTIONS) : 1 + Math.floor(next() * 1_000);
      builder.addEdge(i, (i + distance + (isHead && i % 50 === 0 ? 17 : 0)) % FUNCTIONS, 'static');
    }
  for (let i = 0; i < 100; i++) builder.addEntry(i * 10);
  for (let i = 0; i < SINKS; i++) builder.addSink(FUNCTIONS - 1 - i * 900, 'vuln-symbol', [`CVE-2026-${10_000 + i}`]);
  const coverage = { complete: true, incompletePackages: [], limitations: [] };
  return encodeGraph(builder.build({ tool: 'bench', coverage })).stored;
};

const build = (directory: string): void => {
  for (const name of ['base', 'head']) writeFileSync(join(directory, name), storedGraph(name === 'head'));
};

/** CPU-seconds of one comparison, its thread included. */
const compare = async (base: Uint8Array, head: Uint8Array): Promise<number> => {
  const own = { base: new Uint8Array(base), head: new Uint8Array(head), severities: new Map() };
  const before = process.cpuUsage();
  const { counts } = await compareStoredGraphs(own);
  if (counts.headReachable === 0) throw new Error('nothing is reachable');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
};

const measure = async (directory: string): Promise<void> => {
  const [base, head] = [readFileSync(join(directory, 'base')), readFileSync(join(directory, 'head'))];
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await compare(base, head));
  tell('1M functions, 5M calls', rounds.toSorted((a, b) => a - b)[1] ?? 0, 'CPU-s', { atMost: 3 });
  tell('1M functions, 5M calls, memory of the process', process.resourceUsage().maxRSS / 1_024, 'MB', {
    atMost: 1_000,
  });
  tell('stored graph', head.length / MEGABYTE, 'MB');
};

const [built] = process.argv.slice(2);
if (built !== undefined) build(built);
else {
  const directory = mkdtempSync(join(tmpdir(), 'landfall-drift-'));
  try {
    // Graphs are built in a process of their own, whose memory does not count.
    execFileSync(process.execPath, [import.meta.filename, directory], { stdio: 'inherit' });
    await measure(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
