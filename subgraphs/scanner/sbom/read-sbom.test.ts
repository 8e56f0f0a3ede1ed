import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { readSbom } from './read-sbom.ts';
import { DEFAULT_SBOM_LIMITS, type Sbom, type SbomLimits } from './sbom.ts';

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const read = (document: unknown, limits: Partial<SbomLimits> = {}, size = 65_536): Promise<Sbom> => {
  const isText = typeof document === 'string';
  const bytes = document instanceof Uint8Array ? document : Buffer.from(isText ? document : JSON.stringify(document));
  return readSbom(chunksOf(bytes, size), { ...DEFAULT_SBOM_LIMITS, ...limits });
};

const library = (name: string, more: object = {}) => ({
  type: 'library',
  'bom-ref': name,
  name,
  version: '1.0',
  ...more,
});

const bom = (more: object = {}) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  metadata: { component: { type: 'application', 'bom-ref': 'app', name: 'app', version: '2' } },
  components: [library('a', { purl: 'pkg:npm/a@1.0', components: [library('b')] }), { type: 'file', name: 'c' }],
  dependencies: [{ ref: 'app', dependsOn: ['a', 'unknown'] }],
  ...more,
});

const XML = `<?xml version="1.0" encoding="UTF-8"?>
<bom xmlns="http://cyclonedx.org/schema/bom/1.6">
  <metadata><component type="application" bom-ref="app"><name>app</name><version>2</version></component></metadata>
  <components>
    <component type="library" bom-ref="a"><name>a</name><version>1.0</version><purl>pkg:npm/a@1.0</purl>
      <components><component type="library" bom-ref="b"><name>b</name><version>1.0</version></component></components>
    </component>
    <component type="file"><name>c</name></component>
  </components>
  <dependencies><dependency ref="app"><dependency ref="a"/><dependency ref="unknown"/></dependency></dependencies>
</bom>`;

const TAGS = [
  'SPDXVersion: SPDX-2.3',
  'DocumentNamespace: https://example.org/app',
  'PackageName: app',
  'SPDXID: SPDXRef-app',
  'PackageName: a',
  'SPDXID: SPDXRef-a',
  'PackageVersion: 1.0',
  'PackageChecksum: SHA256: AB12',
  'PackageComment: <text>of two',
  'PackageName: lines</text>',
  'ExternalRef: PACKAGE-MANAGER purl pkg:npm/a@1.0',
  'PackageName: b',
  'SPDXID: SPDXRef-b',
  'PackageVersion: NOASSERTION',
  'Relationship: SPDXRef-DOCUMENT describes SPDXRef-app',
  'Relationship: SPDXRef-app DEPENDS_ON SPDXRef-a',
  'Relationship: SPDXRef-b DEV_DEPENDENCY_OF SPDXRef-app',
  'Relationship: SPDXRef-b CONTAINED_BY SPDXRef-a',
];

const statement = (predicate: unknown) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'registry.example/app', digest: { sha256: 'ab'.repeat(32) } }],
  predicateType: 'https://cyclonedx.org/bom',
  predicate,
});

const envelope = (payload: string | Buffer) => ({
  payloadType: 'application/vnd.in-toto+json',
  payload: Buffer.from(payload).toString('base64'),
  signatures: [],
});

test('a CycloneDX document lists nested components once, its subject and what is direct', async () => {
  const sbom = await read(bom());
  assert.deepEqual(
    sbom.components.map(({ ref, isDirect }) => [ref, isDirect]),
    [
      ['b', false],
      ['a', true],
      ['#2', false],
    ],
  );
  assert.deepEqual(sbom.subject, { name: 'app', version: '2', purl: null, digests: [] });
  assert.deepEqual([...sbom.dependencies].sort(), [
    ['a', ['b']],
    ['app', ['a']],
  ]);
});

test('CycloneDX XML is read like the same document in JSON', async () => {
  const { encoding, ...xml } = await read(XML);
  const { encoding: other, ...json } = await read(bom());
  assert.deepEqual([encoding, other], ['xml', 'json']);
  assert.deepEqual(xml, json);
});

