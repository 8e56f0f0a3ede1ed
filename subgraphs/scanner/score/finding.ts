import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { closed, count, digest, name, nullable, refuse, secondsOf } from './document.ts';
import type { ManifestInput } from './manifest.ts';
import { type Policy, policySchema, TRUST_LEVELS, tenths, vendorTenths } from './policy.ts';
import { PROBABILITY } from './ppm.ts';
import type { VexDocument } from './vex-set.ts';

const tables = policySchema.properties;

/** Finding as it is scored (proofs 2.1). */
export const findingSchema = Type.Object(
  {
    /** Role of the feed input that supplied the advisory. */
    advisoryFeed: name,
    /** Informational findings are listed and never scored. */
    class: Type.Enum(['vulnerability', 'informational']),
    cvssTenths: nullable(tenths),
    cvssVector: nullable(name),
    cvssVersion: nullable(name),
    /** EPSS probability as published; null if none is. */
    epss: nullable(Type.String({ pattern: PROBABILITY })),
    evidenceAgeSeconds: count,
    exposure: Type.KeyOf(tables.exposure),
    findingId: name,
    kev: Type.Boolean(),
    malicious: Type.Boolean(),
    purl: name,
    reachability: Type.KeyOf(tables.reachability),
    severitySource: Type.Enum(['cvss', 'vendor', 'default']),
    vendorSeverity: nullable(name),
    vex: Type.KeyOf(tables.vexKeep),
    vexStatement: nullable(Type.Object({ documentDigest: digest, index: count, source: name }, closed)),
    vulnId: name,
  },
  closed,
);

export type Finding = Static<typeof findingSchema>;

/** Finding as a scan freezes it. The age of its evidence depends on the time of the replay. */
export type FrozenFinding = Omit<Finding, 'evidenceAgeSeconds'>;

const validator = Compile(findingSchema);

/** Id of the fact that a component has a vulnerability: 32 hex digits (proofs 2.1). */
export const findingIdOf = (fact: {
  readonly purl: string;
  readonly vulnId: string;
  readonly componentPath: string;
}): string => {
  const { purl, vulnId, componentPath } = fact;
  return sha256Hex('finding/v1\n', canonicalJson({ purl, vulnId, componentPath })).slice(0, 32);
};

/** Oldest feed behind a finding: its advisory's, or one of the two that speak about every finding by silence too. */
export const oldestFeed = (advisoryFeed: string, inputs: readonly ManifestInput[]): Required<ManifestInput> => {
  const [first, ...others] = [advisoryFeed, 'feed:epss', 'feed:kev'].map((role) => {
    const { hash, publishedAt } = inputs.find((input) => input.role === role) ?? {};
    if (hash === undefined || publishedAt === undefined) refuse('finding-feed', `The manifest has no feed ${role}.`);
    return { hash, publishedAt, role };
  });
  if (!first) throw new TypeError('A finding has three feeds.');
  // The fixed form of the dates makes their order that of their text.
  return others.reduce((oldest, feed) => (feed.publishedAt < oldest.publishedAt ? feed : oldest), first);
};

/** Function from a finding's advisory feed to the age of its evidence in seconds at a time. */
export const evidenceAges = (inputs: readonly ManifestInput[], freezeTimestamp: string) => {
  const ages = new Map<string, number>();
  const now = secondsOf(freezeTimestamp);
  return (advisoryFeed: string): number => {
    const age = ages.get(advisoryFeed) ?? now - secondsOf(oldestFeed(advisoryFeed, inputs).publishedAt);
    ages.set(advisoryFeed, age);
    return age;
  };
};

/** Finding whose members are in the order of their names, for `orderedJson`; members of no meaning are left out. */
export const orderedFinding = (finding: FrozenFinding, evidenceAgeSeconds: number): Finding => {
  const { vexStatement } = finding;
  return {
    advisoryFeed: finding.advisoryFeed,
    class: finding.class,
    cvssTenths: finding.cvssTenths,
    cvssVector: finding.cvssVector,
    cvssVersion: finding.cvssVersion,
    epss: finding.epss,
    evidenceAgeSeconds,
    exposure: finding.exposure,
    findingId: finding.findingId,
    kev: finding.kev,
    malicious: finding.malicious,
    purl: finding.purl,
    reachability: finding.reachability,
    severitySource: finding.severitySource,
    vendorSeverity: finding.vendorSeverity,
    vex: finding.vex,
    vexStatement: vexStatement && {
      documentDigest: vexStatement.documentDigest,
      index: vexStatement.index,
      source: vexStatement.source,
    },
    vulnId: finding.vulnId,
  };
};

/** Message of the severity rule that a finding breaks. */
const severityFault = ({ severitySource, cvssTenths, ...finding }: Finding, policy: Policy): string | undefined => {
  const { vendorSeverity, cvssVector, cvssVersion } = finding;
  if ((severitySource === 'vendor') !== (vendorSeverity !== null))
    return 'a vendor’s word belongs to the source vendor';
  if (vendorSeverity !== null && vendorTenths(vendorSeverity, policy) !== cvssTenths)
    return `the policy gives ${vendorSeverity} another value than ${cvssTenths}`;
  if ((severitySource === 'default') !== (cvssTenths === null))
    return 'cvssTenths is null for the source default alone';
  if (severitySource !== 'cvss' && (cvssVector ?? cvssVersion) !== null)
    return 'a CVSS vector belongs to the source cvss';
  return undefined;
};

/** Message of the VEX rule that a finding breaks. Without documents it is not known which ones are pinned. */
const vexFault = (
  { vex, vexStatement }: Finding,
  { vexMinimumTrust }: Policy,
  documents: readonly VexDocument[] | undefined,
): string | undefined => {
  if ((vex === 'none') !== (vexStatement === null)) return 'a VEX status and its statement belong together';
  if (!vexStatement || !documents) return undefined;
  const { documentDigest, source } = vexStatement;
  const document = documents.find((pinned) => pinned.digest === documentDigest && pinned.source === source);
  if (!document) return `the manifest does not pin the VEX document ${documentDigest} of ${source}`;
  return TRUST_LEVELS.indexOf(document.trust) < TRUST_LEVELS.indexOf(vexMinimumTrust)
    ? `the VEX document ${documentDigest} is ${document.trust}`
    : undefined;
};

const shapeFault = (finding: unknown): string | undefined => {
  const [error] = validator.Errors(finding);
  return error && `${error.instancePath} ${error.message}`;
};

/** Rules and inputs that a finding is checked against. */
interface FindingContext {
  readonly policy: Policy;
  /** Documents of the manifest's `vex` input; undefined where only their hash is known. */
  readonly vexDocuments: readonly VexDocument[] | undefined;
}

/** Checks a finding at the freeze and at each replay. Throws InvalidDocument for a broken rule of proofs 2.1. */
export const checkFinding = (finding: Finding, { policy, vexDocuments }: FindingContext): void => {
  const stop = (reason: string, fault: string | undefined): void => {
    if (fault !== undefined) refuse(reason, `Finding ${finding.findingId}: ${fault}.`);
  };
  if (!validator.Check(finding)) stop('finding-malformed', shapeFault(finding));
  stop('finding-severity', severityFault(finding, policy));
  stop('finding-vex', vexFault(finding, policy, vexDocuments));
  if (finding.class === 'informational' && (finding.kev || finding.malicious))
    stop('finding-class', 'it is informational, and yet exploited or malicious');
};
