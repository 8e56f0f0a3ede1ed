import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextActorOf } from './next-actor.ts';

const next = new Date();

test('a deployment waits for agents while it runs, and at a gate for its analysis or for a person', () => {
  assert.equal(nextActorOf({ state: 'in_progress', pauseReason: null, nextCheckAt: null }), 'agents');
  assert.equal(nextActorOf({ state: 'cancelling', pauseReason: null, nextCheckAt: null }), 'agents');
  assert.equal(nextActorOf({ state: 'paused', pauseReason: 'traffic_gate', nextCheckAt: next }), 'analysis');
  assert.equal(nextActorOf({ state: 'paused', pauseReason: 'traffic_gate', nextCheckAt: null }), 'person');
  assert.equal(nextActorOf({ state: 'paused', pauseReason: 'manual', nextCheckAt: next }), 'person');
  assert.equal(nextActorOf({ state: 'completed', pauseReason: null, nextCheckAt: null }), null);
});
