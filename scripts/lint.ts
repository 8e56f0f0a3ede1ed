// Everything about the text that a machine checks: style, imports, names, dead exports, and generated files that went stale.
import { exit } from 'node:process';
import { judgeFile } from './import-law.ts';
import { checkDependencies } from './lint/dependencies.ts';
import { checkRooms } from './lint/rooms.ts';
import { readSources, workspaceOf } from './lint/sources.ts';
import { checkDocstrings, checkStatements } from './lint/text-rules.ts';
import { root, runFile, runTool } from './tools.ts';

/** Workspaces whose docstrings are not revised yet. */
const UNREVISED = new Set(['gateway', 'rest-compat', 'subgraphs/kernel', 'subgraphs/orchestrator']);

const sources = await readSources(root);
const breaches = [
  ...sources.flatMap(judgeFile),
  ...checkRooms(sources),
  ...checkDocstrings(sources.filter(({ file }) => !UNREVISED.has(workspaceOf(file)))),
  ...checkStatements(sources),
  ...(await checkDependencies(root, sources)),
];
for (const { file, line, message } of breaches) console.error(`${file}:${line} ${message}`);

const codes = [
  await runTool('@biomejs/biome/bin/biome', ['check', '--error-on-warnings']),
  await runFile('schema/compose.ts', ['--check']),
  await runFile('schema/codegen.ts', ['--check']),
  await runFile('schema/docs.ts', ['--check']),
];
exit(breaches.length > 0 || codes.some((code) => code !== 0) ? 1 : 0);
