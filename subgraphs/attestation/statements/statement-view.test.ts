import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { statementOf } from './statement-view.ts';

const statement = (name: string) =>
  Buffer.from(JSON.stringify({ subject: [{ name, digest: { sha256: 'ab'.repeat(32) } }], predicate: {} }));

const bundled = (payload: Buffer): string =>
  JSON.stringify({ dsseEnvelope: { payload: payload.toString('base64'), signatures: [] } });

test('a statement is shown as the bundle has it, whatever its row says', () => {
  const signed = statement('web');
  const visible = statementOf({ payload: statement('forged'), bundle: bundled(signed) });
  assert.deepEqual(visible, {
    text: signed.toString(),
    digest: sha256(signed),
    subjects: [{ name: 'web', digest: `sha256:${'ab'.repeat(32)}` }],
  });
});

test('a statement that is not signed yet is shown as it was written', () => {
  const payload = statement('web');
  assert.equal(statementOf({ payload, bundle: null }).digest, sha256(payload));
});

test('a bundle that somebody broke is no reason to show nothing', () => {
  const payload = statement('web');
  for (const bundle of ['', '{', '{}', '{"dsseEnvelope":{"payload":1}}'])
    assert.equal(statementOf({ payload, bundle }).text, payload.toString(), bundle);
  assert.deepEqual(statementOf({ payload, bundle: bundled(Buffer.from('no statement')) }).subjects, []);
});
