import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKey, createPlatform, ORIGIN } from './bundle.fixture.ts';
import { Editing, flipped } from './mutations.fixture.ts';
import { isLoggedInTime, isValidAt, MalformedTrust, parseTrust } from './trust.ts';

test('a trust document tells the log by its origin, and each key by its hint and its period', () => {
  const { trust: text, signer, logKey } = createPlatform({ signerEnds: new Date('2026-03-01T00:00:00.400Z') });
  const trust = parseTrust(text);
  assert.deepEqual(
    trust.logKeys.map(({ origin, spki }) => [origin, spki]),
    [[ORIGIN, logKey.spki]],
  );
  const key = trust.keys.get(signer.keyId);
  assert.ok(key);
  assert.equal(isValidAt(key, new Date('2025-12-31T23:59:59Z')), false);
  assert.equal(isValidAt(key, new Date('2026-03-01T00:00:00.400Z')), true);
  assert.equal(isValidAt(key, new Date('2026-03-01T00:00:02Z')), false);
});

const LOG = 'trustedRoot.tlogs.0';

const refused: readonly { what: string; change: (document: Editing) => void; words: RegExp }[] = [
  {
    what: 'a log key without a start',
    change: (d) => d.set(`${LOG}.publicKey.validFor`, () => ({})),
    words: /validFor/,
  },
  { what: 'a signer without a start', change: (d) => d.set('keys.0.validFor', () => ({})), words: /validFor/ },
  { what: 'no log at all', change: (d) => d.set('trustedRoot.tlogs', () => []), words: /tlogs/ },
  {
    what: 'a log id of another key',
    change: (d) => d.write(`${LOG}.logId.keyId`, flipped),
    words: /key id of the log/,
  },
  {
    what: 'a checkpoint key id of another key',
    change: (d) => d.write(`${LOG}.checkpointKeyId.keyId`, flipped),
    words: /key id of the log/,
  },
  {
    what: 'another origin than the key id is made of',
    change: (d) => d.write(`${LOG}.baseUrl`, (old) => `${old}2`),
    words: /key id of the log/,
  },
  {
    what: 'a hint that is not the hash of its key',
    change: (d) => d.write('keys.0.hint', () => createKey('ed25519').keyId),
    words: /hint/,
  },
  {
    what: 'details that are not those of the key',
    change: (d) => d.write('keys.0.keyDetails', () => 'PKIX_ED25519'),
    words: /details/,
  },
  {
    what: 'a key that is none',
    change: (d) => d.write('keys.0.rawBytes', () => 'AAAA'),
    words: /SubjectPublicKeyInfo/,
  },
  {
    what: 'base64 in a second spelling',
    change: (d) => d.write('keys.0.rawBytes', (old) => `${old}\n`),
    words: /base64/,
  },
  {
    what: 'a key twice',
    change: (d) => d.set('keys', (old) => (Array.isArray(old) ? [...old, ...old] : old)),
    words: /twice/,
  },
  {
    what: 'an end before the start',
    change: (d) => d.write('keys.0.validFor.end', () => '2020-01-01T00:00:00Z'),
    words: /before it starts/,
  },
  { what: 'a member that nobody reads', change: (d) => d.set('keys.0.more', () => true), words: /keys/ },
  { what: 'another media type', change: (d) => d.write('mediaType', () => 'application/json'), words: /mediaType/ },
  {
    what: 'a certificate that is none',
    change: (d) =>
      d.set('trustedRoot.timestampAuthorities', () => [
        { certChain: { certificates: [{ rawBytes: 'AAAA' }] }, validFor: { start: '2026-01-01T00:00:00Z' } },
      ]),
    words: /certificate/,
  },
];

test('the log sizes at the end of a key are those of each log, once, or are refused', () => {
  const signerEnds = new Date('2026-03-01T00:00:00Z');
  const { trust: text, signer } = createPlatform({ signerEnds, signerEndsAt: 5 });
  const key = parseTrust(text).keys.get(signer.keyId);
  assert.ok(key);
  assert.deepEqual(
    [4, 5].map((index) => isLoggedInTime(key, ORIGIN, index)),
    [true, false],
  );
  assert.equal(isLoggedInTime(key, 'another.example/log', 0), false);
  const one = { origin: ORIGIN, size: 5 };
  for (const [sizes, message] of [
    [[], /each log/],
    [[one, one], /each log/],
    [[one, { ...one, origin: 'another.example/log' }], /each log/],
    [[{ ...one, origin: 'another.example/log' }], /each log/],
    [[{ ...one, size: -1 }], /logSizes/],
    [[{ ...one, size: '5' }], /logSizes/],
    [[{ ...one, size: 5.5 }], /logSizes/],
    [[{ ...one, root: '' }], /logSizes/],
    [{}, /logSizes/],
  ] as const) {
    const document = new Editing(text);
    document.set('keys.0.logSizes', () => sizes);
    assert.throws(() => parseTrust(document.text), message, JSON.stringify(sizes));
  }
  const open = new Editing(text);
  open.set('keys.0.validFor', () => ({ start: '2026-01-01T00:00:00Z' }));
  assert.throws(() => parseTrust(open.text), /did not end/);
});

test('a trust document that could mislead a verifier is refused with what is wrong with it', () => {
  const { trust } = createPlatform();
  for (const { what: name, change, words } of refused) {
    const document = new Editing(trust);
    change(document);
    assert.throws(
      () => parseTrust(document.text),
      (error) => error instanceof MalformedTrust && words.test(error.message),
      name,
    );
  }
  assert.throws(() => parseTrust(trust.replace('{', '{"keys":[],')), /twice/);
  assert.throws(() => parseTrust('[]'), MalformedTrust);
});
