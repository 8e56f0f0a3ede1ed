import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remoteFault } from './remote-failure.ts';

test('a remote party that the egress policy blocks is a fault with the details of the decision', () => {
  const details = { mode: 'Sealed', reason: 'no_rule_matches', supportContact: 'ops@acme.example' };
  const failure = { kind: 'refused-by-policy', message: 'It is blocked.', details } as const;
  const fault = remoteFault(failure, 'The registry', { integration: 'main' });
  assert.equal(fault.code, 'INT_CONNECTION_FAILED');
  assert.deepEqual(fault.details, { ...details, integration: 'main', cause: 'refused-by-policy' });
});
