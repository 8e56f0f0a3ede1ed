// Both programs: the workspaces that Node runs, and the console for the browser.
import { exit } from 'node:process';
import { runTool } from './run-program.ts';

/** One checker: each of several would check what their files share once more, which takes twice the processor time. */
const OPTIONS = ['--noEmit', '--checkers', '1'];
/** Garbage collected when the heap is five times what lives (Go's default: twice), for 1 GB more of memory. */
process.env.GOGC ??= '400';

const codes = await Promise.all(
  ['tsconfig.json', 'console/tsconfig.json'].map((project) =>
    runTool('typescript/bin/tsc', [...OPTIONS, '-p', project]),
  ),
);
exit(codes.some((code) => code !== 0) ? 1 : 0);
