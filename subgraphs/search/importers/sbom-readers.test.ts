import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importText } from '../testing/import-text.ts';

const cycloneDx = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: 'urn:uuid:0190b3f0-0000-7000-8000-000000000000',
  metadata: {
    timestamp: '2026-01-01T00:00:00Z',
    component: { name: 'gatehouse', version: '9', type: 'container', 'bom-ref': 'root' },
  },
  components: [
    {
      type: 'library',
      'bom-ref': 'gate',
      group: '@fence',
      name: 'gate',
      version: '2.0.0',
      purl: 'pkg:npm/%40fence/gate@2.0.0',
      licenses: [{ license: { id: 'MIT' } }],
      components: [{ type: 'library', name: 'hinge', version: '1' }],
    },
    { type: 'library', version: '1' },
  ],
  vulnerabilities: [
    { id: 'CVE-2026-10001', ratings: [{ severity: 'high' }], affects: [{ ref: 'gate' }], description: 'Opens twice.' },
    {
      id: 'CVE-2026-10002',
      affects: [{ ref: 'gate' }],
      analysis: { state: 'not_affected', justification: 'code_not_reachable' },
    },
  ],
};

test('a CycloneDX bill: packages, nested ones too, findings, and statements where somebody analysed', async () => {
  const { chunks, refusals } = await importText('bom.json', JSON.stringify(cycloneDx));
  assert.deepEqual(
    chunks.map(({ domain, entityKey }) => [domain, entityKey]),
    [
      ['scanner', 'package:pkg:npm/%40fence/gate'],
      ['scanner', 'package:hinge'],
      ['findings', 'vulnerability:CVE-2026-10001'],
      ['vex', 'vulnerability:CVE-2026-10002'],
    ],
  );
  assert.partialDeepStrictEqual(chunks[0], {
    title: '@fence/gate 2.0.0',
    ecosystem: 'npm',
    identifiers: ['pkg:npm/%40fence/gate@2.0.0', 'pkg:npm/%40fence/gate'],
    attributes: { version: '2.0.0', licences: ['MIT'], subject: 'gatehouse 9' },
  });
  assert.partialDeepStrictEqual(chunks[2], { severity: 'high', packages: ['@fence/gate'] });
  assert.deepEqual(
    refusals.map(({ reason }) => reason),
    ['components[1]: the name of a component is missing'],
  );
});

const spdx = {
  spdxVersion: 'SPDX-2.3',
  name: 'gatehouse',
  documentNamespace: 'https://fence.example/spdx/1',
  creationInfo: { created: '2026-01-01T00:00:00Z' },
  packages: [
    {
      SPDXID: 'SPDXRef-gate',
      name: 'gate',
      versionInfo: '2.0.0',
      licenseConcluded: 'MIT',
      supplier: 'Organization: Fence Works',
      checksums: [{ algorithm: 'SHA256', checksumValue: 'aa11' }],
      externalRefs: [
        { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: 'pkg:gem/gate@2.0.0' },
      ],
    },
    { SPDXID: 'SPDXRef-none' },
  ],
};

const TAGS = `SPDXVersion: SPDX-2.3
DocumentName: gatehouse
DocumentNamespace: https://fence.example/spdx/1
Created: 2026-01-01T00:00:00Z

##### the gate
PackageName: gate
SPDXID: SPDXRef-gate
PackageVersion: 2.0.0
PackageSupplier: Organization: Fence Works
PackageLicenseConcluded: MIT
PackageChecksum: SHA256: aa11
ExternalRef: PACKAGE-MANAGER purl pkg:gem/gate@2.0.0
PackageComment: <text>It squeaks
SPDXID: not a tag here
</text>
this is no tag
FileName: ./gate.rb
SPDXID: SPDXRef-file
PackageName:
`;

test('an SPDX document is the same packages as JSON and as tags', async () => {
  const json = await importText('sbom.spdx.json', JSON.stringify(spdx));
  const tags = await importText('sbom.spdx', TAGS);
  for (const { chunks } of [json, tags]) {
    assert.equal(chunks.length, 1);
    assert.partialDeepStrictEqual(chunks[0], {
      domain: 'scanner',
      source: 'spdx',
      documentKey: 'https://fence.example/spdx/1/SPDXRef-gate',
      entityKey: 'package:pkg:gem/gate',
      title: 'gate 2.0.0',
      identifiers: ['pkg:gem/gate@2.0.0', 'pkg:gem/gate', 'aa11'],
      ecosystem: 'RubyGems',
      attributes: { version: '2.0.0', licences: ['MIT'], supplier: 'Fence Works', subject: 'gatehouse' },
    });
  }
  assert.deepEqual(
    json.refusals.map(({ reason }) => reason),
    ['packages[1]: name is missing'],
  );
  assert.deepEqual(
    tags.refusals.map(({ line, reason }) => [line, reason]),
    [
      [20, 'name is missing'],
      [17, 'this is no tag with a value'],
    ],
  );
});
