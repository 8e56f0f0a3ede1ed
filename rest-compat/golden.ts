/**
 * Records the golden files: sends every request of rest-compat/golden to a running product and writes the answers.
 * A changed file is a changed contract: its commit says why.
 *
 *   node rest-compat/golden.ts             records those that have no answer yet
 *   node rest-compat/golden.ts --all       records all of them anew
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { caseText, goldenCases } from './replay/case.ts';
import { record } from './replay/replay.ts';
import { openStage } from './replay/stage.ts';

const { values } = parseArgs({ options: { all: { type: 'boolean', default: false } } });

const cases = goldenCases().filter(({ response }) => values.all || response === '');
if (cases.length === 0) {
  process.stdout.write('Every case has an answer: npm run golden -- --all records them anew.\n');
  process.exit();
}
await using stage = await openStage('all-in-one');
for (const golden of cases) {
  const response = await record(golden, stage);
  if (response === golden.response) continue;
  writeFileSync(golden.file, caseText({ ...golden, response }));
  process.stdout.write(`recorded ${golden.name}\n`);
}