for (const end of ['\n', '\r\n', '\r'])
  test(`SPDX tag-value is read with the line end ${JSON.stringify(end)}, in chunks of any size`, async () => {
    for (const size of [1, 5, 65_536]) {
      const sbom = await read(TAGS.join(end), {}, size);
      assert.deepEqual(
        sbom.components.map(({ ref, version, purl, scope, hashes, isDirect }) => [
          ref,
          version,
          purl,
          scope,
          hashes,
          isDirect,
        ]),
        [
          ['SPDXRef-app', null, null, null, [], false],
          ['SPDXRef-a', '1.0', 'pkg:npm/a@1.0', null, ['sha256:ab12'], true],
          ['SPDXRef-b', null, null, null, [], true],
        ],
      );
      assert.deepEqual(sbom.dependencies.get('SPDXRef-a'), ['SPDXRef-b']);
      assert.equal(sbom.subject?.name, 'app');
    }
  });

test('SPDX JSON is read with its keys in any order, and a package of a repeated id is read too', async () => {
  const sbom = await read({
    relationships: [
      { spdxElementId: 'SPDXRef-a', relationshipType: 'TEST_DEPENDENCY_OF', relatedSpdxElement: 'SPDXRef-app' },
    ],
    packages: ['app', 'a', 'a'].map((name) => ({ SPDXID: `SPDXRef-${name}`, name })),
    documentDescribes: ['SPDXRef-app'],
    spdxVersion: 'SPDX-2.2',
  });
  assert.deepEqual(
    sbom.components.map(({ ref, scope, isDirect }) => [ref, scope, isDirect]),
    [
      ['SPDXRef-app', null, false],
      ['SPDXRef-a', 'excluded', true],
      ['#2', null, false],
    ],
  );
});

test('a document in a statement, an envelope, gzip or behind a byte order mark is the same document', async () => {
  const plain = await read(bom());
  const digests = [`sha256:${'ab'.repeat(32)}`];
  assert.deepEqual(await read(gzipSync(JSON.stringify(bom()))), plain);
  assert.deepEqual(await read(`\ufeff${JSON.stringify(bom())}`), plain);
  assert.deepEqual(await read(envelope(JSON.stringify(bom())), {}, 3), plain);
  assert.deepEqual((await read(envelope(XML))).components, plain.components);
  const attested = await read(envelope(JSON.stringify(statement(bom()))));
  assert.deepEqual(attested, { ...plain, subject: { ...plain.subject, digests } });
});

