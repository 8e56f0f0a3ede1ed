import type { Who } from '@landfall/kernel/core/caller';
import type { Database } from '@landfall/kernel/db/database';
import type { Query } from '@landfall/kernel/db/query';
import { type CurrentFeeds, readFeeds } from '../feeds/current-feeds.ts';
import { loadAdvisories } from '../feeds/package-lookup.ts';
import { loadFacts } from '../feeds/vulnerability-facts.ts';
import { currentPolicy } from '../manifests/policies.ts';
import { osvPackagesOf } from '../packages/ecosystem.ts';
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

/** Matches every component against the advisories that `query` sees; each distinct package is read once. */
export const matchComponents = async (query: Query, policy: Policy, sbom: Sbom): Promise<MatchedScan> => {
  const { feeds, covers } = await readFeeds(query);
  const components = await runInTurns(componentsOf(sbom));
  const wanted = await runInTurns(mapInSteps(components, (component) => packagesOf(component, { covers })));
  const advisoriesOf = await loadAdvisories(query, wanted.flat());
  const evaluations = await runInTurns(
    mapInSteps(components, (component, at) => evaluate(component, wanted[at] ?? [], advisoriesOf)),
  );
  const groups = new Set(evaluations.flatMap(({ matches }) => matches.map(({ aliasGroup }) => aliasGroup)));
  const facts = await loadFacts(query, [...groups]);
  const findings = await runInTurns(freezeFindings(evaluations, components, { ...facts, policy }));
  const families = await runInTurns(familiesOf(components));
  return { evaluations, coverage: countOutcomes(evaluations), findings, feeds, families, policy };
};

/** Matches every component against the advisories in force. */
export const matchSbom = (database: Database, { tenant }: Who, sbom: Sbom): Promise<MatchedScan> =>
  database.read(tenant, async (query) => matchComponents(query, await currentPolicy(query, tenant), sbom));
