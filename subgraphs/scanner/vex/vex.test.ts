import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { pae } from '@landfall/kernel/crypto/dsse';
import { caller, people } from '@landfall/kernel/testing/callers';
import { IMAGE, openVex, vexApp } from '../testing/vex.ts';
import { vexSetDigest } from './document-set.ts';

const [early, late] = ['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z'];

const statusOf = async (app: Awaited<ReturnType<typeof vexApp>>): Promise<string | undefined> =>
  (await app.findings(await app.scan()))[0]?.vex;

test('a statement gives a finding its status, a score of 0 and its identity, and the finding stays listed', async () => {
  await using app = await vexApp();
  const before = await app.findings(await app.scan());
  assert.ok((before[0]?.score ?? 0) > 0);
  await app.source('vendor');
  const document = openVex({ vulnerability: 'CVE-2026-1' }, { timestamp: early });
  await app.import('vendor', document);
  const [finding, ...others] = await app.findings(await app.scan());
  assert.equal(others.length, 0);
  assert.deepEqual([finding?.vulnId, finding?.vex, finding?.score], ['CVE-2026-1000', 'NOT_AFFECTED', 0]);
  assert.partialDeepStrictEqual(finding?.vexStatement, {
    documentDigest: sha256(document),
    index: 1,
    source: 'vendor',
    status: 'NOT_AFFECTED',
    justification: 'component_not_present',
  });
  assert.deepEqual(
    finding?.statements.map(({ notChosen, statement }) => [notChosen, statement.trust]),
    [[null, 'TRUSTED']],
  );
});

test('a frozen scan replays to the same root after its source was removed, and keeps its statement', async () => {
  await using app = await vexApp();
  const { id } = await app.source('vendor');
  await app.import('vendor', openVex({}));
  const scanId = await app.scan();
  const first = await app.module.replays.replay(app.who, { scanId });
  await app.module.vexSources.remove(app.who, { id });
  const again = await app.module.replays.replay(app.who, { scanId });
  assert.equal(again.rootHash, first.rootHash);
  assert.equal(again.verificationStatus, 'verified');
  assert.equal((await app.findings(scanId))[0]?.vexStatement?.justification, 'component_not_present');
  assert.equal(await statusOf(app), 'NONE');
});

test('a document that comes or goes freezes a scan again, and the older freeze replays to its root', async () => {
  await using app = await vexApp();
  const scanId = await app.scan();
  const first = await app.module.replays.replay(app.who, { scanId });
  const { id } = await app.source('vendor');
  await app.import('vendor', openVex({}));
  assert.equal(await app.module.rescoreScans(), 1);
  assert.deepEqual(
    (await app.findings(scanId)).map(({ vex, score }) => [vex, score]),
    [['NOT_AFFECTED', 0]],
  );
  const ruled = await app.module.replays.replay(app.who, { scanId });
  await app.module.vexSources.remove(app.who, { id });
  assert.equal(await app.module.rescoreScans(), 1);
  assert.equal((await app.findings(scanId))[0]?.vex, 'NONE');
  for (const { rootHash, manifestHash } of [first, ruled])
    assert.equal((await app.module.replays.replay(app.who, { scanId, manifestHash })).rootHash, rootHash);
  const history = await app.module.manifests.scoreHistory(app.who, { scanId });
  assert.deepEqual(
    history.map(({ causes }) => causes),
    [['vex'], ['vex'], []],
  );
});

test('between sources the higher rank rules, and at equal rank the riskier status', async () => {
  await using app = await vexApp();
  const vendor = await app.source('vendor');
  await app.source('hub');
  await app.import('vendor', openVex({ timestamp: late }));
  await app.import('hub', openVex({ status: 'under_investigation', timestamp: early }));
  assert.equal(await statusOf(app), 'UNDER_INVESTIGATION');
  await app.module.vexSources.update(app.who, { id: vendor.id, rank: 20 });
  const [finding] = await app.findings(await app.scan());
  assert.equal(finding?.vex, 'NOT_AFFECTED');
  assert.deepEqual(
    finding?.statements.map(({ notChosen, statement }) => [notChosen, statement.source]),
    [
      [null, 'vendor'],
      ['OUTRANKED', 'hub'],
    ],
  );
});

test('a later statement of the same source revises an earlier one, in whatever order the documents come', async () => {
  await using app = await vexApp();
  await app.source('vendor');
  await app.import('vendor', openVex({ status: 'affected', timestamp: late }));
  await app.import('vendor', openVex({ status: 'fixed', timestamp: early }));
  const [finding] = await app.findings(await app.scan());
  assert.equal(finding?.vex, 'AFFECTED');
  assert.deepEqual(
    finding?.statements.map(({ notChosen }) => notChosen),
    [null, 'SUPERSEDED'],
  );
});

