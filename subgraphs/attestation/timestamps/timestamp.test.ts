import assert from 'node:assert/strict';
import { hash, randomBytes, sign, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { createHttpClient } from '@landfall/kernel/http/client';
import { openEgress } from '@landfall/kernel/system/egress';
import { needs } from '@landfall/kernel/testing/programs';
import { type LeafOptions, startTimestampAuthority } from '../testing/timestamp-authority.ts';
import { checkTimestamp, createTimestampClient, readTimestampChains, type TimestampAuthority } from './timestamp.ts';
import { configuredTimestamps } from './timestamp-settings.ts';

const openssl = await needs('openssl');
const MINUTE_MS = 60_000;
const signature = randomBytes(71);
const http = createHttpClient({ egress: openEgress });
// Signs every token in the same number of bytes, so that a changed part can be signed again in place.
const authority = openssl.skip === undefined ? await startTimestampAuthority({ key: 'rsa' }) : undefined;
const token = (await authority?.timestamp(signature)) ?? Buffer.of();
after(async () => {
  await authority?.[Symbol.asyncDispose]();
  await http.close();
});

type Authority = NonNullable<typeof authority>;
const requireAuthority = (): Authority => authority ?? assert.fail('no authority');
const trusted = (certificates: readonly Buffer[] = requireAuthority().certificates): TimestampAuthority[] => [
  { certificates },
];
const refused = (bytes: Buffer, reason: RegExp, authorities = trusted()): void => {
  const check = checkTimestamp(bytes, signature, authorities);
  assert.ok('reason' in check && reason.test(check.reason), JSON.stringify(check));
};

/** Replaces the only occurrence of some bytes in a token by as many others. */
const replaced = (bytes: Buffer, from: Buffer, to: Buffer): Buffer => {
  const at = bytes.indexOf(from);
  assert.ok(at >= 0 && bytes.indexOf(from, at + 1) === -1 && from.length === to.length, from.toString('hex'));
  const changed = Buffer.from(bytes);
  to.copy(changed, at);
  return changed;
};

const SIGNED_ATTRIBUTES = Buffer.from('06092a864886f70d010903', 'hex');
const RSA_BYTES = 256;

/** Signs a changed token's attributes with the authority's own key. */
const signedAnew = (bytes: Buffer): Buffer => {
  // The attributes begin where the first of them names its type: SEQUENCE, its length, the type. Before it: [0], 81, length.
  const first = bytes.indexOf(SIGNED_ATTRIBUTES) - 2;
  assert.deepEqual([bytes[first - 3], bytes[first - 2]], [0xa0, 0x81]);
  const attributes = Buffer.from(bytes.subarray(first - 3, first + bytes.readUInt8(first - 1)));
  attributes[0] = 0x31;
  const changed = Buffer.from(bytes);
  sign('sha256', attributes, requireAuthority().privateKey).copy(changed, bytes.length - RSA_BYTES);
  return changed;
};

const leafHash = (der: Buffer): Buffer => hash('sha256', der, 'buffer');

/** Token as if a deviating certificate had signed it, and the chain with that one. */
const underOther = async (options: LeafOptions) => {
  const { certificates, other } = requireAuthority();
  const der = await other(options);
  const named = replaced(token, leafHash(certificates[0]), leafHash(der));
  return { token: signedAnew(named), trusted: trusted([der, certificates[1]]) };
};

/** Range of TSTInfo: after its type, [0], and OCTET STRING, each with a length of one or two bytes. */
const tstInfo = (): { start: number; length: number } => {
  const type = Buffer.from('060b2a864886f70d0109100104', 'hex');
  const tagged = token.indexOf(type) + type.length;
  const octets = tagged + (token.readUInt8(tagged + 1) > 0x80 ? 3 : 2);
  const isLong = token.readUInt8(octets + 1) > 0x80;
  return { start: octets + (isLong ? 3 : 2), length: token.readUInt8(octets + (isLong ? 2 : 1)) };
};

/** Changes the year of the time, and corrects digest and signature. */
const withYear = (year: string): Buffer => {
  const { start, length } = tstInfo();
  const info = token.subarray(start, start + length);
  const time = (text: string): Buffer => Buffer.concat([Buffer.of(0x18, 0x0f), Buffer.from(text)]);
  const changed = replaced(info, time(String(new Date().getUTCFullYear())), time(year));
  return signedAnew(replaced(replaced(token, leafHash(info), leafHash(changed)), info, changed));
};

test('a token says when the signature was there, within a minute of now', openssl, () => {
  const check = checkTimestamp(token, signature, trusted());
  assert.ok('at' in check && Math.abs(check.at.getTime() - Date.now()) < MINUTE_MS, JSON.stringify(check));
});

test('tokens of a P-256 authority and over larger hashes are taken too', openssl, async () => {
  await using other = await startTimestampAuthority({ config: { signer_digest: 'sha512', ess_cert_id_alg: 'sha384' } });
  for (const options of ['-sha384 -cert', '-sha512', '-sha256 -cert -no_nonce'])
    assert.ok(
      'at' in checkTimestamp(await other.timestamp(signature, options), signature, trusted([...other.certificates])),
    );
});

test('a token is of one signature and of one authority', openssl, async () => {
  const check = checkTimestamp(token, randomBytes(71), trusted());
  assert.deepEqual(check, { reason: 'its imprint is of other bytes' });
  await using other = await startTimestampAuthority();
  refused(await other.timestamp(signature), /ESSCertIDv2/);
  refused(token, /no trusted authority/, []);
  refused(token, /no trusted authority/, trusted([]));
  const both = [{ certificates: other.certificates }, { certificates: requireAuthority().certificates }];
  assert.ok('at' in checkTimestamp(token, signature, both));
});

/** Ranges of the time, the signed attributes and the signature, where every change must be detected. */
const signedBytes = (): readonly (readonly [from: number, until: number])[] => {
  const info = tstInfo();
  const attributes = token.indexOf(SIGNED_ATTRIBUTES) - 2;
  return [
    [info.start, info.start + info.length],
    [attributes, attributes + token.readUInt8(attributes - 1)],
    [token.length - RSA_BYTES, token.length],
  ];
};

test('whichever byte of a token is changed, it is refused or says the same', openssl, () => {
  const before = checkTimestamp(token, signature, trusted());
  const ranges = signedBytes();
  for (let index = 0; index < token.length; index++) {
    const changed = Buffer.from(token);
    changed.writeUInt8(changed.readUInt8(index) ^ (1 << (index % 8)), index);
    const check = checkTimestamp(changed, signature, trusted());
    if ('reason' in check) continue;
    // Versions, lists of algorithms and the certificates in the token are not signed, and nothing is believed of them.
    assert.deepEqual(check, before);
    assert.ok(!ranges.some(([from, until]) => index >= from && index < until), `byte ${index}`);
  }
});

test('an authority that refused, or did what was not asked, proves nothing', openssl, async () => {
  refused(
    await requireAuthority().timestamp(signature, '-sha256 -tspolicy 1.2.3.4.9'),
    /did not grant it \(status 2\)/,
  );
  const status = Buffer.from('3003020100', 'hex');
  for (const [code, visible] of [
    ['01', 'status 1'],
    ['05', 'status 5'],
  ] as const)
    refused(replaced(token, status, Buffer.from(`30030201${code}`, 'hex')), new RegExp(visible));
});

test('SHA-1 is refused wherever it stands', openssl, async () => {
  refused(
    await requireAuthority().timestamp(signature, '-sha1 -cert'),
    /hash of the imprint is not of the SHA-2 family/,
  );
  for (const [config, reason] of [
    [{ signer_digest: 'sha1' }, /digest of the signer is not of the SHA-2 family/],
    [{ ess_cert_id_alg: 'sha1' }, /exactly one ESSCertIDv2/],
  ] as const) {
    await using weak = await startTimestampAuthority({ config });
    refused(await weak.timestamp(signature), reason, trusted([...weak.certificates]));
  }
  const chain = await requireAuthority().foreign('SHA-1');
  const [leaf = Buffer.of()] = chain;
  refused(
    signedAnew(replaced(token, leafHash(requireAuthority().certificates[0]), leafHash(leaf))),
    /not signed with SHA-2/,
    trusted(chain),
  );
});

test('the certificate has to be for timestamps, for nothing else, and insist on it', openssl, async () => {
  const timeStamping = '1.3.6.1.5.5.7.3.8';
  for (const [options, reason] of [
    [{ isCritical: false }, /does not insist/],
    [{ usages: [] }, /not for timestamps$/],
    [{ usages: ['1.3.6.1.5.5.7.3.3'] }, /not for timestamps$/],
    [{ usages: [timeStamping, '1.3.6.1.5.5.7.3.3'] }, /not for timestamps alone/],
    [{ isAuthority: true }, /may issue others/],
  ] as const) {
    const bytes = await underOther(options);
    refused(bytes.token, reason, bytes.trusted);
  }
});

test('the chain has to lead to the configured root, and to have been valid at that time', openssl, async () => {
  const valid = await underOther({ valid: [-1, 1] });
  assert.ok('at' in checkTimestamp(valid.token, signature, valid.trusted));
  for (const period of [
    [-9, -2],
    [2, 9],
  ] as const) {
    const bytes = await underOther({ valid: period });
    refused(bytes.token, /was not valid at that time/, bytes.trusted);
  }
  const [, foreignRoot = Buffer.of()] = await requireAuthority().foreign();
  refused(token, /does not lead to its root/, trusted([requireAuthority().certificates[0], foreignRoot]));
  refused(
    token,
    /cannot be read|does not lead/,
    trusted([requireAuthority().certificates[0], Buffer.from('no certificate')]),
  );
  const [leaf, root] = requireAuthority().certificates;
  refused(token, /may not issue others|does not lead/, trusted([leaf, leaf, root]));
});

test('a root alone is enough where the certificates of the token lead to it', openssl, async () => {
  const { certificates, foreign } = requireAuthority();
  assert.ok('at' in checkTimestamp(token, signature, trusted([certificates[1]])));
  const [, foreignRoot = Buffer.of()] = await foreign();
  refused(token, /no trusted authority signed it/, trusted([foreignRoot]));
  for (const at of token.keys()) {
    const changed = Buffer.from(token);
    changed.writeUInt8(token.readUInt8(at) ^ 1, at);
    const found = checkTimestamp(changed, signature, trusted([certificates[1]]));
    assert.ok('reason' in found || Math.abs(found.at.getTime() - Date.now()) < 60_000, `byte ${at}`);
  }
});

test('an authority counts in its own time only', openssl, () => {
  const { certificates } = requireAuthority();
  const [hourAgo, inAnHour] = [new Date(Date.now() - 60 * MINUTE_MS), new Date(Date.now() + 60 * MINUTE_MS)];
  assert.ok('at' in checkTimestamp(token, signature, [{ certificates, validFor: { start: hourAgo, end: inAnHour } }]));
  refused(token, /not trusted at that time/, [{ certificates, validFor: { start: inAnHour } }]);
  refused(token, /not trusted at that time/, [{ certificates, validFor: { start: new Date(0), end: hourAgo } }]);
});

test('what is signed is the time itself, by the certificate that ESSCertIDv2 names', openssl, () => {
  const { certificates } = requireAuthority();
  const serial = Buffer.from(new X509Certificate(certificates[0]).serialNumber, 'hex');
  assert.deepEqual(serial, Buffer.of(2));
  refused(signedAnew(replaced(token, leafHash(certificates[0]), randomBytes(32))), /names another certificate/);
  refused(replaced(token, leafHash(certificates[0]), randomBytes(32)), /names another certificate/);
  refused(withYear('1999'), /was not valid at that time/);
  refused(withYear('19x9'), /its time cannot be read/);
});

test('what is no token is refused without an error', openssl, () => {
  const cut = Array.from({ length: 40 }, (_, i) => token.subarray(0, Math.floor((token.length * i) / 40)));
  for (const bytes of [...cut, randomBytes(500), Buffer.from('<html>'), Buffer.from('3003020100', 'hex')])
    assert.ok('reason' in checkTimestamp(bytes, signature, trusted()));
  refused(Buffer.concat([token, Buffer.of(0)]), /cannot be read/);
  refused(Buffer.alloc(65_537), /larger than/);
});

test('the client asks with a hash and a fresh nonce, and hands on what it checked', openssl, async () => {
  await using clock = await startTimestampAuthority();
  const client = createTimestampClient(http, { url: clock.url, chains: [clock.certificates] });
  const [first, second] = [await client.timestamp(signature), await client.timestamp(signature)];
  for (const answer of [first, second])
    assert.ok('at' in checkTimestamp(answer, signature, [{ certificates: clock.certificates }]));
  const [one, two] = clock.queries;
  assert.ok(one && two && !one.equals(two) && one.includes(hash('sha256', signature, 'buffer')));
  assert.ok(!one.includes(signature));
});

test('the client refuses an answer to another request, and everything that is no proof', openssl, async () => {
  await using clock = await startTimestampAuthority();
  const client = createTimestampClient(http, { url: clock.url, chains: [clock.certificates] });
  const old = await client.timestamp(signature);
  const unsuited = async (reason: RegExp) =>
    assert.rejects(client.timestamp(signature), (error) => {
      assert.ok(error instanceof Fault && error.code === 'SYS_SERVICE_UNAVAILABLE');
      return reason.test(error.message) && error.message.includes(clock.url);
    });
  clock.answer(() => ({ body: old }));
  await unsuited(/answered another request/);
  clock.answer((body) => ({ body, type: 'text/html' }));
  await unsuited(/something other than a timestamp/);
  clock.answer((body) => ({ body, status: 503 }));
  await unsuited(/answered 503/);
  clock.answer((body) => ({ body: body.subarray(0, -1) }));
  await unsuited(/proves nothing: it cannot be read/);
  clock.answer(() => ({ body: Buffer.alloc(100_000) }));
  await unsuited(/cannot be asked/);
  const unrelated = createTimestampClient(http, { url: clock.url, chains: [requireAuthority().certificates] });
  clock.answer((body) => ({ body }));
  await assert.rejects(unrelated.timestamp(signature), /ESSCertIDv2/);
});

test('an authority that is away is a failure that passes', openssl, async () => {
  const removed = await startTimestampAuthority();
  await removed[Symbol.asyncDispose]();
  const client = createTimestampClient(http, { url: removed.url, chains: [removed.certificates] });
  await assert.rejects(
    client.timestamp(signature),
    (error) => error instanceof Fault && /cannot be asked/.test(error.message),
  );
});

test('a chain is read from PEM, and a file that holds none is named', openssl, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'timestamp-chain-'));
  const path = join(directory, 'chain.pem');
  const chain = requireAuthority().certificates;
  await writeFile(path, `The clock:\n${chain.map((der) => new X509Certificate(der).toString()).join('\n')}`);
  assert.deepEqual(readTimestampChains(path), [chain]);
  const settings = { timestampUrl: 'https://times.example/', timestampChainFile: path };
  const configured = configuredTimestamps(http, settings);
  assert.ok(configured.client);
  assert.deepEqual(configured.authorities[0]?.certificates, chain);
  const bytes = configuredTimestamps(http, { timestampChainFile: path });
  assert.deepEqual([bytes.client, bytes.authorities.length], [undefined, 1]);
  assert.deepEqual(configuredTimestamps(http, {}), { client: undefined, authorities: [] });
  assert.throws(() => configuredTimestamps(http, { timestampUrl: 'https://times.example/' }), /TimestampChainFile/);
  await writeFile(path, 'nothing');
  assert.throws(() => readTimestampChains(path), /chain\.pem holds no certificate/);
  assert.throws(() => readTimestampChains(join(directory, 'missing.pem')), /missing\.pem/);
  await writeFile(path, new X509Certificate(chain[1]).toString());
  assert.throws(() => readTimestampChains(path), /chain\.pem does not begin with a certificate for timestamps/);
  await rm(directory, { recursive: true });
});

test(
  'after an authority renewed its certificate, what it stamped under the old one still counts',
  openssl,
  async () => {
    await using before = await startTimestampAuthority();
    await using renewed = await startTimestampAuthority();
    const directory = await mkdtemp(join(tmpdir(), 'timestamp-chains-'));
    const path = join(directory, 'chain.pem');
    const certificates = [...renewed.certificates, ...before.certificates];
    await writeFile(path, certificates.map((der) => new X509Certificate(der).toString()).join('\n'));
    const { client, authorities } = configuredTimestamps(http, { timestampUrl: renewed.url, timestampChainFile: path });
    await rm(directory, { recursive: true });
    assert.deepEqual(
      authorities.map((authority) => authority.certificates),
      [renewed.certificates, before.certificates],
    );
    const trustedNow = authorities.map((authority) => ({ certificates: authority.certificates }));
    assert.ok(client && 'at' in checkTimestamp(await client.timestamp(signature), signature, trustedNow));
    assert.ok('at' in checkTimestamp(await before.timestamp(signature), signature, trustedNow));
  },
);
