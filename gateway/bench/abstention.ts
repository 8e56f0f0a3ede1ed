// Whether search says that it does not know: questions about releases that do not exist, about nothing of the platform, and
// about what is on record, the half by which the rules were made and the half that was held out. Beside the real advisories
// of LANDFALL_BENCH_DATA, or the shared data beside the checkout, where there are any.
import { abstentionApp, type Half } from '@landfall/search/testing/parts';
import { createReport } from './figure.ts';
import { findRealFile, readDocuments } from './search-documents.ts';

const HALVES: readonly Half[] = ['tuned', 'held out'];
const GOALS = { answerable: 1, unknown: 0.95, 'off-topic': 0.95 } as const;

const { tell } = createReport('abstention');
const path = await findRealFile();
const documents = path === undefined ? [] : await readDocuments(path);
await using app = await abstentionApp(documents);
tell('documents beside the story', documents.length, 'documents');
for (const half of HALVES)
  for (const { kind, asked, right, wrong } of await app.judge(half)) {
    const atLeast = GOALS[kind];
    tell(`${kind} questions judged rightly, ${half}`, right / asked, `of ${asked}`, { atLeast });
    for (const question of wrong) process.stderr.write(`abstention: ${half}, ${kind}, wrong: ${question}\n`);
  }
