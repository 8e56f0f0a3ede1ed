import type { Who } from '@landfall/kernel/core/caller';
import type { Database } from '@landfall/kernel/db/database';
import type { Query } from '@landfall/kernel/db/query';
import { type CurrentFeeds, readFeeds } from '../feeds/current-feeds.ts';
import { compileAdvisories, loadAdvisories, type PackageAdvisories, readAdvisories } from '../feeds/package-lookup.ts';
import { loadFacts, type VulnerabilityFacts } from '../feeds/vulnerability-facts.ts';
import { currentPolicy } from '../manifests/policies.ts';
import { type OsvPackage, osvPackagesOf } from '../packages/ecosystem.ts';
import type { Sbom } from '../sbom/sbom.ts';
import type { Policy } from '../score/policy.ts';
import type { Coverage } from '../score/scan-score.ts';
import { inSteps, mapInSteps, runInTurns, type Steps } from '../shared/steps.ts';
import { componentsOf, type ScanComponent } from './components.ts';
import { countOutcomes, type Evaluation, evaluate, familyOf, packagesOf } from './evaluation.ts';
import { freezeFindings, type NewFinding } from './finding-freeze.ts';

/** Result of matching a bill of materials against the advisories of this moment. */
export interface MatchedScan {
  /** Empty where the matches of the freeze before are reused. */
  readonly evaluations: readonly Evaluation[];
  readonly coverage: Coverage;
  readonly findings: readonly NewFinding[];
  /** Feeds in force. */
  readonly feeds: CurrentFeeds['feeds'];
  /** Ecosystems of the components, without releases, whether they have a feed or not. */
  readonly families: ReadonlySet<string>;
  /** Policy in force. */
  readonly policy: Policy;
}

function* familiesOf(components: readonly ScanComponent[]): Steps<ReadonlySet<string>> {
  const families = new Set<string>();
  yield* inSteps(components, ({ purl }) => {
    for (const { ecosystem } of purl === null ? [] : osvPackagesOf(purl)) families.add(familyOf(ecosystem));
  });
  return families;
}

/** Reads of the feeds that matching a bill needs, in their order. */
export interface FeedReads {
  feeds(): Promise<CurrentFeeds>;
  /** Advisories of these packages at least. */
  advisories(packages: readonly OsvPackage[]): Promise<(wanted: OsvPackage) => PackageAdvisories>;
  /** Facts of these alias groups at least. */
  facts(groups: readonly bigint[]): Promise<VulnerabilityFacts>;
}

/** Packages of some bills, each once, whether a feed covers them or not. */
export const packagesOfBills = async (bills: readonly Sbom[]): Promise<readonly OsvPackage[]> => {
  const found = new Map<string, OsvPackage>();
  for (const sbom of bills)
    await runInTurns(
      inSteps(await runInTurns(componentsOf(sbom)), ({ purl }) => {
        for (const each of purl === null ? [] : osvPackagesOf(purl))
          found.set(`${each.ecosystem}\n${each.packageName}`, each);
      }),
    );
  return [...found.values()];
};

/** Reads at once all that the feeds say about some packages, so that bills are matched without a connection. */
export const readAhead = async (query: Query, packages: readonly OsvPackage[]): Promise<FeedReads> => {
  const feeds = await readFeeds(query);
  const rows = await readAdvisories(query, packages);
  const groups = new Set([...rows.values()].flatMap((about) => about.map(({ aliasGroup }) => aliasGroup)));
  const facts = await loadFacts(query, [...groups]);
  const advisoriesOf = compileAdvisories(rows);
  return { feeds: async () => feeds, advisories: async () => advisoriesOf, facts: async () => facts };
};

/** Matches every component against the advisories of the feeds; each distinct package is read once. */
export const matchComponents = async (reads: FeedReads, policy: Policy, sbom: Sbom): Promise<MatchedScan> => {
  const { feeds, covers } = await reads.feeds();
  const components = await runInTurns(componentsOf(sbom));
  const wanted = await runInTurns(mapInSteps(components, (component) => packagesOf(component, { covers })));
  const advisoriesOf = await reads.advisories(wanted.flat());
  const evaluations = await runInTurns(
    mapInSteps(components, (component, at) => evaluate(component, wanted[at] ?? [], advisoriesOf)),
  );
  const groups = new Set(evaluations.flatMap(({ matches }) => matches.map(({ aliasGroup }) => aliasGroup)));
  const facts = await reads.facts([...groups]);
  const findings = await runInTurns(freezeFindings(evaluations, components, { ...facts, policy }));
  const families = await runInTurns(familiesOf(components));
  return { evaluations, coverage: countOutcomes(evaluations), findings, feeds, families, policy };
};

/** Matches every component against the advisories in force. */
export const matchSbom = (database: Database, { tenant }: Who, sbom: Sbom): Promise<MatchedScan> =>
  database.read(tenant, async (query) => {
    const reads: FeedReads = {
      feeds: () => readFeeds(query),
      advisories: (packages) => loadAdvisories(query, packages),
      facts: (groups) => loadFacts(query, groups),
    };
    return matchComponents(reads, await currentPolicy(query, tenant), sbom);
  });
