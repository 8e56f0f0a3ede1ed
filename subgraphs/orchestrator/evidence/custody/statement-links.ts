import {
  type Attestation,
  type AttestationKind,
  isAttested,
} from '@landfall/attestation/statements/attestations.store';
import type { CustodyStatement, EstateCounts, Evidence } from './chain.ts';
import { type Link, missing } from './link.ts';

/** Statements that a step needs, and the reason if there are none. */
export interface StatementLinks {
  readonly links: readonly Link[];
  readonly statements: readonly CustodyStatement[];
  readonly nothing: string;
}

const counted = (count: number, one: string, many: string): string => (count === 1 ? one : `${count} ${many}`);

const SUMMARIES: Readonly<Record<AttestationKind, (extent: number) => string>> = {
  deployment: (targets) => `landed, verified on ${counted(targets, 'its target', 'targets')}`,
  verification_summary: () => 'the gates let it launch',
  approval: (people) => `approved by ${counted(people, 'one person', 'people')}`,
  evidence: (pieces) => `${counted(pieces, 'one piece', 'pieces')} of evidence recorded`,
  scan: (components) => `${counted(components, 'its component', 'components')} scanned`,
  observation: (targets) => `seen running on ${counted(targets, 'its target', 'targets')}`,
};

/** Converts an attestation to a link: written, signed and logged, or verified. A refuted one counts as missing. */
const linkOf = (attestation: Attestation): Link => {
  if (!isAttested(attestation))
    return missing(
      attestation.lastError === null
        ? 'the statement waits to be signed and logged'
        : `the statement is not in the log yet: ${attestation.lastError}`,
    );
  if (attestation.refutedReason !== null) return missing(`its verification failed: ${attestation.refutedReason}`);
  return attestation.verifiedAt === null
    ? { state: 'signed', reason: 'its log entry has not been verified yet' }
    : { state: 'proven', reason: null };
};

const statementOf = (attestation: Attestation, { state, reason }: Link): CustodyStatement => {
  const logged = isAttested(attestation) ? attestation : undefined;
  return {
    state,
    predicateType: attestation.predicateType,
    summary: SUMMARIES[attestation.kind](attestation.extent),
    component: null,
    environmentId: attestation.environmentId,
    deploymentId: attestation.deploymentId,
    signer: null,
    signedBy: logged?.keyId ?? null,
    signedAt: logged?.signedAt ?? null,
    digest: attestation.payloadDigest,
    attestationId: logged?.id ?? null,
    logIndex: logged ? String(logged.logIndex) : null,
    verifiedAt: attestation.verifiedAt,
    reason,
  };
};

const ofKind = ({ attestations }: Evidence, kind: AttestationKind): readonly Attestation[] =>
  attestations.filter((attestation) => attestation.kind === kind);

/** Selects the attestation that counts in each environment: the newest logged one, else the newest. */
const newest = (attestations: readonly Attestation[]): readonly Attestation[] =>
  [...Map.groupBy(attestations, ({ environmentId }) => environmentId).values()].flatMap(
    (all) => all.findLast(isAttested) ?? all.at(-1) ?? [],
  );

const plain = (attestations: readonly Attestation[], nothing: string): StatementLinks => {
  const links = attestations.map(linkOf);
  return { links, statements: attestations.map((each) => statementOf(each, linkOf(each))), nothing };
};

/** Builds the link of the newest scans, which must cover every component; without scans that of the recorded evidence. */
export const scanLinks = (evidence: Evidence): StatementLinks => {
  const scans = newest(ofKind(evidence, 'scan'));
  const all = plain([...scans, ...newest(ofKind(evidence, 'evidence'))], 'no scan of its images is known');
  const [scan] = scans;
  if (!scan) return all;
  const left = evidence.components.length - scan.extent;
  const link = left > 0 ? missing(`${left} of ${evidence.components.length} components are not scanned`) : linkOf(scan);
  return { ...all, links: [link] };
};

/** Builds the links of approvals and of the gates' decisions; a decision without approval does not count. */
export const approveLinks = (evidence: Evidence): StatementLinks => {
  const approvals = newest(ofKind(evidence, 'approval'));
  const decisions = newest(ofKind(evidence, 'verification_summary'));
  const all = plain([...approvals, ...decisions], 'no promotion of it was approved');
  return approvals.length > 0 ? all : { ...all, links: [] };
};

export const deployLinks = (evidence: Evidence): StatementLinks =>
  plain(newest(ofKind(evidence, 'deployment')), 'it has landed nowhere with every target verified');

/** Contradiction between the estate and a release in an environment; undefined if there is none. */
const contradiction = ({ environmentName, total, drift, unobserved }: EstateCounts): string | undefined => {
  if (drift > 0) return `${environmentName}: ${drift} of ${total} components drift`;
  return unobserved > 0 ? `${environmentName}: ${unobserved} of ${total} components are not observed` : undefined;
};

const runLink = (counts: EstateCounts, observed: Attestation | undefined, landed: Attestation | undefined): Link => {
  const against = contradiction(counts);
  if (against !== undefined) return missing(against);
  if (!observed || (landed && observed.deploymentId !== landed.deploymentId))
    return missing(`${counts.environmentName}: it was not seen running since it landed`);
  const { state, reason } = linkOf(observed);
  return { state, reason: reason === null ? null : `${counts.environmentName}: ${reason}` };
};

/** Builds a link for each environment of a release from the observation; drift or a silent agent makes it missing. */
export const runLinks = (evidence: Evidence): StatementLinks => {
  const observations = newest(ofKind(evidence, 'observation'));
  const landings = newest(ofKind(evidence, 'deployment'));
  const inEnvironment = (all: readonly Attestation[], { environmentId }: EstateCounts): Attestation | undefined =>
    all.find((attestation) => attestation.environmentId === environmentId);
  const pairs = evidence.estateCounts.map((counts) => {
    const observed = inEnvironment(observations, counts);
    return { observed, link: runLink(counts, observed, inEnvironment(landings, counts)) };
  });
  return {
    links: pairs.map(({ link }) => link),
    statements: pairs.flatMap(({ observed, link }) => (observed ? statementOf(observed, link) : [])),
    nothing: 'no target carries it now',
  };
};
