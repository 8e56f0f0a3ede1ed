// npm test: types and lint through turbo, then every test over one PostgreSQL cluster, then the browser flows.
// `--full` adds `*.full.test.ts`; any other argument is a glob of test files to run alone.
import { once } from 'node:events';
import { chmod, glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { argv, env, exit } from 'node:process';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { clusterHome, startTestCluster } from '@landfall/kernel/testing/cluster';
import { type RanTest, unprovedClaims } from '@landfall/schema/proved-claims.ts';
import { rightsIn, unprovedRights } from '@landfall/schema/security-table.ts';
import { claimsIn } from '@landfall/schema/trace.ts';
import { root, runFile, runProgram } from './tools.ts';

const WORKSPACES = 'schema,subgraphs,rest-compat,gateway,console,scripts';
/** Three files at once on the two cores that this is sized for: a file waits for its database for a third of its time. */
const CONCURRENCY = 3;
/** A page waits for its product for more than half of it. */
const BROWSER_CONCURRENCY = 2;
const FILE_TIMEOUT_MS = 600_000;
/** How many files may fail at first and pass when they are run again alone: decision 016. */
const FLAKY_FILES = 4;
/** How many of the files that took longest are named at the end of a whole run. */
const SLOWEST = 12;

interface Tally {
  passed: number;
  failed: number;
  skips: string[];
  /** What failed, in a line each: the last words of a run that somebody reads from its end. */
  failures: string[];
  readonly failedFiles: Set<string>;
  /** What failed among the others and passed alone. */
  flaky: string[];
  /** Every test that ran, in the order in which they ended. */
  readonly ran: RanTest[];
  /** How long each file took, in milliseconds. */
  readonly took: Map<string, number>;
}

const nothing = (): Tally => ({
  passed: 0,
  failed: 0,
  skips: [],
  failures: [],
  failedFiles: new Set(),
  flaky: [],
  took: new Map(),
  ran: [],
});

const isFull = argv.includes('--full');
const chosen = argv.slice(2).filter((argument) => !argument.startsWith('--'));

const testFiles = async (...patterns: readonly string[]): Promise<string[]> => {
  const isSkipped = (path: string): boolean => /(^|\/)(node_modules|dist[^/]*)$/.test(path);
  const found = await Array.fromAsync(glob(patterns, { cwd: root, exclude: isSkipped }));
  return found.filter((file) => isFull || !file.endsWith('.full.test.ts')).toSorted();
};

const reason = (skip: string | boolean, name: string): string => (typeof skip === 'string' ? skip : name);

const runFiles = async (files: readonly string[], concurrency: number, tally: Tally): Promise<void> => {
  if (files.length === 0) return;
  const stream = run({
    cwd: root,
    files: files.map((file) => join(root, file)),
    concurrency,
    timeout: FILE_TIMEOUT_MS,
  });
  stream.on('test:pass', ({ name, skip, todo, file, line }) => {
    const omitted = skip ?? todo;
    const isPassed = omitted === undefined || omitted === false;
    if (file !== undefined && line !== undefined) tally.ran.push({ file: relative(root, file), line, name, isPassed });
    if (omitted !== undefined && omitted !== false) tally.skips.push(reason(omitted, name));
  });
  stream.on('test:fail', ({ name, file, line, details: { error } }) => {
    if (file !== undefined && line !== undefined)
      tally.ran.push({ file: relative(root, file), line, name, isPassed: false });
    if (error.message.includes('subtest')) return; // its children say what failed
    const [why = ''] = String(error.cause instanceof Error ? error.cause.message : error.message).split('\n');
    if (file !== undefined) tally.failedFiles.add(relative(root, file));
    tally.failures.push(`${file === undefined ? '' : relative(root, file)}: ${name}: ${why.slice(0, 200)}`);
  });
  stream.on('test:summary', ({ file, counts, duration_ms: took }) => {
    if (file !== undefined) tally.took.set(relative(root, file), took);
    if (file !== undefined) return; // the last one is the whole run's
    tally.passed += counts.passed;
    tally.failed += counts.tests - counts.passed - counts.skipped - counts.todo;
  });
  const report = stream.compose(spec);
  report.pipe(process.stdout, { end: false });
  await once(report, 'end');
};

/** The number of tests that may be skipped where everything they need can be installed. */
const skipsMatch = async (tally: Tally): Promise<boolean> => {
  const committed = Number(await readFile(join(root, '.ci/skips'), 'utf8'));
  if (tally.skips.length === committed) return true;
  console.error(`${tally.skips.length} tests were skipped; .ci/skips says ${committed}`);
  return env.CI === undefined;
};

/** Runs the few files that failed once more, alone: a test that fails again has failed. */
const runAgain = async (tally: Tally): Promise<Tally> => {
  const files = [...tally.failedFiles];
  if (files.length === 0 || files.length > FLAKY_FILES) return tally;
  console.log(`Once more, alone: ${files.join(', ')}`);
  const again = nothing();
  await runFiles(files, 1, again);
  if (again.passed === 0) return tally;
  return {
    ...again,
    took: tally.took,
    ran: [...tally.ran, ...again.ran],
    passed: tally.passed + tally.failed - again.failed,
    skips: tally.skips,
    flaky: tally.failures,
  };
};

const runTests = async (): Promise<Tally> => {
  const directory = await mkdtemp(join(await clusterHome(), 'landfall-run-'));
  await chmod(directory, 0o755); // as root, PostgreSQL's own user passes through
  const cluster = await startTestCluster(join(directory, 'postgres'));
  env.LANDFALL_TEST_DATABASE = cluster.connection.host;
  const tally = nothing();
  try {
    if (chosen.length > 0) {
      await runFiles(await testFiles(...chosen), CONCURRENCY, tally);
      return tally;
    }
    await runFiles(await testFiles(`{${WORKSPACES}}/**/*.test.ts`), CONCURRENCY, tally);
    await runFiles(await testFiles('e2e/**/*.test.ts'), BROWSER_CONCURRENCY, tally);
    return await runAgain(tally);
  } finally {
    await cluster.stop();
    await rm(directory, { recursive: true, force: true });
  }
};

/** Turbo remembers what passed: unchanged sources are not checked again. It neither phones home nor needs a network. */
const checks = (): Promise<number> =>
  runProgram('node_modules/.bin/turbo', ['run', 'typecheck', 'lint', '--continue', '--output-logs=new-only'], {
    TURBO_TELEMETRY_DISABLED: '1',
    DO_NOT_TRACK: '1',
  });

const checked = chosen.length > 0 ? 0 : await checks();
const built = chosen.length > 0 ? 0 : await runFile('scripts/build-console.ts');
const tally = await runTests();

const slowest = [...tally.took].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST);
if (chosen.length === 0) for (const [file, took] of slowest) console.log(`SLOW ${Math.round(took / 1_000)} s ${file}`);
for (const skip of tally.skips) console.log(`SKIP ${skip}`);
for (const flake of tally.flaky) console.log(`FLAKY ${flake}`);
for (const failure of tally.failures) console.log(`FAIL ${failure}`);
const unproved = [...unprovedClaims(claimsIn(root), tally.ran), ...unprovedRights(rightsIn(root), tally.ran)];
for (const claim of unproved) console.error(`UNPROVED ${claim}`);
const isComplete = chosen.length > 0 || (await skipsMatch(tally));
if (checked !== 0) console.error('The type check or lint failed; see above.');
if (built !== 0) console.error('The console did not build; see above.');
console.log(
  `${tally.passed} passed, ${tally.failed} failed, ${tally.skips.length} skipped, ${tally.flaky.length} flaky`,
);
exit(
  checked === 0 && built === 0 && isComplete && unproved.length === 0 && tally.failed === 0 && tally.passed > 0 ? 0 : 1,
);
