// Program for artifacts-migrate.full.test.ts: a command of landfall that is killed once a failpoint was reached a number of times.

import { arm } from '@landfall/kernel/system/failpoint';
import { run } from '../cli/landfall.ts';

let left = Number(process.env.LANDFALL_FAILPOINT_HITS);
arm(process.env.LANDFALL_FAILPOINT ?? '', () => {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
});
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  readInput: async () => '',
  print: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
});
