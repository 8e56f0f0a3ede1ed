import type { Who } from '@landfall/kernel/core/caller';
import { invalid } from '@landfall/kernel/core/fault';
import type { Database } from '@landfall/kernel/db/database';
import type {
  GateCause,
  GatedRelease,
  GateMatch,
  GateResult,
  ReleaseTransfer,
  ScanGate,
} from '@landfall/kernel/operator/transfers';
import type { KitGate, KitGateChange } from './changes.ts';

/** Rule unless a dry run names another one. */
export const DEFAULT_RULE = 'critical,kev,malicious';

/** Releases that a dry run evaluates, and their images: the bills are held and matched twice. */
const MOST_RELEASES = 100;
const MOST_IMAGES = 200;
const LISTED = 200;
const LISTED_CAUSES = 10;

type Results = ReadonlyMap<string, GateResult>;

/** Result about a component, of which any platform may have a scan: a failure outweighs a pass. */
const combine = (results: Results, digests: readonly string[]): GateResult | undefined => {
  const found = digests.flatMap((digest) => results.get(digest) ?? []);
  const decisive = (['fail', 'pass', 'not_evaluated'] as const).find((each) =>
    found.some(({ outcome }) => outcome === each),
  );
  return decisive && { outcome: decisive, causes: found.flatMap(({ causes }) => causes) };
};

const keyOf = ({ vulnId, purl }: GateCause): string => `${vulnId}\n${purl}`;

/** Causes on one side alone, each once. */
const difference = (causes: readonly GateCause[], others: readonly GateCause[]): GateCause[] => {
  const known = new Set(others.map(keyOf));
  return [...new Map(causes.filter((each) => !known.has(keyOf(each))).map((each) => [keyOf(each), each])).values()];
};

const changeOf = (before: GateResult, after: GateResult) => {
  if (before.outcome === after.outcome) return undefined;
  const causes = [...difference(after.causes, before.causes), ...difference(before.causes, after.causes)];
  return { before: before.outcome, after: after.outcome, causes: causes.slice(0, LISTED_CAUSES) };
};

/** Weight of a change in a list: a release that would stop, and one that runs somewhere, stand before others. */
const weightOf = ({ after, environments }: Pick<KitGateChange, 'after' | 'environments'>): number =>
  (after === 'fail' ? 2 : 0) + (environments.length > 0 ? 1 : 0);

/** Order of changes, the heaviest first. */
export const byWeight = (one: Parameters<typeof weightOf>[0], other: Parameters<typeof weightOf>[0]): number =>
  weightOf(other) - weightOf(one);

/** Releases up to the bound on images. */
const bounded = (releases: readonly GatedRelease[]): readonly GatedRelease[] => {
  const images = new Set<string>();
  return releases.slice(0, MOST_RELEASES).filter((release) => {
    for (const { digest } of release.images) images.add(digest);
    return images.size <= MOST_IMAGES;
  });
};

/** Refuses a text that is no rule. @throws Fault VAL_INVALID_VALUE */
export const expectRule = (gate: Pick<ScanGate, 'problemOf'>, rule: string): void => {
  const message = gate.problemOf(rule);
  if (message !== undefined) throw invalid([{ field: 'failOn', message, code: 'VAL_INVALID_VALUE' }]);
};

interface PreviewDeps {
  readonly database: Pick<Database, 'read'>;
  readonly releases: ReleaseTransfer;
  readonly gate: ScanGate;
}

/** Results of the gate before and after the feeds of a kit. */
const compare = (releases: readonly GatedRelease[], before: Results, after: Results) => {
  const changes: KitGateChange[] = [];
  let unscanned = 0;
  for (const { id: releaseId, name, semver, environments, images } of releases)
    for (const [component, of] of Map.groupBy(images, (image) => image.component)) {
      const digests = of.map(({ digest }) => digest);
      const [one, other] = [combine(before, digests), combine(after, digests)];
      const change = one && other && changeOf(one, other);
      if (!one) unscanned += 1;
      const release = `${name} ${semver}`;
      if (change) changes.push({ releaseId, release, component, environments: [...environments], ...change });
    }
  return { unscanned, changed: changes.length, changes: changes.toSorted(byWeight).slice(0, LISTED) };
};

/** Feeds as they were read before and after an import. */
export interface Matches {
  readonly before: GateMatch;
  readonly after: GateMatch;
}

/** Creates the preview of the gate of scans for a dry run: releases whose result the feeds of a kit would change. */
export const createGatePreview =
  ({ database, releases, gate }: PreviewDeps) =>
  async (caller: Who, rule: string) => {
    const { tenant } = caller;
    expectRule(gate, rule);
    const listed = await database.read(tenant, (query) => releases.listGated(query, tenant, MOST_RELEASES + 1));
    const chosen = bounded(listed);
    const images = [...new Set(chosen.flatMap((release) => release.images.map(({ digest }) => digest)))];
    const { unread, read } = await gate.open(caller, { rule, images });
    const evaluated = chosen.filter((release) => !release.images.some(({ digest }) => unread.has(digest)));
    return {
      read,
      /** Matches and compares what was read, once the transaction has ended: readers of events wait for it. */
      async end(matches: Matches): Promise<KitGate> {
        const before = await (await matches.before())();
        const after = await (await matches.after())();
        const compared = compare(evaluated, before, after);
        return { rule, releases: evaluated.length, isCut: evaluated.length < listed.length, ...compared };
      },
    };
  };

export type GatePreview = ReturnType<typeof createGatePreview>;
