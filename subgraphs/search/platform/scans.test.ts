import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_FINDINGS } from './scanner-contract.ts';
import { digestOf, entry, idOf, storyApp } from './story.fixture.ts';

const api = { imageDigest: digestOf('api'), image: 'registry.example/shop/api:1.0.0' };

const finding = (name: string, overrides: Readonly<Record<string, unknown>> = {}) => ({
  findingId: idOf(name),
  purl: 'pkg:npm/%40acme/parser@2.1.0',
  vulnId: 'GHSA-2222-3333-4444',
  aliases: ['CVE-2026-1234'],
  title: 'Prototype pollution in parser',
  severity: 'high',
  cvss: 8.1,
  epss: 0.042,
  kev: true,
  reachability: 'reachable',
  vex: 'under_investigation',
  fixedVersion: '2.1.1',
  ...overrides,
});

const aScan = (name: string, findings: readonly object[]) => [
  entry('scan.findings', 'Scan', name, { ...api, findings }),
  entry('scan.complete', 'Scan', name, {
    ...api,
    score: 0.42,
    rootHash: digestOf('root'),
    severities: { high: findings.length },
  }),
];

test('a scan and its findings are found: by image, by any name of the vulnerability, by package', async () => {
  await using app = await storyApp();
  await app.happen(aScan('scan', [finding('one')]));
  await app.project();
  const scan = await app.document(`scanner/Scan/${idOf('scan')}`);
  assert.equal(scan?.title, 'Scan of registry.example/shop/api:1.0.0');
  assert.match(scan?.body ?? '', /is completed\.\nIt found 1 high\.\nIts score is 0\.42\./);
  assert.equal(scan?.severity, 'high');
  const found = await app.document(`findings/Finding/${idOf('one')}`);
  assert.equal(found?.entityKey, 'vulnerability:CVE-2026-1234');
  assert.equal(found?.entityType, 'vulnerability');
  assert.equal(found?.severity, 'high');
  for (const name of ['CVE-2026-1234', 'GHSA-2222-3333-4444', 'pkg:npm/%40acme/parser@2.1.0', api.imageDigest])
    assert.ok(found?.identifiers.includes(name), name);
  assert.ok(found?.packages.includes('@acme/parser'));
  for (const phrase of [
    'Fixed in 2.1.1.',
    'CVSS 8.1. EPSS 4.2 %.',
    'known to be exploited',
    'VEX: under investigation.',
  ])
    assert.ok(found?.body.includes(phrase), phrase);
});

test('a newer scan of an image takes the place of the one before, a removed one vanishes with its findings', async () => {
  await using app = await storyApp();
  await app.happen(aScan('old', [finding('one'), finding('two')]));
  await app.happen(aScan('new', [finding('three')]));
  await app.project();
  const keys = async () => (await app.documents()).map(({ documentKey }) => documentKey).toSorted();
  const [three, old, fresh] = [
    `findings/Finding/${idOf('three')}`,
    `scanner/Scan/${idOf('old')}`,
    `scanner/Scan/${idOf('new')}`,
  ];
  assert.deepEqual(await keys(), [three, old, fresh].toSorted());
  await app.happen([entry('scan.remove', 'Scan', 'new')]);
  await app.project();
  assert.deepEqual(await keys(), [old]);
});

test('a scan told over many batches goes whole: its findings are found by it, and it keeps no list of them', async () => {
  await using app = await storyApp();
  const page = (index: number) =>
    entry('scan.findings', 'Scan', 'old', { ...api, findings: [finding(`${index} a`), finding(`${index} b`)] });
  for (const at of [1, 2, 3]) {
    await app.happen([page(at)]);
    await app.project();
  }
  const count = async () => (await app.documents()).filter(({ domain }) => domain === 'findings').length;
  assert.equal(await count(), 6);
  await app.happen([entry('scan.complete', 'Scan', 'old', { ...api, severities: { high: 6 } })]);
  await app.project();
  assert.equal(await count(), 6);
  // A finding that the newer scan has too belongs to the newer one.
  await app.happen(aScan('new', [finding('1 a'), finding('x')]));
  await app.project();
  assert.equal(await count(), 2);
  await app.happen([entry('scan.fail', 'Scan', 'new', { ...api, error: 'It was cut short' })]);
  await app.project();
  assert.equal(await count(), 0);
});

test('a rescored scan shows its new score, what appeared, and no longer what went away', async () => {
  await using app = await storyApp();
  await app.happen(aScan('scan', [finding('one'), finding('two')]));
  await app.project();
  await app.happen([
    entry('scan.findings', 'Scan', 'scan', { ...api, findings: [finding('three')] }),
    entry('scan.rescore', 'Scan', 'scan', {
      ...api,
      score: 0.77,
      severities: { high: 2 },
      disappeared: [{ findingId: idOf('one'), reason: 'withdrawn' }],
    }),
  ]);
  await app.project();
  assert.match(
    (await app.document(`scanner/Scan/${idOf('scan')}`))?.body ?? '',
    /It found 2 high\.\nIts score is 0\.77\./,
  );
  const found = await Promise.all(
    ['one', 'two', 'three'].map((name) => app.document(`findings/Finding/${idOf(name)}`)),
  );
  assert.deepEqual(found.map(Boolean), [false, true, true]);
});

test('a finding that a triage decision suppresses says so, and does not count as found', async () => {
  await using app = await storyApp();
  await app.happen([
    entry('scan.findings', 'Scan', 'scan', { ...api, findings: [finding('one', { suppressed: true })] }),
    entry('scan.complete', 'Scan', 'scan', { ...api, score: 0.42, severities: {}, suppressedCount: 1 }),
  ]);
  await app.project();
  const scan = await app.document(`scanner/Scan/${idOf('scan')}`);
  assert.match(scan?.body ?? '', /Triage decisions suppress all that it found\./);
  assert.equal(scan?.severity, null);
  const found = await app.document(`findings/Finding/${idOf('one')}`);
  assert.ok(found?.body.includes('A triage decision suppresses it.'));
});

test('a page that is told twice is told once, and a failed scan says why', async () => {
  await using app = await storyApp();
  await app.happen([...aScan('scan', [finding('one')]), ...aScan('scan', [finding('one')])]);
  await app.happen([entry('scan.fail', 'Scan', 'broken', { ...api, error: 'The registry could not be reached' })]);
  await app.project();
  const documents = await app.documents();
  assert.equal(documents.filter(({ domain }) => domain === 'findings').length, 1);
  const broken = documents.find(({ documentKey }) => documentKey === `scanner/Scan/${idOf('broken')}`);
  assert.match(broken?.body ?? '', /is failed\.\nIt failed: The registry could not be reached\./);
});

test('an event that is not of the contract is left out, and those after it are not', async () => {
  await using app = await storyApp();
  const many = Array.from({ length: MAX_FINDINGS + 1 }, (_, index) => finding(`${index}`));
  await app.happen([
    entry('scan.findings', 'Scan', 'wrong', { ...api, findings: many }),
    entry('scan.findings', 'Scan', 'wrong', { ...api, findings: [finding('x', { severity: 'dreadful' })] }),
    entry('scan.complete', 'Scan', 'wrong', { image: 7 }),
    ...aScan('right', [finding('one')]),
  ]);
  await app.project();
  assert.deepEqual((await app.documents()).map(({ documentKey }) => documentKey).toSorted(), [
    `findings/Finding/${idOf('one')}`,
    `scanner/Scan/${idOf('right')}`,
  ]);
});
