import type { Who } from '@landfall/kernel/core/caller';
import type { Database } from '@landfall/kernel/db/database';
import { readFeeds } from '../feeds/current-feeds.ts';
import { loadFacts, type VulnerabilityFacts } from '../feeds/vulnerability-facts.ts';
import { getManifest, manifestDocument } from '../manifests/manifests.ts';
import { currentPolicy } from '../manifests/policies.ts';
import { vexSetHash } from '../score/vex-set.ts';
import { mapInSteps, runInTurns } from '../shared/steps.ts';
import { currentDocuments } from '../vex/document-set.ts';
import { coverageOf } from './coverage.ts';
import { exploitationOf, type NewFinding } from './finding-freeze.ts';
import type { RuledScan } from './finding-vex.ts';
import * as findings from './findings.store.ts';
import { policyHash } from './freeze.ts';
import type { RescoredScan } from './scans.store.ts';

const OSV = 'feed:osv:';

/** Inputs that decide the matches, as texts to compare. Feeds of other ecosystems count: they join ids of vulnerabilities. */
const decisive = (inputs: readonly { readonly role: string; readonly hash: string }[]): string =>
  inputs
    .filter(({ role }) => role.startsWith(OSV) || role === 'policy' || role === 'vex')
    .map(({ role, hash }) => `${role} ${hash}`)
    .toSorted()
    .join('\n');

/** Finding of the freeze before with the exploitation that is known by now. */
const refreshed = (
  { finding, aliasGroup, aliases, ...stored }: findings.WholeFinding,
  facts: VulnerabilityFacts,
): NewFinding => {
  const { componentKey, componentHashes, title, fixedVersions, lowestCleanVersion, path } = stored;
  const { vulnId, malicious } = finding;
  const ids = [vulnId, ...aliases];
  const known = exploitationOf({ vulnId, malicious, ids, heads: facts.headsOf(aliasGroup) }, facts);
  const rest = { componentKey, componentHashes, aliasGroup, aliases, title, fixedVersions, lowestCleanVersion, path };
  return { finding: { ...finding, ...known }, ...rest };
};

/**
 * Matches of a scan's newest freeze with newer EPSS and KEV: what matching its bill again would give, without reading the
 * bill. Undefined where another input or the program changed since, so that the bill must be matched.
 */
export const reuseMatches = (
  database: Database,
  { tenant }: Who,
  scan: RescoredScan,
  scannerVersion: string,
): Promise<RuledScan | undefined> =>
  database.read(tenant, async (query) => {
    const coverage = coverageOf(scan);
    const manifest = manifestDocument(await getManifest(query, tenant, scan.id));
    const { feeds } = await readFeeds(query);
    const policy = await currentPolicy(query, tenant);
    const vexDocuments = await currentDocuments(query, tenant);
    const current = [
      ...feeds.map(({ role, digest: hash }) => ({ role, hash })),
      { role: 'policy', hash: policyHash(policy) },
      { role: 'vex', hash: vexSetHash(vexDocuments) },
    ];
    const isEqual = manifest.scannerVersion === scannerVersion && decisive(manifest.inputs) === decisive(current);
    if (!isEqual || !coverage || !scan.inputs) return undefined;
    const stored = await findings.listWhole(query, tenant, scan.id);
    const facts = await loadFacts(query, [...new Set(stored.map(({ aliasGroup }) => aliasGroup))]);
    const roles = Object.keys(scan.inputs).filter((role) => role.startsWith(OSV));
    return {
      evaluations: [],
      coverage,
      findings: await runInTurns(mapInSteps(stored, (each) => refreshed(each, facts))),
      feeds,
      families: new Set(roles.map((role) => role.slice(OSV.length))),
      policy,
      vexDocuments,
    };
  });
