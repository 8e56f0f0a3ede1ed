// Findings for the tests of many: each is a function of its number alone, so that every language can generate them.
import { sha256, sha256Bytes } from '@landfall/kernel/crypto/digest';
import type { Finding } from './finding.ts';
import { goldenScan } from './golden-scan.fixture.ts';
import { createManifest } from './manifest.ts';
import { DEFAULT_POLICY, vendorTenths } from './policy.ts';
import type { FrozenScan } from './replay.ts';
import { type VexDocument, vexSetHash } from './vex-set.ts';

const reachabilities = ['reachable', 'potentially_reachable', 'unknown', 'unreachable'] as const;
const exposures = ['internet', 'partner', 'unknown', 'internal', 'isolated'] as const;
const statuses = ['none', 'affected', 'under_investigation', 'fixed', 'not_affected'] as const;
const sources = ['cvss', 'vendor', 'default'] as const;
const severityWords = ['LOW', 'moderate', 'Medium', 'high', 'CRITICAL'] as const;

const choose = <Choice>(choices: readonly [Choice, ...Choice[]], byte: number): Choice =>
  choices[byte % choices.length] ?? choices[0];

const severityOf = (seed: Buffer) => {
  const severitySource = choose(sources, seed.readUInt8(12));
  const byte = seed.readUInt8(0);
  const vendorSeverity = severitySource === 'vendor' ? choose(severityWords, byte) : null;
  const isCvss = severitySource === 'cvss';
  const tenths = vendorSeverity === null ? null : (vendorTenths(vendorSeverity, DEFAULT_POLICY) ?? null);
  return {
    severitySource,
    vendorSeverity,
    cvssTenths: isCvss ? byte % 101 : tenths,
    cvssVersion: isCvss ? '3.1' : null,
    cvssVector: isCvss ? 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' : null,
  };
};

const vexDocument: VexDocument = { digest: sha256('vex document'), rank: 1, source: 'hub', trust: 'trusted' };
const vexStatement = { documentDigest: vexDocument.digest, index: 0, source: vexDocument.source };

const generatedFinding = (number: number): Finding => {
  const seed = sha256Bytes(`finding ${number}`);
  const isOneIn = (divisor: number, at: number): boolean => seed.readUInt8(at) % divisor === 0;
  const isInformational = isOneIn(10, 11);
  const vex = seed.readUInt8(8) % 20 < 15 ? 'none' : choose(statuses, seed.readUInt8(8));
  const millionths = String(seed.readUInt32BE(1) % 10_000_000).padStart(7, '0');
  return {
    findingId: seed.toString('hex', 0, 16),
    purl: `pkg:npm/p${number}@1.${number % 9}.0`,
    vulnId: `CVE-2024-${10_000 + number}`,
    class: isInformational ? 'informational' : 'vulnerability',
    advisoryFeed: 'feed:osv:npm',
    ...severityOf(seed),
    epss: isOneIn(8, 13) ? null : `0.${millionths}`,
    kev: !isInformational && isOneIn(20, 5),
    malicious: !isInformational && isOneIn(25, 14),
    reachability: choose(reachabilities, seed.readUInt8(6)),
    exposure: choose(exposures, seed.readUInt8(7)),
    vex,
    vexStatement: vex === 'none' ? null : vexStatement,
    evidenceAgeSeconds: seed.readUInt16BE(9) * 40,
  };
};

/** The first `count` generated findings, with ages of their own. */
export const generatedFindings = (count: number): Finding[] =>
  Array.from({ length: count }, (_, number) => generatedFinding(number));

const { scanId, createdAtUtc, deterministic, scannerVersion, inputs } = goldenScan.manifest;
const manifest = createManifest({
  scanId,
  createdAtUtc,
  deterministic,
  scannerVersion,
  inputs: inputs.map((input) => (input.role === 'vex' ? { hash: vexSetHash([vexDocument]), role: 'vex' } : input)),
});

/** Scan with these findings, one for each component. */
export const scanWith = (findings: readonly Finding[]): FrozenScan => ({
  ...goldenScan,
  manifest,
  findings,
  coverage: {
    components: findings.length,
    evaluated: findings.length,
    noPurl: 0,
    unknownEcosystem: 0,
    badVersion: 0,
  },
  vexDocuments: [vexDocument],
});
