/**
 * Measures the performance goals of the design on this machine: `npm run bench` runs every bench except the heavy ones,
 * `npm run bench -- <name>…` the named ones. Each figure is a line of JSON on standard output; a table follows on
 * standard error. A missed goal is no failure, a bench that breaks is.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Parse } from 'typebox/value';
import { type Figure, figureSchema } from './figure.ts';
import { formatFigures } from './figure-table.ts';

interface Bench {
  readonly program: string;
  /** Second program of the same bench. */
  readonly also?: string;
  /** Whether the bench runs only when named. */
  readonly isHeavy?: true;
}

const ROOT = join(import.meta.dirname, '../..');

/**
 * Benches in the order of a full run. Each is a separate program, so that none inherits another's heap or processes.
 */
const BENCHES: Readonly<Record<string, Bench>> = {
  start: { program: 'gateway/bench/start.ts' },
  write: { program: 'gateway/bench/write.ts' },
  events: { program: 'gateway/bench/events.ts' },
  seal: { program: 'gateway/bench/seal.ts' },
  read: { program: 'gateway/bench/read.ts' },
  estate: { program: 'gateway/bench/estate.ts' },
  portfolio: { program: 'gateway/bench/portfolio.ts' },
  sources: { program: 'gateway/bench/sources.ts' },
  deploy: { program: 'gateway/bench/deploy.ts' },
  router: { program: 'subgraphs/agent/testing/router-bench.ts' },
  change: { program: 'e2e/bench/change.ts' },
  anatomy: { program: 'e2e/bench/anatomy.ts' },
  targets: { program: 'e2e/bench/targets.ts', isHeavy: true },
  fleet: { program: 'gateway/bench/fleet.ts' },
  silence: { program: 'gateway/bench/silence.ts' },
  outage: { program: 'gateway/bench/outage.ts' },
  airgap: { program: 'gateway/bench/airgap.ts' },
  preflight: { program: 'gateway/bench/preflight.ts' },
  tlog: { program: 'gateway/bench/tlog.ts' },
  verify: { program: 'gateway/bench/verify.ts' },
  'evidence-export': { program: 'subgraphs/artifacts/testing/export-bench.ts' },
  drift: { program: 'subgraphs/scanner/testing/drift-bench.ts' },
  authority: { program: 'gateway/bench/authority.ts', also: 'gateway/bench/registry-token.ts' },
  search: { program: 'gateway/bench/search.ts', also: 'gateway/bench/search-load.ts', isHeavy: true },
  abstention: { program: 'gateway/bench/abstention.ts', isHeavy: true },
  plans: { program: 'gateway/bench/plans.ts', isHeavy: true },
  comparison: { program: 'gateway/bench/comparison.ts' },
  cost: { program: 'gateway/bench/cost.ts' },
  graph: { program: 'gateway/bench/graph.ts' },
  kernel: { program: 'gateway/bench/kernel.ts' },
  artifacts: { program: 'gateway/bench/artifacts.ts' },
  notifier: { program: 'gateway/bench/notifier.ts', also: 'gateway/bench/notifier-scale.ts' },
  'notifier-kills': { program: 'gateway/bench/notifier-kills.ts', isHeavy: true },
  scanner: { program: 'gateway/bench/scanner.ts', also: 'gateway/bench/scanner-rescore.ts' },
  fresh: { program: 'gateway/bench/fresh.ts', isHeavy: true },
};

/**
 * Runs a bench and prints its figures as they come.
 * @returns the figures; undefined when it broke
 */
const runProgram = async (program: string): Promise<readonly Figure[] | undefined> => {
  const child = spawn(process.execPath, [join(ROOT, program)], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const figures: Figure[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const figure = Parse(figureSchema, JSON.parse(line));
    figures.push(figure);
    process.stdout.write(`${line}\n`);
  }
  const [code] = await exited;
  return code === 0 ? figures : undefined;
};

const run = async (name: string, { program, also }: Bench): Promise<readonly Figure[] | undefined> => {
  process.stderr.write(`bench ${name}\n`);
  const found = await runProgram(program);
  const more = also === undefined ? [] : await runProgram(also);
  return found && more && [...found, ...more];
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !BENCHES[name]);
if (unknown.length > 0) {
  process.stderr.write(`unknown: ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}\n`);
  process.exit(1);
}

const requested = Object.entries(BENCHES).filter(([name, { isHeavy }]) =>
  named.length > 0 ? named.includes(name) : !isHeavy,
);
const figures: Figure[] = [];
const broken: string[] = [];
for (const [name, bench] of requested) {
  const found = await run(name, bench);
  if (found) figures.push(...found);
  else broken.push(name);
}
process.stderr.write(formatFigures(figures));
if (broken.length > 0) {
  process.stderr.write(`\nbroken: ${broken.join(', ')}\n`);
  process.exitCode = 1;
}
