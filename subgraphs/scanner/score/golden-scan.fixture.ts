// Golden vector of proofs 3: its scan, built from the table of that page, and the values that it must give.
import { sha256 } from '@landfall/kernel/crypto/digest';
import type { FrozenFinding } from './finding.ts';
import { createManifest } from './manifest.ts';
import { DEFAULT_POLICY } from './policy.ts';
import type { FrozenScan } from './replay.ts';
import { type VexDocument, vexSetHash } from './vex-set.ts';

const freezeTimestamp = '2026-01-01T00:00:00Z';

const vexDocuments: readonly VexDocument[] = [
  { digest: sha256('vex document 1'), rank: 10, source: 'hub', trust: 'trusted' },
  { digest: sha256('vex document 2'), rank: 20, source: 'vendor', trust: 'verified' },
];

const feed = (name: string, publishedAt = freezeTimestamp) => ({
  hash: sha256(`feed:${name}`),
  publishedAt,
  role: `feed:${name}`,
});

/** Manifest of the vector. */
export const goldenManifest = createManifest({
  scanId: '00000000-0000-4000-8000-000000000001',
  createdAtUtc: freezeTimestamp,
  deterministic: true,
  scannerVersion: '1.0.0',
  inputs: [
    feed('osv:npm', '2025-12-29T16:26:40Z'),
    feed('osv:Go', '2025-11-27T06:40:00Z'),
    ...['osv:PyPI', 'osv:crates.io', 'kev', 'epss'].map((name) => feed(name)),
    ...['policy', 'reachability', 'rules', 'sbom'].map((role) => ({ hash: sha256(role), role })),
    { hash: vexSetHash(vexDocuments), role: 'vex' },
  ],
});

/** Finding of npm without a severity, on the internet, with the given changes. */
export const plainFinding = (changes: Partial<FrozenFinding>): FrozenFinding => ({
  findingId: 'plain',
  purl: 'pkg:npm/plain@1.0.0',
  vulnId: 'CVE-2026-0001',
  class: 'vulnerability',
  advisoryFeed: 'feed:osv:npm',
  severitySource: 'default',
  vendorSeverity: null,
  cvssTenths: null,
  cvssVersion: null,
  cvssVector: null,
  epss: null,
  kev: false,
  malicious: false,
  reachability: 'reachable',
  exposure: 'internet',
  vex: 'none',
  vexStatement: null,
  ...changes,
});

const cvss = (cvssTenths: number, cvssVersion: string, metrics: string) =>
  ({ severitySource: 'cvss', cvssTenths, cvssVersion, cvssVector: `CVSS:${cvssVersion}/${metrics}` }) as const;

const statement = (document: 0 | 1, index: number) => {
  const { digest: documentDigest, source } = vexDocuments[document] ?? { digest: sha256(''), source: '' };
  return { documentDigest, index, source };
};

// Deliberately not in the order of their ids.
const findings = [
  plainFinding({
    findingId: 'g',
    purl: 'pkg:pypi/example-lib@2.0',
    vulnId: 'PYSEC-2025-9001',
    advisoryFeed: 'feed:osv:PyPI',
    severitySource: 'vendor',
    vendorSeverity: 'MODERATE',
    cvssTenths: 55,
    epss: '0.00321',
    reachability: 'potentially_reachable',
    exposure: 'partner',
  }),
  plainFinding({
    findingId: 'b',
    purl: 'pkg:npm/qs@6.5.2',
    vulnId: 'CVE-2022-24999',
    ...cvss(75, '3.1', 'AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H'),
    epss: '0.0123456',
  }),
  plainFinding({
    findingId: 'a',
    purl: 'pkg:npm/send@0.16.1',
    vulnId: 'CVE-2024-43799',
    ...cvss(50, '3.1', 'AV:N/AC:L/PR:L/UI:R/S:U/C:L/I:L/A:L'),
    epss: '0.00043',
    kev: true,
    reachability: 'unknown',
    exposure: 'internal',
    vex: 'under_investigation',
    vexStatement: statement(0, 3),
  }),
  plainFinding({
    findingId: 'f',
    purl: 'pkg:cargo/example-old@0.3.0',
    vulnId: 'RUSTSEC-2024-9001',
    class: 'informational',
    advisoryFeed: 'feed:osv:crates.io',
  }),
  plainFinding({
    findingId: 'c',
    purl: 'pkg:npm/cookie@0.3.1',
    vulnId: 'CVE-2024-47764',
    ...cvss(69, '4.0', 'AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:L/VA:N/SC:N/SI:N/SA:N'),
    epss: '0.5',
    reachability: 'unreachable',
    exposure: 'isolated',
    vex: 'not_affected',
    vexStatement: statement(1, 0),
  }),
  plainFinding({
    findingId: 'e',
    purl: 'pkg:npm/example-stealer@1.0.0',
    vulnId: 'MAL-2025-9001',
    malicious: true,
    reachability: 'unknown',
  }),
  plainFinding({
    findingId: 'd',
    purl: 'pkg:golang/example.com/yaml@v1.4.0',
    vulnId: 'GO-2025-9001',
    advisoryFeed: 'feed:osv:Go',
    epss: '0.0007',
  }),
];

/** Scan of the vector. */
export const goldenScan = {
  manifest: goldenManifest,
  findings,
  coverage: { components: 9, evaluated: 7, noPurl: 1, unknownEcosystem: 1, badVersion: 0 },
  freezeTimestamp,
  policy: DEFAULT_POLICY,
  vexDocuments,
} satisfies FrozenScan;

/** Scan of the same inputs in which no component could be compared with advisories. */
export const unevaluatedScan: FrozenScan = {
  ...goldenScan,
  findings: [],
  coverage: { components: 3, evaluated: 0, noPurl: 2, unknownEcosystem: 0, badVersion: 1 },
};

/** Values that the vector gives, as two independent implementations computed them. */
export const golden = {
  manifestHash: 'sha256:c136775f5feb7e0fc0145f6fc0f54032fa213efa9a5465081ef1d53198288c2a',
  manifestDigest: 'sha256:caae85bcbe3fe83ec21e6a328cfa66b1998cef9f7972aeebe9bbba0286ece503',
  canonicalInputHash: 'sha256:da38dbf288e39a79c46f7566a9485511b9b754534c8664dfa1c8443a823af276',
  seedHex: 'ae7e4e7f90e13a7059dcebb48b055252bd999f698f608728382562f89f5ce50b',
  firstLeaf: '9e6757e3d74ac1beb80af97dd7cf6e2747d9f97df1d9ac7515105bf4045baafd',
  rootHash: 'sha256:ced6bd95eea7215abb81c1c98b48da175718e0a8cde19eea4af59849164523f1',
  unevaluatedRootHash: 'sha256:43d175362a42f32f17b8bbe5b6fb952fbb7e0564f634e7f415920e362c3341ee',
  generatedScores: '7925aa85bb79fcba332aa6bb470f6a3970d26a45a5b6c06771f8b28036babc33',
  weighted: {
    a: [175_000, 86, 150_000, 90_000, 40_000, 5_478, 339_436, 0],
    b: [262_500, 2_469, 0, 150_000, 100_000, 5_478, 0, 0],
    c: [241_500, 100_000, 0, 15_000, 10_000, 5_478, 0, -371_978],
    d: [245_000, 140, 0, 150_000, 100_000, 50_000, 0, 0],
    e: [245_000, 0, 0, 90_000, 100_000, 5_478, 459_522, 0],
    f: [],
    g: [192_500, 642, 0, 105_000, 70_000, 0, 0, 0],
  },
} as const;
