import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitOf } from './next-actor.ts';

const next = new Date();

test('a deployment waits for agents while it runs, and at a gate for its analysis or for a person', () => {
  assert.equal(waitOf({ state: 'in_progress', pauseReason: null, nextCheckAt: null }), 'agents');
  assert.equal(waitOf({ state: 'cancelling', pauseReason: null, nextCheckAt: null }), 'agents');
  assert.equal(waitOf({ state: 'paused', pauseReason: 'traffic_gate', nextCheckAt: next }), 'analysis');
  assert.equal(waitOf({ state: 'paused', pauseReason: 'traffic_gate', nextCheckAt: null }), 'person');
  assert.equal(waitOf({ state: 'paused', pauseReason: 'manual', nextCheckAt: next }), 'person');
  assert.equal(waitOf({ state: 'completed', pauseReason: null, nextCheckAt: null }), null);
});
