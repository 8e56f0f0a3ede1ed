import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { needs } from '@landfall/kernel/testing/programs';
import fc from 'fast-check';
import { startTimestampAuthority } from '../testing/timestamp-authority.ts';
import {
  acceptsAlone,
  createPlatform,
  DEPLOYMENT,
  type PlatformOptions,
  PREDICATE_TYPE,
  SUBJECT,
} from './bundle.fixture.ts';
import { Editing, flipped } from './mutations.fixture.ts';
import { parseTrust } from './trust.ts';
import { verifyBundle } from './verify-bundle.ts';

const openssl = await needs('openssl');
const times = openssl.skip === undefined ? await startTimestampAuthority() : undefined;
after(() => times?.[Symbol.asyncDispose]());

const TOKENS = 'verificationMaterial.timestampVerificationData';
const TOKEN = `${TOKENS}.rfc3161Timestamps.0.signedTimestamp`;
const expected = { subjectDigest: `sha256:${SUBJECT}`, predicateType: PREDICATE_TYPE, deploymentId: DEPLOYMENT };

const stamped = (options: PlatformOptions = {}) => {
  if (!times) throw new TypeError('no authority');
  const authority = {
    uri: 'https://times.example',
    certificates: times.certificates,
    validFrom: new Date('2026-01-01T00:00:00Z'),
    validUntil: null,
    timestamp: times.timestamp,
  };
  return createPlatform({ authority, ...options });
};

test(
  'a bundle with a timestamp verifies, here and by Sigstore alone, and says when it was signed',
  openssl,
  async () => {
    const platform = stamped();
    const bundle = await platform.bundle();
    const found = verifyBundle(bundle, parseTrust(platform.trust), { ...expected, isTimestamped: true });
    assert.deepEqual([found.verified, found.checks.timestamp, found.errorMessage], [true, 'pass', undefined]);
    assert.ok(found.signedAt && Math.abs(found.signedAt.getTime() - Date.now()) < 3_600_000);
    assert.equal(acceptsAlone(bundle, platform.trust), true);
  },
);

test('a timestamp of another signature, one that was changed, and one that is gone are refused', openssl, async () => {
  const platform = stamped();
  const trust = parseTrust(platform.trust);
  const [one, other] = [await platform.bundle(), new Editing(await platform.bundle())];
  const token: string =
    JSON.parse(one).verificationMaterial.timestampVerificationData.rfc3161Timestamps[0].signedTimestamp;
  other.write(TOKEN, () => token);
  const changed = new Editing(one);
  changed.write(TOKEN, (old) => flipped(old, 3));
  for (const { text } of [other, changed]) {
    const found = verifyBundle(text, trust, expected);
    assert.deepEqual([found.verified, found.checks.timestamp], [false, 'fail']);
    assert.match(found.details.timestamp ?? '', /^timestamp-refused: /);
    assert.equal(acceptsAlone(text, platform.trust), false);
  }
  const without = new Editing(one);
  without.set(TOKENS, () => undefined);
  const found = verifyBundle(without.text, trust, { ...expected, isTimestamped: true });
  assert.match(found.errorMessage ?? '', /^timestamp-missing: /);
  assert.equal(acceptsAlone(without.text, platform.trust), false);
});

test('where no authority is trusted a timestamp says nothing, and harms nothing', openssl, async () => {
  const platform = stamped();
  const trust = new Editing(platform.trust);
  trust.set('trustedRoot.timestampAuthorities', () => []);
  const found = verifyBundle(await platform.bundle(), parseTrust(trust.text), expected);
  assert.deepEqual([found.verified, found.checks.timestamp, found.signedAt], [true, 'skipped', undefined]);
  assert.match(found.details.timestamp ?? '', /^authority-unknown: /);
});

test('a key that ended before the timestamp did not sign then, and neither did its log', openssl, async () => {
  const completed = new Date('2026-02-01T00:00:00Z');
  const delayed = stamped({ signerEnds: completed });
  const bySigner = verifyBundle(await delayed.bundle(), parseTrust(delayed.trust), expected);
  assert.match(bySigner.details.signature ?? '', /^signer-expired: /);
  const former = stamped({ logKeyEnds: completed });
  const byLog = verifyBundle(await former.bundle(), parseTrust(former.trust), expected);
  assert.match(byLog.details.checkpoint ?? '', /^log-key-ended: /);
});

// CMS leaves the copy of the certificates and a few headers unsigned (RFC 5652 5.4): a verifier uses the trusted chain,
// and no certificate of the token.
test('another byte in a timestamp is refused, or is one that nobody signed and nobody reads', openssl, async () => {
  const platform = stamped();
  const trust = parseTrust(platform.trust);
  const text = await platform.bundle();
  const { signedAt } = verifyBundle(text, trust, expected);
  const start = text.indexOf('"signedTimestamp":"') + '"signedTimestamp":"'.length;
  const length = text.indexOf('"', start) - start;
  const token = Buffer.from(text.slice(start, start + length), 'base64');
  let refused = 0;
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.integer({ min: 1, max: 255 }), (at, difference) => {
      const other = Buffer.from(token);
      other.writeUInt8(token.readUInt8(at) ^ difference, at);
      const changed = text.slice(0, start) + other.toString('base64') + text.slice(start + length);
      const found = verifyBundle(changed, trust, expected);
      if (!found.verified) refused += 1;
      else assert.deepEqual(found.signedAt, signedAt, `byte ${at} of the token`);
    }),
    { numRuns: 300 },
  );
  assert.ok(refused > 50);
});
