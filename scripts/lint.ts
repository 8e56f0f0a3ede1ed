// Checks of the text by a machine: style, imports, names, dead exports, and generated files that are out of date.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exit } from 'node:process';
import { judgeFile } from './import-law.ts';
import { checkDependencies } from './lint/dependencies.ts';
import { checkExports } from './lint/exports.ts';
import { checkFolderOrder, checkOrderedFolders } from './lint/folder-order.ts';
import { checkRawNetwork } from './lint/raw-network.ts';
import { readSources } from './lint/sources.ts';
import { checkComments, checkDocstrings, checkFileNames, checkStatements, forbiddenWords } from './lint/text-rules.ts';
import { root, runFile, runTool } from './run-program.ts';

const sources = await readSources(root);
const breaches = [
  ...sources.flatMap(judgeFile),
  ...checkFolderOrder(sources),
  ...checkOrderedFolders(sources),
  ...checkExports(sources),
  ...checkRawNetwork(sources),
  ...checkDocstrings(sources),
  ...checkComments(sources),
  ...checkStatements(sources),
  ...checkFileNames(sources, forbiddenWords(await readFile(join(root, 'docs/glossary.md'), 'utf8'))),
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
