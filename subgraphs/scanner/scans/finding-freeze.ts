import { isCve, vulnerabilityIdOf } from '../advisories/advisory-id.ts';
import type { OsvRecord } from '../advisories/osv-record.ts';
import { publishedSeverity, severityOf } from '../advisories/severity.ts';
import type { VulnerabilityFacts } from '../feeds/vulnerability-facts.ts';
import { type FrozenFinding, findingIdOf } from '../score/finding.ts';
import type { Policy } from '../score/policy.ts';
import { inSteps, type Steps } from '../shared/steps.ts';
import type { ScanComponent } from './components.ts';
import { type Evaluation, familyOf, type Match } from './evaluation.ts';

/** Finding as it is stored with a scan. */
export interface NewFinding {
  readonly finding: FrozenFinding;
  readonly componentKey: string;
  /** Hashes of the component, by which a VEX statement may name it. */
  readonly componentHashes: readonly string[];
  readonly aliasGroup: bigint;
  readonly aliases: readonly string[];
  readonly title: string | null;
  readonly fixedVersions: readonly string[];
  readonly lowestCleanVersion: string | null;
  readonly path: readonly string[];
}

/** Knowledge about vulnerabilities, and the policy that rates their severity. */
interface FreezeFacts extends VulnerabilityFacts {
  readonly policy: Policy;
}

/** Database of an advisory, by its id: `GHSA` of `GHSA-2c2c-3f3f-4g4g`. */
const sourceOf = (id: string): string => id.split('-', 1)[0] ?? id;

const severityOfMatch = ({ aliasGroup, verdicts }: Match, facts: FreezeFacts) => {
  const matched = new Set(verdicts.map(({ record }) => record.id));
  return severityOf(
    [
      ...verdicts.map(({ record, entries }) => ({
        source: sourceOf(record.id),
        ...publishedSeverity(record, entries),
      })),
      ...facts
        .headsOf(aliasGroup)
        .filter(({ id }) => !matched.has(id))
        .map(({ id, severity }) => ({ source: sourceOf(id), ...severity })),
    ],
    facts.policy,
  );
};

/** EPSS of the CVE that names the vulnerability, otherwise the highest of its alias group. */
const epssOfMatch = (vulnId: string, cves: readonly string[], facts: VulnerabilityFacts): string | null => {
  const named = facts.epssOf(vulnId);
  if (named !== undefined) return named;
  const published = cves.flatMap((cve) => facts.epssOf(cve) ?? []);
  return published.toSorted((a, b) => Number(b) - Number(a))[0] ?? null;
};

/** Part of a finding that EPSS and KEV decide. `ids` are all ids of its vulnerability, `heads` all advisories about it. */
export const exploitationOf = (
  {
    vulnId,
    malicious,
    ids,
    heads,
  }: Pick<FrozenFinding, 'vulnId' | 'malicious'> & {
    readonly ids: readonly string[];
    readonly heads: readonly Pick<OsvRecord, 'informational'>[];
  },
  facts: VulnerabilityFacts,
): Pick<FrozenFinding, 'class' | 'epss' | 'kev'> => {
  const cves = ids.filter(isCve);
  const kev = cves.some(facts.isKnownExploited);
  const isInformational = heads.every(({ informational }) => informational !== null) && !kev && !malicious;
  return {
    class: isInformational ? 'informational' : 'vulnerability',
    epss: epssOfMatch(vulnId, cves, facts),
    kev,
  };
};

const titleOf = ({ verdicts }: Match): string | null =>
  verdicts.map(({ record }) => record.summary).find((summary) => summary !== null) ??
  verdicts.map(({ record }) => record.details?.split('\n', 1)[0] ?? null).find((line) => line !== null) ??
  null;

const pathOf = ({ path }: ScanComponent, components: readonly ScanComponent[]): string[] =>
  path.map((at) => components[at]?.canonicalPurl ?? components[at]?.name ?? '');

const freeze = (
  match: Match,
  { ecosystem, purl }: Pick<Evaluation, 'ecosystem'> & { readonly purl: string },
  path: readonly string[],
  facts: FreezeFacts,
): FrozenFinding => {
  const { aliasGroup, verdicts } = match;
  const [first, ...rest] = [...verdicts.map(({ record }) => record.id), ...facts.idsOf(aliasGroup)];
  if (first === undefined) throw new TypeError('A match has no advisory.');
  const vulnId = vulnerabilityIdOf([first, ...rest]);
  const heads = [...verdicts.map(({ record }) => record), ...facts.headsOf(aliasGroup)];
  const malicious = heads.some(({ isMalicious }) => isMalicious);
  return {
    advisoryFeed: `feed:osv:${familyOf(ecosystem ?? '')}`,
    ...exploitationOf({ vulnId, malicious, ids: [first, ...rest], heads }, facts),
    ...severityOfMatch(match, facts),
    exposure: 'unknown',
    findingId: findingIdOf({ purl, vulnId, componentPath: path.slice(0, -1).join(' ') }),
    malicious,
    purl,
    reachability: 'unknown',
    vex: 'none',
    vexStatement: null,
    vulnId,
  };
};

/** Findings of evaluated components: one for each package URL and vulnerability, with the shortest path. */
export function* freezeFindings(
  evaluations: readonly Evaluation[],
  components: readonly ScanComponent[],
  facts: FreezeFacts,
): Steps<NewFinding[]> {
  const found = new Map<string, NewFinding>();
  yield* inSteps(evaluations, (evaluation) => {
    for (const match of evaluation.matches) {
      const { canonicalPurl, componentKey } = evaluation.component;
      if (canonicalPurl === null || componentKey === null) continue;
      const key = `${canonicalPurl}\n${match.aliasGroup}`;
      const path = pathOf(evaluation.component, components);
      const known = found.get(key);
      if (known && (path.length === 0 || (known.path.length > 0 && known.path.length <= path.length))) continue;
      const finding = freeze(match, { ecosystem: evaluation.ecosystem, purl: canonicalPurl }, path, facts);
      const ids = new Set([...match.verdicts.map(({ record }) => record.id), ...facts.idsOf(match.aliasGroup)]);
      ids.delete(finding.vulnId);
      found.set(key, {
        finding,
        componentKey,
        componentHashes: evaluation.component.hashes,
        aliasGroup: match.aliasGroup,
        aliases: [...ids].toSorted(),
        title: titleOf(match),
        fixedVersions: [...new Set(match.verdicts.flatMap(({ fixedVersions }) => fixedVersions))],
        lowestCleanVersion: match.lowestCleanVersion,
        path,
      });
    }
  });
  return [...found.values()];
}
