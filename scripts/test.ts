// npm test: types and lint through turbo, then every test over one PostgreSQL cluster, the browser flows beside them.
// `--full` adds `*.full.test.ts`, `--changed` keeps to what the changes since main reach; any other argument is a glob of
// test files to run alone.
import { once } from 'node:events';
import { chmod, glob, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { argv, env, exit } from 'node:process';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { clusterHome, startTestCluster } from '@landfall/kernel/testing/cluster';
import { type RanTest, unprovedClaims } from '@landfall/schema/proved-claims.ts';
import { rightsIn, unprovedRights } from '@landfall/schema/security-table.ts';
import { claimsIn } from '@landfall/schema/trace.ts';
import { changedTests } from './changed.ts';
import { importsOf, type Source } from './lint/sources.ts';
import { root, runFile, runProgram } from './run-program.ts';
import { startForBrowsers, startProducts } from './shared.ts';
import { createTimes } from './times.ts';

const WORKSPACES = 'schema,subgraphs,rest-compat,gateway,console,scripts';
/** Files at once on the two cores that this is sized for: a file waits for its database for a third of its time. */
const CONCURRENCY = 3;
/** Files at once of those that use the products that tests share, as long as any is left. */
const PRODUCT_CONCURRENCY = 2;
/** Files that take minutes, to be begun first, so that none is left alone at the end. */
const LONGEST = ['subgraphs/orchestrator/running/plan/executed-plans.full.test.ts', 'gateway/proofs/fuzz.full.test.ts'];
const WORKER = join(root, 'scripts/worker.ts');
/** A native library that these load ends the process where a hundred files ran before, as no smaller set of files does. */
const ALONE = ['subgraphs/search/vectors/encoder-fallback.test.ts', 'subgraphs/search/vectors/vectors.test.ts'];
/** Most files that are run a second time after a whole run: decision 016. */
const RETRIED_FILES = 8;

interface Tally {
  passed: number;
  failed: number;
  skips: string[];
  /** Failures, one line each, printed last. */
  failures: string[];
  readonly failedFiles: Set<string>;
  /** Failures that passed when they were tried again. */
  flaky: readonly string[];
  /** Every test that ran, in the order in which they ended. */
  readonly ran: RanTest[];
}

const tally: Tally = { passed: 0, failed: 0, skips: [], failures: [], failedFiles: new Set(), flaky: [], ran: [] };

const times = createTimes();
const isFull = argv.includes('--full');
/** Whether no file is begun after a time (`worker.ts`); those that were not are named at the end. */
const hasDeadline = env.LANDFALL_TEST_DEADLINE !== undefined;
/** Run modes of the product that tests `*.modes.test.ts` use. */
const MODES = isFull ? ['all-in-one', 'roles'] : ['all-in-one'];
const isChanged = argv.includes('--changed');
const chosen = argv.slice(2).filter((argument) => !argument.startsWith('--'));

const testFiles = async (...patterns: readonly string[]): Promise<string[]> => {
  const isSkipped = (path: string): boolean => /(^|\/)(node_modules|dist(-[^/.]+)?)$/.test(path);
  const found = await Array.fromAsync(glob(patterns, { cwd: root, exclude: isSkipped }));
  const files = found.filter((file) => isFull || !file.endsWith('.full.test.ts')).toSorted();
  return [...LONGEST.filter((file) => files.includes(file)), ...files.filter((file) => !LONGEST.includes(file))];
};

const reason = (skip: string | boolean, name: string): string => (typeof skip === 'string' ? skip : name);

/** End of the process of a worker, where it failed as a whole: its signal or exit code. */
const endOf = (error: object): string => {
  if ('signal' in error && typeof error.signal === 'string') return ` (signal ${error.signal})`;
  return 'exitCode' in error && typeof error.exitCode === 'number' ? ` (exit code ${error.exitCode})` : '';
};

/** Runs what a worker takes of these files; several workers take from the same list. */
const runWorker = async (claims: string, files: readonly string[], variables: NodeJS.ProcessEnv): Promise<void> => {
  const stream = run({
    cwd: root,
    files: [WORKER],
    argv: [claims, ...files],
    env: { ...env, ...variables },
  });
  const started = new Set<string>();
  stream.on('test:dequeue', ({ name, nesting }) => {
    if (nesting === 0 && files.includes(name)) started.add(name);
  });
  stream.on('test:pass', ({ name, nesting, skip, todo, file, line, details }) => {
    if (nesting === 0 && started.delete(name)) times.took.set(name, details.duration_ms);
    const omitted = skip ?? todo;
    const isPassed = omitted === undefined || omitted === false;
    if (file !== undefined && line !== undefined) tally.ran.push({ file: relative(root, file), line, name, isPassed });
    if (omitted !== undefined && omitted !== false) tally.skips.push(reason(omitted, name));
  });
  stream.on('test:fail', ({ name, nesting, file, line, details: { error, duration_ms: took } }) => {
    if (nesting === 0 && started.delete(name)) {
      times.took.set(name, took);
      tally.failedFiles.add(name);
    }
    if (file !== undefined && line !== undefined)
      tally.ran.push({ file: relative(root, file), line, name, isPassed: false });
    if (error.message.includes('subtest')) return; // its children say what failed
    const [why = ''] = String(error.cause instanceof Error ? error.cause.message : error.message).split('\n');
    tally.failures.push(
      `${file === undefined ? '' : relative(root, file)}: ${name}: ${why.slice(0, 200)}${endOf(error)}`,
    );
  });
  stream.on('test:summary', ({ file, counts }) => {
    if (file !== undefined) return; // the last one is the whole run's
    tally.passed += counts.passed;
    tally.failed += counts.tests - counts.passed - counts.skipped - counts.todo;
  });
  const report = stream.compose(spec);
  report.pipe(process.stdout, { end: false });
  await once(report, 'end');
  for (const file of started) tally.failedFiles.add(file); // the process ended with them
};

/** Files that several workers take one after the other. */
const openQueue = async (files: readonly string[], variables: NodeJS.ProcessEnv = {}) => {
  const claims = await mkdtemp(join(tmpdir(), 'landfall-claims-'));
  const countLeft = async (): Promise<number> => files.length - (await readdir(claims)).length;
  return {
    /** Runs this many workers at once until every file is taken and those that they took have ended. */
    async drain(concurrency: number): Promise<void> {
      const work = async (): Promise<void> => {
        for (let left = await countLeft(); left > 0; ) {
          await runWorker(claims, files, variables);
          const before = left;
          left = await countLeft();
          if (left === before) return; // a worker that takes none has failed, and that is in the tally
        }
      };
      await Promise.all(Array.from({ length: Math.min(concurrency, await countLeft()) }, work));
    },
    [Symbol.asyncDispose]: () => rm(claims, { recursive: true }),
  };
};

/** Effects of a browser test that others on the same product would notice. */
const traceOf = ({ file, text }: Source): 'asks the model' | 'makes environments' | 'deploys' | undefined => {
  const imports = importsOf({ file, text }).map(({ specifier }) => specifier);
  if (imports.includes('./model.ts')) return 'asks the model';
  if (imports.includes('./test-environment.ts')) return 'makes environments';
  return imports.includes('./console-actions.ts') ? 'deploys' : undefined;
};

/**
 * Runs browser tests: those that deploy or ask a model after the others, one by one. A full run, whose tests take long, has
 * two lanes at once, each with its own product.
 */
const runBrowserTests = async (files: readonly string[]): Promise<void> => {
  if (files.length === 0) return;
  const sources = await Promise.all(
    files.map(async (file) => ({ file, text: await readFile(join(root, file), 'utf8') })),
  );
  // The longest first, so that none is left alone at the end.
  const ordered = sources.toSorted((one, other) => other.text.length - one.text.length);
  const filesThat = (trace?: string) => ordered.filter((source) => traceOf(source) === trace).map(({ file }) => file);
  const others = filesThat();
  const deploying = [...filesThat('asks the model'), ...filesThat('deploys'), ...filesThat('makes environments')];
  const lanes = (isFull ? [others, deploying] : [[...others, ...deploying]]).filter((lane) => lane.length > 0);
  const products = lanes.map((lane) => (lane === others ? 'demo' : 'model'));
  const shared = await startForBrowsers(products).catch((error: unknown) => {
    tally.flaky = [...tally.flaky, `The products of the browser tests: ${String(error)}`];
    return startForBrowsers(products);
  });
  const runLane = async (lane: readonly string[], at: number): Promise<void> => {
    await using queue = await openQueue(lane, {
      E2E_BROWSER: shared.browser,
      E2E_CREDENTIALS: shared.credentials[at],
      ...(lane === others ? {} : { E2E_MODEL: shared.model }),
    });
    await queue.drain(1);
  };
  try {
    await Promise.all(lanes.map(runLane));
  } finally {
    await times.spent('browser and its products', shared.end);
  }
};

/** Reason of a skip where public data is absent, which lies beside the repository on some machines only. */
const ABSENT_DATA = /not beside the repository$/;

/** Whether as many tests were skipped as may be where everything they need can be installed. */
const skipsMatch = async (tally: Tally): Promise<boolean> => {
  const committed = Number(await readFile(join(root, '.ci/skips'), 'utf8'));
  const { length } = tally.skips.filter((reason) => !ABSENT_DATA.test(reason));
  if (length === committed) return true;
  console.error(`${length} tests were skipped; .ci/skips says ${committed}`);
  return env.CI === undefined;
};

/** Whether a test file uses the product that `sharedProduct` gives. */
const usesProduct = async (file: string): Promise<boolean> =>
  (await readFile(join(root, file), 'utf8')).includes('sharedProduct(');

/** Runs tests over an empty product in each run mode, which ends with them. */
const runOverProducts = async (files: readonly string[]): Promise<void> => {
  if (files.length === 0) return;
  const products = await startProducts(MODES);
  await using queue = await openQueue(files, { LANDFALL_TEST_PRODUCTS: products.settings });
  try {
    await queue.drain(PRODUCT_CONCURRENCY);
  } finally {
    await times.spent('products that tests share', products.end);
  }
};

/** Runs all but browser tests: those that share products first, so that these need not run for long. */
const runOthers = async (files: readonly string[]): Promise<void> => {
  const areUsing = await Promise.all(files.map(usesProduct));
  const isAlone = (file: string): boolean => ALONE.includes(file);
  await using alone = await openQueue(files.filter(isAlone));
  await using others = await openQueue(files.filter((file, at) => !areUsing[at] && !isAlone(file)));
  await Promise.all([
    runOverProducts(files.filter((_, at) => areUsing[at])).then(() => others.drain(PRODUCT_CONCURRENCY)),
    alone.drain(1).then(() => others.drain(CONCURRENCY - PRODUCT_CONCURRENCY)),
  ]);
};

const runTests = async (files: readonly string[]): Promise<void> => {
  const directory = await mkdtemp(join(await clusterHome(), 'landfall-run-'));
  await chmod(directory, 0o755); // as root, PostgreSQL's own user passes through
  const report = join(directory, 'times');
  await writeFile(report, '');
  env.LANDFALL_TEST_TIMES = report;
  env.LANDFALL_TEST_MODES = MODES.join(',');
  const cluster = await startTestCluster(join(directory, 'postgres'));
  env.LANDFALL_TEST_DATABASE = cluster.connection.host;
  const isBrowserTest = (file: string): boolean => file.startsWith('e2e/');
  try {
    const others = runOthers(files.filter((file) => !isBrowserTest(file)));
    // Beside faults and programs in roles, which a full run has many of, pages get too little of two cores for their time limits.
    if (isFull) await Promise.allSettled([others]);
    const settled = await Promise.allSettled([others, runBrowserTests(files.filter(isBrowserTest))]);
    for (const result of settled) if (result.status === 'rejected') throw result.reason;
  } finally {
    await times.spent('database', () => cluster.stop());
    await times.read(report);
    await rm(directory, { recursive: true, force: true });
  }
};

/** Runs the few files that failed in a whole or a full run once more, alone: a test that fails again has failed. */
const retryFailed = async (): Promise<void> => {
  const { passed, failed, skips, failures } = tally;
  const files = [...tally.failedFiles];
  if (files.length === 0 || files.length > RETRIED_FILES) return;
  console.log(`Once more, alone: ${files.join(', ')}`);
  // They have begun once, and a test that failed may not pass by not being run.
  delete env.LANDFALL_TEST_DEADLINE;
  Object.assign(tally, { failed: 0, failures: [] });
  for (const file of files) await runTests([file]);
  Object.assign(tally, { passed: passed + failed - tally.failed, skips, flaky: [...tally.flaky, ...failures] });
};

/** Turbo remembers what passed: unchanged sources are not checked again. It neither phones home nor needs a network. */
const checks = (): Promise<number> =>
  runProgram('node_modules/.bin/turbo', ['run', 'typecheck', 'lint', '--continue', '--output-logs=new-only'], {
    TURBO_TELEMETRY_DISABLED: '1',
    DO_NOT_TRACK: '1',
  });

const filesToRun = async (): Promise<string[]> => {
  if (chosen.length > 0) return testFiles(...chosen);
  const all = await testFiles(`{${WORKSPACES}}/**/*.test.{ts,tsx}`, 'e2e/**/*.test.ts');
  if (!isChanged) return all;
  const reached = new Set(await changedTests());
  return all.filter((file) => reached.has(file));
};

const files = await filesToRun();
const isWhole = chosen.length === 0 && !isChanged;
if (chosen.length === 0 && (await times.spent('types and lint', checks)) !== 0) {
  console.error('The type check or lint failed; see above. No test has run.');
  exit(1);
}
const needsConsole = isWhole || (isChanged && files.some((file) => file.startsWith('e2e/')));
const built = needsConsole ? await times.spent('console', () => runFile('scripts/build-console.ts')) : 0;
if (files.length > 0) await runTests(files);
const notStarted = files.filter((file) => !times.took.has(file) && !tally.failedFiles.has(file));
if (isWhole || isFull) await retryFailed();

for (const line of times.lines(tally.passed + tally.failed)) console.log(line);
for (const skip of tally.skips) console.log(`SKIP ${skip}`);
for (const file of hasDeadline ? notStarted : []) console.log(`NOT STARTED ${file}`);
for (const flake of tally.flaky) console.log(`FLAKY ${flake}`);
for (const failure of tally.failures) console.log(`FAIL ${failure}`);
const unproved = [...unprovedClaims(claimsIn(root), tally.ran), ...unprovedRights(rightsIn(root), tally.ran)];
for (const claim of unproved) console.error(`UNPROVED ${claim}`);
const isComplete = !isWhole || (await skipsMatch(tally));
if (built !== 0) console.error('The console did not build; see above.');
console.log(
  `${tally.passed} passed, ${tally.failed} failed, ${tally.skips.length} skipped, ${tally.flaky.length} flaky`,
);
const isGood = built === 0 && isComplete && unproved.length === 0 && tally.failed === 0;
exit(isGood && (isChanged || tally.passed > 0) ? 0 : 1);