const REFUSALS: readonly (readonly [sentence: string, document: unknown, reason: string, message: RegExp])[] = [
  ['an empty document', '', 'not_an_sbom', /empty/],
  ['a bare list', '[{"purl":"pkg:npm/a"}]', 'not_an_sbom', /bare list/],
  ['other JSON', '{"name":"a"}', 'not_an_sbom', /bomFormat/],
  ['an HTML page', '<html><body/></html>', 'not_an_sbom', /"html"/],
  ['a ZIP archive', Buffer.from('PK\x03\x04......'), 'not_an_sbom', /ZIP/],
  ['a duplicate key that nobody reads', '{"bomFormat":"CycloneDX","x":{"a":1,"a":2}}', 'duplicate_key', /"a" twice/],
  ['a key that is duplicated by an escape', '{"a":1,"\\u0061":2}', 'duplicate_key', /"a" twice/],
  ['a lone surrogate', '{"bomFormat":"CycloneDX","x":"\\ud800"}', 'lone_surrogate', /line 1/],
  ['NUL in a text', bom({ components: [library('a\0b')] }), 'invalid_value', /NUL.*components\[0\]/],
  ['NUL in a tag', 'SPDXVersion: SPDX-2.3\nDocumentNamespace: a\0b', 'invalid_value', /NUL.*line 2/],
  ['NaN', '{"bomFormat":"CycloneDX",\n"version":NaN}', 'malformed_json', /"NaN".*line 2/],
  ['a document that is cut off', '{"bomFormat":"CycloneDX"', 'malformed_json', /cut off/],
  ['bytes that are not UTF-8', Buffer.from('{"bomFormat":"\xff"}', 'latin1'), 'not_utf8', /UTF-8/],
  ['UTF-16', Buffer.from('\ufeff{}    ', 'utf16le'), 'not_utf8', /UTF-16/],
  ['a DTD', '<!DOCTYPE bom [<!ENTITY a "b">]><bom xmlns="http://cyclonedx.org/schema/bom/1.6"/>', 'dtd', /line 1/],
  ['XML that is cut off', XML.slice(0, -4), 'malformed_xml', /line/],
  [
    'SPDX 3.0',
    { '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld', '@graph': [{}] },
    'unsupported_version',
    /3\.0/,
  ],
  ['SPDX YAML', 'SPDXID: "SPDXRef-DOCUMENT"\nspdxVersion: "SPDX-2.3"\n', 'unsupported_format', /YAML/],
  ['CycloneDX of an unknown version', bom({ specVersion: '2.0' }), 'unsupported_version', /2\.0/],
  ['a component without a name', bom({ components: [{ type: 'file' }] }), 'missing_field', /components\[0\]/],
  ['a component whose name is a list', bom({ components: [{ type: 'file', name: [] }] }), 'wrong_type', /\[0\]\.name/],
  ['an unknown component type', bom({ components: [{ type: 'foo', name: 'a' }] }), 'invalid_value', /"foo"/],
  ['components of one ref', bom({ components: [library('a'), library('a')] }), 'duplicate_ref', /components\[1\]|"a"/],
  ['an envelope in an envelope', envelope(JSON.stringify(envelope('{}'))), 'not_an_sbom', /another DSSE/],
  ['a payload that is not base64', { payload: '{}!!' }, 'bad_base64', /base64/],
  ['a line that is no tag', 'SPDXVersion: SPDX-2.3\nhello', 'malformed_tag_value', /line 2/],
  ['gzip that is cut off', gzipSync(XML).subarray(0, 100), 'bad_gzip', /gzip/],
  ['gzip in gzip', gzipSync(gzipSync(XML)), 'not_an_sbom', /gzip/],
];

for (const [sentence, document, reason, message] of REFUSALS)
  test(`readSbom refuses ${sentence}`, async () => {
    for (const size of [1, 65_536])
      await assert.rejects(read(document, {}, size), { name: 'SbomError', reason, message });
  });

test('limits hold for bytes sent, bytes expanded, depth, components and dependencies', async () => {
  const text = JSON.stringify(bom({ x: ' '.repeat(100_000) }));
  await assert.rejects(read(text, { bytes: 50_000 }), { reason: 'too_large' });
  await assert.rejects(read(gzipSync(text), { bytes: 50_000 }), { reason: 'too_large' });
  await assert.rejects(read(bom(), { depth: 3 }), { reason: 'too_deep' });
  await assert.rejects(read(XML, { depth: 3 }), { reason: 'too_deep' });
  await assert.rejects(read(bom(), { components: 2 }), { reason: 'too_many' });
  await assert.rejects(read(bom(), { dependencies: 1 }), { reason: 'too_many' });
});

test('any change of a byte gives a document or an SbomError', async () => {
  const documents = [JSON.stringify(bom()), XML, TAGS.join('\n')].map((text) => Buffer.from(text));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...documents),
      fc.nat(),
      fc.integer({ min: 0, max: 255 }),
      async (bytes, at, byte) => {
        const changed = Buffer.from(bytes);
        changed[at % changed.length] = byte;
        await read(changed).catch((error: unknown) => assert.equal(error instanceof Error && error.name, 'SbomError'));
      },
    ),
    { numRuns: 300 },
  );
});

test('the targets of an XML dependency are read in time proportional to their number', async () => {
  const document = XML.replace('<dependency ref="unknown"/>', '<dependency ref="b"/>'.repeat(150_000));
  const startedMs = performance.now();
  const { dependencies } = await read(document);
  assert.deepEqual(dependencies.get('app'), ['a', 'b']);
  assert.ok(performance.now() - startedMs < 20_000);
});
