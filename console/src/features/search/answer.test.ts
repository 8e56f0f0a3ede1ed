import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Answer,
  advanced,
  answerOutcome,
  closed,
  isInProgress,
  isRecordComplete,
  NEW_ANSWER,
  paragraphs,
  reportedOutcome,
  stopped,
} from './answer.ts';

type Event = readonly [name: string, data: unknown];

const after = (...events: readonly Event[]): Answer =>
  events.reduce((answer, [name, data]) => advanced(answer, name, data), NEW_ANSWER);

const START: Event = ['synthesis_start', { query: 'q', cardCount: 2 }];
const MAX_LISTED: Event = ['deterministic', { text: 'One finding.', citations: ['osv:A#1'], abstained: false }];
const STARTED: Event = ['llm_status', { status: 'started' }];
const WRITTEN: Event = ['llm_chunk', { text: 'It is reachable. ', citations: ['osv:A#1'] }];
const status = (word: string): Event => ['llm_status', { status: word }];
const END: Event = ['synthesis_end', { durationMs: 12 }];

test('an answer is told, then written, then ended', () => {
  assert.equal(after().phase, 'asked');
  assert.equal(after(START).cardCount, 2);
  const record = after(START, MAX_LISTED, ['deterministic', { text: 'Another.', citations: [], abstained: false }]);
  assert.equal(record.phase, 'recorded');
  assert.equal(isRecordComplete(record), false);
  const complete = after(
    START,
    MAX_LISTED,
    STARTED,
    WRITTEN,
    status('completed'),
    ['grounding', { coverage: 1, dropped: 2 }],
    END,
  );
  assert.deepEqual(complete, {
    phase: 'ended',
    cardCount: 2,
    record: [{ text: 'One finding.', citations: ['osv:A#1'] }],
    isAbstained: false,
    status: 'completed',
    wasStarted: true,
    words: [{ text: 'It is reachable.', citations: ['osv:A#1'] }],
    grounding: { coverage: 1, dropped: 2 },
    durationMs: 12,
  });
});

test('what was told stays when the model does not write, and the answer is whole', () => {
  for (const word of ['timeout', 'unavailable', 'quota_exceeded']) {
    const answer = after(START, MAX_LISTED, status(word));
    assert.equal(answer.record.length, 1);
    assert.equal(answer.phase, 'recorded');
    assert.ok(isRecordComplete(answer));
  }
});

test('whoever stops an answer hears no more of it', () => {
  const answer = stopped(after(START, MAX_LISTED, STARTED, WRITTEN));
  assert.equal(answer.phase, 'stopped');
  assert.equal(isInProgress(answer), false);
  assert.equal(advanced(answer, ...WRITTEN), answer);
  assert.equal(closed(answer), answer);
  const completed = after(START, MAX_LISTED, END);
  assert.equal(stopped(completed), completed);
});

test('a stream that ends without saying so was broken off', () => {
  assert.equal(closed(after(START, MAX_LISTED)).phase, 'broken');
  assert.equal(closed(after(START, MAX_LISTED, END)).phase, 'ended');
});

test('events that are unknown or make no sense change nothing', () => {
  const before = after(START, MAX_LISTED);
  for (const [name, data] of [
    ['weather', { sky: 'clear' }],
    ['llm_status', { status: 'confused' }],
    ['llm_chunk', { text: '  ' }],
    ['llm_chunk', null],
  ] as const)
    assert.equal(advanced(before, name, data), before);
  assert.deepEqual(after(['llm_chunk', { text: 'Words.', citations: [1, 'a', null] }]).words, [
    { text: 'Words.', citations: ['a'] },
  ]);
});

test('how an answer served is told in the words of the metrics', () => {
  const abstained: Event = ['deterministic', { text: 'Too little is known.', citations: [], abstained: true }];
  assert.equal(answerOutcome(after(START, MAX_LISTED, END), 2), 'grounded');
  assert.equal(answerOutcome(after(START, abstained, END), 2), 'insufficient');
  assert.equal(answerOutcome(after(START, abstained, END), 0), 'clarify');
  assert.equal(answerOutcome(after(START, MAX_LISTED, STARTED, status('timeout'), END), 2), 'fallback');
  assert.equal(answerOutcome(after(START, MAX_LISTED, STARTED, WRITTEN, status('timeout'), END), 2), 'grounded');
  assert.equal(answerOutcome(after(START, MAX_LISTED, status('quota_exceeded'), END), 2), 'fallback');
  // Without a model no synthesis is expected.
  assert.equal(answerOutcome(after(START, MAX_LISTED, status('unavailable'), END), 2), 'grounded');
});

test('how an answer served is told once it can be, whoever gave it', () => {
  const found = { cards: [1], mode: 'fts-only', synthesis: null };
  assert.equal(reportedOutcome(found, after(START, MAX_LISTED), false), undefined);
  assert.equal(reportedOutcome(found, after(START, MAX_LISTED, END), false), 'grounded');
  assert.equal(reportedOutcome(found, undefined, false), undefined);
  assert.equal(reportedOutcome({ ...found, synthesis: { abstained: true } }, undefined, false), 'insufficient');
  assert.equal(reportedOutcome({ ...found, mode: 'legacy-fallback' }, undefined, false), 'fallback');
  assert.equal(reportedOutcome({ ...found, cards: [] }, undefined, false), 'clarify');
});

test('sentences that rest on the same are one paragraph', () => {
  const cited = (text: string, ...citations: readonly string[]) => ({ text, citations });
  const [a, b, c, d] = [cited('A', '1'), cited('B', '1', '2'), cited('C', '2'), cited('D', '1')];
  assert.deepEqual(paragraphs([a, b, c, d]), [[a, b], [c], [d]]);
  assert.deepEqual(paragraphs([]), []);
});