test('a source that loses its trust rules no new scan, and the hash of the documents in force changes', async () => {
  await using app = await vexApp();
  const { id } = await app.source('vendor');
  const digest = () => app.deps.database.read(app.who.tenant, (query) => vexSetDigest(query, app.who.tenant));
  const empty = await digest();
  await app.import('vendor', openVex({}));
  const [trusted, scanId] = [await digest(), await app.scan()];
  await app.module.vexSources.update(app.who, { id, trust: 'untrusted' });
  assert.equal(new Set([empty, trusted, await digest()]).size, 3);
  const [finding] = await app.findings(await app.scan());
  assert.deepEqual([finding?.vex, finding?.statements[0]?.notChosen], ['NONE', 'BELOW_MINIMUM_TRUST']);
  assert.equal((await app.findings(scanId))[0]?.vex, 'NOT_AFFECTED');
});

test('not_affected without a reason is listed with its problem and never chosen', async () => {
  await using app = await vexApp();
  await app.source('vendor');
  const { document } = await app.import('vendor', openVex({ justification: null }));
  assert.equal(document.problems[0]?.path, 'statements[0]');
  const [finding] = await app.findings(await app.scan());
  assert.deepEqual([finding?.vex, finding?.statements[0]?.notChosen], ['NONE', 'NO_JUSTIFICATION']);
});

test('a product is the scanned image by its digest, and its subcomponents limit the statement', async () => {
  await using app = await vexApp();
  await app.source('vendor');
  const image = { '@id': 'image', hashes: { 'sha-256': IMAGE.slice('sha256:'.length) } };
  await app.import('vendor', openVex({ products: [{ ...image, subcomponents: [{ '@id': 'pkg:npm/latch' }] }] }));
  assert.equal(await statusOf(app), 'NONE');
  await app.import('vendor', openVex({ products: [{ ...image, subcomponents: [{ '@id': 'pkg:npm/gate' }] }] }));
  assert.equal(await statusOf(app), 'NOT_AFFECTED');
});

test('a component is named by its hash', async () => {
  await using app = await vexApp();
  await app.source('vendor');
  const content = 'ab'.repeat(32);
  const bom = JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    components: [
      {
        type: 'library',
        name: 'gate',
        version: '1.1.0',
        purl: 'pkg:npm/gate@1.1.0',
        hashes: [{ alg: 'SHA-256', content }],
      },
    ],
  });
  await app.import('vendor', openVex({ products: [{ '@id': 'gate', hashes: { 'sha-256': content } }] }));
  const [finding] = await app.findings(await app.scan(bom));
  assert.deepEqual([finding?.vex, finding?.statements.length], ['NOT_AFFECTED', 1]);
  assert.equal(await statusOf(app), 'NONE');
});

test('an entry that cannot be read is reported, and costs its document nothing else', async () => {
  await using app = await vexApp();
  await app.source('vendor');
  const { document } = await app.import('vendor', openVex({ status: 'perhaps' }, {}));
  assert.deepEqual([document.statementCount, document.problemCount], [1, 1]);
  assert.equal((await app.findings(await app.scan()))[0]?.vexStatement?.index, 1);
});

test('the same document again changes nothing', async () => {
  await using app = await vexApp();
  await app.source('vendor');
  await app.source('hub');
  const first = await app.import('vendor', openVex({}));
  const count = (await app.events()).length;
  assert.deepEqual(await app.import('vendor', openVex({})), { document: first.document, isNew: false });
  assert.equal((await app.events()).length, count);
  const { document, isNew } = await app.import('hub', openVex({}));
  assert.deepEqual([isNew, document.digest, document.source], [true, first.document.digest, 'hub']);
  assert.equal(await app.module.vexDocuments.text(app.who, { digest: document.digest }), openVex({}));
});

const pair = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { privateKey, pem: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
};

test('a detached signature by the key of the source verifies a document, until the key is replaced', async () => {
  await using app = await vexApp();
  const { pem, privateKey } = pair();
  const { id } = await app.source('vendor', { trust: 'signed', publicKey: pem });
  const document = openVex({});
  const unsigned = await app.import('vendor', document);
  assert.deepEqual([unsigned.document.trust, unsigned.document.signature], ['untrusted', 'none']);
  const signature = sign(null, Buffer.from(document), privateKey).toString('base64');
  const signed = await app.import('vendor', document, signature);
  assert.deepEqual([signed.isNew, signed.document.trust, signed.document.signature], [false, 'verified', 'verified']);
  assert.equal((await app.import('vendor', document)).document.trust, 'verified');
  await app.module.vexSources.update(app.who, { id, publicKey: pair().pem });
  const { items } = await app.module.vexDocuments.list(app.who, { sourceId: id });
  assert.deepEqual(
    items.map(({ trust }) => trust),
    ['untrusted'],
  );
});

