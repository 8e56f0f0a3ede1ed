import type { Who } from '@landfall/kernel/core/caller';
import type { Deps, ProductDirectory } from '@landfall/kernel/module';
import type { GateResult, ScanGate } from '@landfall/kernel/operator/transfers';
import { Compile } from 'typebox/compile';
import { currentPolicy } from '../manifests/policies.ts';
import type { NewFinding } from '../scans/finding-freeze.ts';
import { ruleFindings } from '../scans/finding-vex.ts';
import { type FrozenState, freezeMatches } from '../scans/freeze.ts';
import { readNewestBills, type ScannedBill } from '../scans/image-bills.ts';
import { type FeedReads, type MatchedScan, matchComponents, packagesOfBills, readAhead } from '../scans/matching.ts';
import { severityLabel } from '../scans/severity-label.ts';
import { statusOf } from '../score/scan-score.ts';
import { loadSuppressedOf } from '../triage/finding-decisions.ts';
import { type FailRule, gatedFinding, parseFailRule, problemOfRule } from './fail-rule.ts';

const readable = Compile(gatedFinding);

type ScoreOf = FrozenState['findingScore'];

const unscored: ScoreOf = () => 0;

/** Finding with the values as the graph names them, for which rules are written. */
const reported = ({ finding, fixedVersions, lowestCleanVersion }: NewFinding, scoreOf: ScoreOf) => {
  const { class: kind, kev, malicious, reachability, vex, cvssTenths, findingId } = finding;
  const value = {
    class: kind.toUpperCase(),
    severity: severityLabel(cvssTenths)?.toUpperCase() ?? null,
    reachability: reachability.toUpperCase(),
    vex: vex.toUpperCase(),
    score: scoreOf(findingId) / 1_000_000,
    ...{ kev, malicious, fixedVersions, lowestCleanVersion, isSuppressed: false, decision: null },
  };
  if (readable.Check(value)) return value;
  throw new TypeError(`The finding ${findingId} has a value that rules do not know.`);
};

type MatchedBill = Pick<ScannedBill, 'scan'> & { readonly matched: MatchedScan };

/** Findings that are held until VEX and triage judge them, which only take away; a score counts all findings. */
const candidatesOf = ({ findings }: MatchedScan, rule: FailRule): readonly NewFinding[] =>
  rule.readsScore ? findings : findings.filter((each) => rule.isMet(reported(each, unscored)));

/**
 * Creates the gate of scans for other modules: it matches bills by the feeds that its caller
 * sees, and stores nothing.
 */
export const createScanGate = (
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  products: ProductDirectory,
): ScanGate => {
  const listSuppressedOf = ({ tenant }: Who, { imageDigest }: ScannedBill['scan'], findings: readonly NewFinding[]) =>
    database.read(tenant, (query) =>
      loadSuppressedOf(query, tenant, products, {
        imageDigest,
        findings: findings.map(({ finding: { findingId }, ...rest }) => ({ findingId, ...rest })),
      }),
    );

  const judge = async (who: Who, rule: FailRule, { scan, matched }: MatchedBill): Promise<GateResult> => {
    if (statusOf(matched.coverage) === 'notEvaluated') return { outcome: 'not_evaluated', causes: [] };
    const { id: scanId, sbomDigest, createdAt } = scan;
    const facts = { scanId, sbomDigest, scannerVersion: 'gate', createdAt, now: clock.now() };
    const ruled = await ruleFindings(database, who, matched, scan);
    const scoreOf = rule.readsScore ? (await freezeMatches(ruled, facts)).findingScore : unscored;
    const met = ruled.findings.filter((each) => rule.isMet(reported(each, scoreOf)));
    const suppressed = met.length === 0 ? new Set<string>() : await listSuppressedOf(who, scan, met);
    const causes = met
      .filter(({ finding }) => !suppressed.has(finding.findingId))
      .map(({ finding: { vulnId, purl, kev } }) => ({ vulnId, purl, kev }));
    return { outcome: causes.length === 0 ? 'pass' : 'fail', causes };
  };

  return {
    problemOf: problemOfRule,

    async open(caller, { rule: text, images }) {
      const rule = parseFailRule(text);
      const { tenant } = caller;
      const policy = await database.read(tenant, (query) => currentPolicy(query, tenant));
      const { bills, unread } = await readNewestBills(database, caller, images);
      const packages = await packagesOfBills(bills.map(({ sbom }) => sbom));
      const match = async (reads: FeedReads): Promise<readonly MatchedBill[]> => {
        const found: MatchedBill[] = [];
        for (const { scan, sbom } of bills) {
          const matched = await matchComponents(reads, policy, sbom);
          found.push({ scan, matched: { ...matched, evaluations: [], findings: candidatesOf(matched, rule) } });
        }
        return found;
      };
      return {
        unread,
        async read(feeds) {
          const reads = await readAhead(feeds, packages);
          return async () => {
            const found = await match(reads);
            return async () => {
              const results = new Map<string, GateResult>();
              for (const each of found) results.set(each.scan.imageDigest ?? '', await judge(caller, rule, each));
              return results;
            };
          };
        },
      };
    },
  };
};
