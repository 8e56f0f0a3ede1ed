// Whether search abstains: questions about releases that do not exist, about subjects outside the platform, and about
// recorded facts, with the questions by which the rules were made and the held-out ones counted separately. Runs beside
// the real advisories of LANDFALL_BENCH_DATA, or of the shared data beside the checkout, where there are any.
import { abstentionApp, type Half } from '@landfall/search/testing/parts';
import { createReport } from './figure.ts';
import { findRealFile, readDocuments } from './search-documents.ts';

const QUESTION_SETS: readonly Half[] = ['tuned', 'held out'];
const GOALS = { answerable: 1, unknown: 0.95, 'off-topic': 0.95 } as const;

const { tell } = createReport('abstention');
const path = await findRealFile();
const documents = path === undefined ? [] : await readDocuments(path);
await using app = await abstentionApp(documents);
tell('documents beside the story', documents.length, 'documents');
for (const questionSet of QUESTION_SETS)
  for (const { kind, asked, right, wrong } of await app.judge(questionSet)) {
    const atLeast = GOALS[kind];
    tell(`${kind} questions judged rightly, ${questionSet}`, right / asked, `of ${asked}`, { atLeast });
    for (const question of wrong) process.stderr.write(`abstention: ${questionSet}, ${kind}, wrong: ${question}\n`);
  }