test('a signature that does not verify leaves a document untrusted, and it is listed', async () => {
  await using app = await vexApp();
  await app.source('vendor', { trust: 'signed', publicKey: pair().pem });
  const signature = sign(null, Buffer.from('another'), pair().privateKey).toString('base64url');
  const { document } = await app.import('vendor', openVex({}), signature);
  assert.deepEqual([document.trust, document.signature], ['untrusted', 'invalid']);
  assert.equal((await app.findings(await app.scan()))[0]?.statements[0]?.notChosen, 'BELOW_MINIMUM_TRUST');
  await assert.rejects(app.import('vendor', openVex({}), 'no base64!'), { code: 'VAL_INVALID_FORMAT' });
});

test('a document in a DSSE envelope, also as an in-toto statement, has the digest of its payload', async () => {
  await using app = await vexApp();
  const { pem, privateKey } = pair();
  await app.source('vendor', { trust: 'signed', publicKey: pem });
  const statement = { _type: 'https://in-toto.io/Statement/v1', predicate: JSON.parse(openVex({})) };
  for (const [payloadType, text] of [
    ['application/vnd.openvex+json', openVex({})],
    ['application/vnd.in-toto+json', JSON.stringify(statement)],
  ] as const) {
    const payload = Buffer.from(text);
    const sig = sign(null, pae(payloadType, payload), privateKey).toString('base64');
    const envelope = { payload: payload.toString('base64'), payloadType, signatures: [{ sig }] };
    const { document } = await app.import('vendor', JSON.stringify(envelope));
    assert.deepEqual([document.trust, document.digest, document.statementCount], ['verified', sha256(text), 1]);
  }
});

test('a document that is no VEX is refused with a reason', async () => {
  await using app = await vexApp();
  await app.source('vendor');
  const refusal = async (text: string) => {
    const error: unknown = await app.import('vendor', text).catch((refused: unknown) => refused);
    assert.ok(error instanceof Fault, String(error));
    return [error.code, error.details?.reason];
  };
  const statements = openVex({}).slice(1);
  assert.deepEqual(await refusal('{'), ['VAL_INVALID_JSON', undefined]);
  assert.deepEqual(await refusal('[]'), ['VAL_INVALID_VALUE', 'not_vex']);
  assert.deepEqual(await refusal('{"bomFormat":"CycloneDX"}'), ['VAL_INVALID_VALUE', 'not_vex']);
  assert.deepEqual(await refusal(`{"@id":"a","@id":"b",${statements}`), ['VAL_INVALID_VALUE', 'duplicate_key']);
  assert.deepEqual(await refusal(`{"x":"\\u0000",${statements}`), ['VAL_INVALID_VALUE', 'invalid_value']);
  assert.deepEqual(await refusal(`{"x":"\\ud800",${statements}`), ['VAL_INVALID_VALUE', 'lone_surrogate']);
  assert.deepEqual(await refusal(`{"x":"${'x'.repeat(16 * 1024 * 1024)}",${statements}`), ['VAL_TOO_LONG', undefined]);
  await assert.rejects(app.import('hub', openVex({})), { code: 'RES_NOT_FOUND' });
});

test('a package URL with NUL is no reference, and is left out', async () => {
  await using app = await vexApp();
  await app.source('vendor');
  const { document } = await app.import('vendor', openVex({ products: ['pkg:npm/a%00b', 'pkg:npm/gate'] }, {}));
  assert.equal(document.problemCount, 1);
  assert.equal(await statusOf(app), 'NOT_AFFECTED');
});

test('a source of trust signed has a key, and another has none', async () => {
  await using app = await vexApp();
  const { pem } = pair();
  await assert.rejects(app.source('vendor', { trust: 'signed' }), { code: 'VAL_REQUIRED_FIELD' });
  await assert.rejects(app.source('vendor', { publicKey: pem }), { code: 'VAL_INVALID_VALUE' });
  await assert.rejects(app.source('vendor', { trust: 'signed', publicKey: 'x' }), { code: 'VAL_INVALID_FORMAT' });
  const { id, keyId } = await app.source('vendor', { trust: 'signed', publicKey: pem });
  await assert.rejects(app.source('vendor'), { code: 'RES_ALREADY_EXISTS' });
  const ranked = await app.module.vexSources.update(app.who, { id, rank: 5 });
  assert.deepEqual([ranked.keyId, ranked.rank, ranked.trust], [keyId, 5, 'signed']);
  const plain = await app.module.vexSources.update(app.who, { id, trust: 'trusted' });
  assert.equal(plain.publicKey, null);
});

