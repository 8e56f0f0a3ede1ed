import type { CurrentFeeds } from '../feeds/current-feeds.ts';
import type { PackageAdvisories } from '../feeds/package-lookup.ts';
import { type OsvPackage, osvPackagesOf } from '../packages/ecosystem.ts';
import type { Coverage } from '../score/scan-score.ts';
import type { ScanComponent } from './components.ts';

export const OUTCOMES = ['evaluated', 'no_purl', 'unknown_ecosystem', 'bad_version'] as const;

type Outcome = (typeof OUTCOMES)[number];

type Verdict = ReturnType<PackageAdvisories['verdicts']>[number];

/** Vulnerability of a component: the verdicts of the advisories of one alias group. */
export interface Match {
  readonly aliasGroup: bigint;
  readonly verdicts: readonly Verdict[];
  /** Lowest version above the component's that no advisory affects; null where none is known. */
  readonly lowestCleanVersion: string | null;
}

/** Result of matching a component against advisories. */
export interface Evaluation {
  readonly component: ScanComponent;
  readonly ecosystem: string | null;
  readonly outcome: Outcome;
  readonly matches: readonly Match[];
  /** Ids of advisories that could not be evaluated for the version. */
  readonly inconclusive: readonly string[];
}

/** Ecosystem without its release: `Debian` of `Debian:12`. */
export const familyOf = (ecosystem: string): string => ecosystem.split(':', 1)[0] ?? ecosystem;

/** Packages under which advisories may speak about a component, of those ecosystems that the feeds cover. */
export const packagesOf = ({ purl }: ScanComponent, { covers }: Pick<CurrentFeeds, 'covers'>): readonly OsvPackage[] =>
  purl === null ? [] : osvPackagesOf(purl).filter(({ ecosystem }) => covers(ecosystem));

const outcomeOf = ({ purl }: ScanComponent, packages: readonly OsvPackage[], matches: readonly Match[]): Outcome => {
  if (matches.length > 0) return 'evaluated';
  if (purl === null) return 'no_purl';
  if (packages.length === 0) return 'unknown_ecosystem';
  const isReadable = packages.some(({ version, order }) => version !== null && order.isVersion(version));
  return isReadable ? 'evaluated' : 'bad_version';
};

const matchesOf = (
  verdicts: readonly { readonly verdict: Verdict; readonly advisories: PackageAdvisories; readonly version: string }[],
): Match[] => {
  const groups = new Map<bigint, Match & { readonly verdicts: Verdict[] }>();
  for (const { verdict, advisories, version } of verdicts) {
    const aliasGroup = advisories.groupOf(verdict.record.id);
    const known = groups.get(aliasGroup);
    if (known) known.verdicts.push(verdict);
    else
      groups.set(aliasGroup, {
        aliasGroup,
        verdicts: [verdict],
        lowestCleanVersion: advisories.lowestCleanVersion(version),
      });
  }
  return [...groups.values()];
};

/**
 * Evaluates a component against the advisories of its packages. A component with a match counts as evaluated (proofs 2.4).
 * @param packages those of `packagesOf`
 */
export const evaluate = (
  component: ScanComponent,
  packages: readonly OsvPackage[],
  advisoriesOf: (wanted: OsvPackage) => PackageAdvisories,
): Evaluation => {
  const judged = packages.flatMap((wanted) => {
    const { version } = wanted;
    if (version === null) return [];
    const advisories = advisoriesOf(wanted);
    return advisories.verdicts(version).map((verdict) => ({ verdict, advisories, version }));
  });
  const matches = matchesOf(judged.filter(({ verdict }) => verdict.isAffected));
  return {
    component,
    ecosystem: packages[0]?.ecosystem ?? null,
    outcome: outcomeOf(component, packages, matches),
    matches,
    inconclusive: judged.filter(({ verdict }) => !verdict.isAffected).map(({ verdict }) => verdict.record.id),
  };
};

/** Coverage of a scan: its components by outcome (proofs 2.4). */
export const countOutcomes = (evaluations: readonly Evaluation[]): Coverage => {
  const countOf = (wanted: Outcome): number => evaluations.filter(({ outcome }) => outcome === wanted).length;
  return {
    components: evaluations.length,
    evaluated: countOf('evaluated'),
    noPurl: countOf('no_purl'),
    unknownEcosystem: countOf('unknown_ecosystem'),
    badVersion: countOf('bad_version'),
  };
};
