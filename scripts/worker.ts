// Runs test files one after the other in one process, a suite each: what they import is loaded once for all of them.
// Arguments: the directory in which files are claimed, then the files, in the order in which they are to be taken.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { argv, exit } from 'node:process';
import { describe } from 'node:test';
import { reportTimes } from './process-times.ts';
import { root } from './run-program.ts';

/** Most files that one process runs: what they leave in memory goes with it. */
const MAX_FILES = 120;
const FILE_TIMEOUT_MS = 1_200_000;
/** Time in which what a test left open must close by itself. */
const CLOSING_MS = 60_000;
/** Time after which no file is begun, in Unix seconds: a landing has only so long. None unless given. */
const deadline = Number(process.env.LANDFALL_TEST_DEADLINE ?? Infinity) * 1_000;

const [claims = '', ...files] = argv.slice(2);

/** Whether a file is this process's to run; directories are made by one process alone. */
const claim = (index: number): Promise<boolean> =>
  mkdir(join(claims, String(index))).then(
    () => true,
    () => false,
  );

const runFile = async (file: string): Promise<void> => {
  await describe(file, { timeout: FILE_TIMEOUT_MS }, () => import(join(root, file)));
  reportTimes(file);
};

// A test may wait for something that does not keep the process alive, such as a server that ends with it.
const alive = setInterval(() => undefined, FILE_TIMEOUT_MS);
const ran: string[] = [];
for (const [at, file] of files.entries()) {
  if (ran.length === MAX_FILES || Date.now() > deadline) break;
  if (!(await claim(at))) continue;
  await runFile(file);
  ran.push(file);
}
clearInterval(alive);
setTimeout(() => {
  const open = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind));
  const kinds = open.map(([kind, all]) => `${all?.length} ${kind}`).join(', ');
  console.error(`Still open after ${ran.join(', ')}: ${kinds}.`);
  exit(1);
}, CLOSING_MS).unref();
