// Both programs: the workspaces that Node runs, and the console for the browser.
import { exit } from 'node:process';
import { runTool } from './run-program.ts';

const codes = await Promise.all(
  ['tsconfig.json', 'console/tsconfig.json'].map((project) =>
    runTool('typescript/bin/tsc', ['--noEmit', '-p', project]),
  ),
);
exit(codes.some((code) => code !== 0) ? 1 : 0);