test('the statements about a vulnerability are listed by any of its ids, page by page', async () => {
  await using app = await vexApp();
  await app.source('vendor');
  await app.import('vendor', openVex({}, { vulnerability: 'CVE-2026-9' }, { vulnerability: 'GHSA-2c2c-3f3f-4g4g' }));
  const pages = `query ($after: Cursor) { vexStatements(vulnerabilityId: "ghsa-2C2C-3f3f-4g4g", first: 1, after: $after) {
    edges { node { index status products { purl } } } pageInfo { hasNextPage endCursor } } }`;
  const page = async (after?: unknown) =>
    JSON.parse(JSON.stringify((await app.graph(pages, { after }, { as: app.who })).data)).vexStatements;
  const first = await page();
  const second = await page(first.pageInfo.endCursor);
  assert.deepEqual(
    [first, second].map(({ edges }) => edges[0].node),
    [0, 2].map((index) => ({ index, status: 'NOT_AFFECTED', products: [{ purl: 'pkg:npm/gate' }] })),
  );
  assert.deepEqual([first.pageInfo.hasNextPage, second.pageInfo.hasNextPage], [true, false]);
});

test('a document is read with its statements page by page, and counts for its source until that is removed', async () => {
  await using app = await vexApp();
  const { id } = await app.source('vendor');
  await app.source('hub');
  await app.import('vendor', openVex({}));
  const { document } = await app.import('vendor', openVex({}, { status: 'perhaps' }, { vulnerability: 'CVE-2026-9' }));
  const query = `query ($id: ID!, $after: Cursor) {
    vexSources { name totals { documentCount statementCount problemCount lastImportedAt } }
    vexDocument(id: $id) { statements(first: 1, after: $after) {
      edges { node { index source rank trust vulnerabilityIds } } pageInfo { hasNextPage endCursor } } } }`;
  const page = async (after?: unknown) =>
    JSON.parse(JSON.stringify((await app.graph(query, { id: document.id, after }, { as: app.who })).data));
  const first = await page();
  const second = await page(first.vexDocument.statements.pageInfo.endCursor);
  assert.deepEqual(
    [first, second].map(({ vexDocument: { statements } }) => [
      statements.edges[0].node,
      statements.pageInfo.hasNextPage,
    ]),
    ['CVE-2026-1000', 'CVE-2026-9'].map((name, at) => [
      { index: at * 2, source: 'vendor', rank: 10, trust: 'TRUSTED', vulnerabilityIds: [name] },
      at === 0,
    ]),
  );
  assert.partialDeepStrictEqual(first.vexSources, [
    { name: 'hub', totals: { documentCount: 0, statementCount: 0, problemCount: 0, lastImportedAt: null } },
    { name: 'vendor', totals: { documentCount: 2, statementCount: 3, problemCount: 1 } },
  ]);
  await app.module.vexSources.remove(app.who, { id });
  await assert.rejects(app.module.vexDocuments.get(app.who, { id: document.id }), { code: 'RES_NOT_FOUND' });
  await assert.rejects(app.module.vexStatements.ofDocument(app.who, { documentId: document.id }), {
    code: 'RES_NOT_FOUND',
  });
});

test('another tenant sees no source, document or statement, and a reader registers none', async () => {
  await using app = await vexApp();
  const { id } = await app.source('vendor');
  const { document } = await app.import('vendor', openVex({}));
  const { vexSources, vexDocuments, vexStatements } = app.module;
  const other = people['other-scan-operator'];
  assert.deepEqual(await vexSources.list(other, {}), []);
  assert.deepEqual((await vexStatements.list(other, { vulnerabilityId: 'CVE-2026-1000' })).items, []);
  await assert.rejects(vexSources.remove(other, { id }), { code: 'RES_NOT_FOUND' });
  await assert.rejects(vexDocuments.text(other, { digest: document.digest }), { code: 'RES_NOT_FOUND' });
  await assert.rejects(vexDocuments.get(other, { id: document.id }), { code: 'RES_NOT_FOUND' });
  await assert.rejects(vexStatements.ofDocument(other, { documentId: document.id }), { code: 'RES_NOT_FOUND' });
  assert.deepEqual(await vexDocuments.totals(other, { sourceIds: [id] }), []);
  await assert.rejects(vexDocuments.import(other, { source: 'vendor', document: openVex({}) }), {
    code: 'RES_NOT_FOUND',
  });
  const reader = caller({ subject: 'reader', scopes: ['scanner:read'] });
  await assert.rejects(vexSources.remove(reader, { id }), { code: 'PERM_SCOPE_DENIED' });
});
