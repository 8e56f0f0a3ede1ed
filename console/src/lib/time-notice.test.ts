import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimeNoticeQuery, TimeState } from '../generated/operations.ts';
import { staleSources } from './time-notice.ts';

const notice = (mode: 'SEALED' | 'UNSEALED', anchor: TimeState, advisories: TimeState): TimeNoticeQuery => ({
  airgap: { __typename: 'AirGap', id: 'acme', mode },
  timeStatus: {
    __typename: 'TimeStatus',
    state: anchor,
    ageSeconds: 10,
    content: [
      { __typename: 'ContentAge', content: 'ADVISORIES', state: advisories, ageSeconds: 20 },
      { __typename: 'ContentAge', content: 'VEX', state: 'UNKNOWN', ageSeconds: null },
    ],
  },
});

const sourcesOf = (query: TimeNoticeQuery) => staleSources(query).map(({ source }) => source);

test('an unsealed environment has nothing to say', () => {
  assert.deepEqual(sourcesOf(notice('UNSEALED', 'UNKNOWN', 'BREACH')), []);
});

test('a sealed environment needs an anchor that is fresh', () => {
  for (const state of ['UNKNOWN', 'UNTRUSTED', 'WARNING', 'BREACH'] as const)
    assert.deepEqual(sourcesOf(notice('SEALED', state, 'FRESH')), ['anchor'], state);
  assert.deepEqual(sourcesOf(notice('SEALED', 'FRESH', 'FRESH')), []);
});

test('old content is named in a sealed environment, the worst first', () => {
  assert.deepEqual(sourcesOf(notice('SEALED', 'WARNING', 'BREACH')), ['ADVISORIES', 'anchor']);
});
