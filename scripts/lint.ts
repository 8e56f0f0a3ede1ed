// Everything about the text that a machine checks: style, imports, and generated files that went stale.
import { exit } from 'node:process';
import { checkImports } from './import-law.ts';
import { root, runFile, runTool } from './tools.ts';

const breaches = await checkImports(root);
for (const { file, line, message } of breaches) console.error(`${file}:${line} ${message}`);

const codes = [
  await runTool('@biomejs/biome/bin/biome', ['check', '--error-on-warnings']),
  await runFile('schema/compose.ts', ['--check']),
  await runFile('schema/codegen.ts', ['--check']),
  await runFile('schema/docs.ts', ['--check']),
];
exit(breaches.length > 0 || codes.some((code) => code !== 0) ? 1 : 0);
