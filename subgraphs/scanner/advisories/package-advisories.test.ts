import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { semverOrder as order } from '../packages/semver-order.ts';
import { readOsvRecord } from './osv-reader.ts';
import { affects, compilePackage } from './package-advisories.ts';

type Event = Readonly<Partial<Record<'introduced' | 'fixed' | 'last_affected' | 'limit', string>>>;

const gate = { ecosystem: 'npm', packageName: 'gate', order };

const entryOf = (events: readonly Event[], more: object = {}) => ({
  package: { ecosystem: 'npm', name: 'gate' },
  ranges: [{ type: 'SEMVER', events }],
  ...more,
});

const recordOf = (affected: readonly object[], more: object = {}) =>
  readOsvRecord({ id: 'X-1', modified: '2026-01-01T00:00:00Z', affected, ...more }).record;

const verdictAt = (version: string, ...affected: readonly object[]) =>
  affects(recordOf(affected), { ...gate, version });

const isAffected = (version: string, events: readonly Event[]): boolean =>
  verdictAt(version, entryOf(events))?.isAffected ?? false;

test('a range includes introduced and last_affected, and excludes fixed', () => {
  const fixed = [{ introduced: '1.0.0' }, { fixed: '1.2.0' }];
  assert.deepEqual(
    ['0.9.0', '1.0.0', '1.2.0-rc.1', '1.2.0'].map((version) => isAffected(version, fixed)),
    [false, true, true, false],
  );
  const last = [{ introduced: '0' }, { last_affected: '1.2.0' }];
  assert.deepEqual(
    ['0.0.0-0', '1.2.0', '1.2.1'].map((version) => isAffected(version, last)),
    [true, true, false],
  );
});

test('a range with limits ends at the highest of them', () => {
  const events = [{ introduced: '0' }, { limit: '1.0.0' }, { limit: '2.0.0' }];
  assert.deepEqual(
    ['1.5.0', '2.0.0'].map((version) => isAffected(version, events)),
    [true, false],
  );
  assert.ok(isAffected('9.0.0', [...events, { limit: '*' }]));
});

/** The pseudocode of the OSV schema, over whole numbers. */
const naive = (version: number, events: readonly (readonly [kind: string, at: number])[]): boolean => {
  const limits = events.filter(([kind]) => kind === 'limit');
  if (limits.length > 0 && !limits.some(([, at]) => version < at)) return false;
  let isVulnerable = false;
  for (const [kind, at] of events.toSorted(([, a], [, b]) => a - b))
    if (kind === 'introduced' && version >= at) isVulnerable = true;
    else if (kind === 'fixed' && version >= at) isVulnerable = false;
    else if (kind === 'last_affected' && version > at) isVulnerable = false;
  return isVulnerable;
};

test('evaluation agrees with the pseudocode of the schema for any events in any order', () => {
  const event = fc.tuple(
    fc.constantFrom('introduced', 'fixed', 'last_affected', 'limit'),
    fc.integer({ min: 1, max: 9 }),
  );
  const events = fc.array(event, { maxLength: 8 }).map((more) => [['introduced', 2] as const, ...more]);
  fc.assert(
    fc.property(events, fc.integer({ min: 0, max: 10 }), (written, version) => {
      const record = written.map(([kind, at]) => ({ [kind]: `${at}.0.0` }));
      assert.equal(isAffected(`${version}.0.0`, record), naive(version, written));
    }),
    { numRuns: 2_000 },
  );
});

test('fixed versions are those that follow in the ranges with the version', () => {
  const branches = [{ introduced: '1.0.0' }, { fixed: '1.2.0' }, { introduced: '2.0.0' }, { fixed: '2.3.0' }];
  assert.deepEqual(verdictAt('1.1.0', entryOf(branches))?.fixedVersions, ['1.2.0']);
  assert.deepEqual(verdictAt('2.0.0', entryOf(branches))?.fixedVersions, ['2.3.0']);
  assert.deepEqual(verdictAt('1.1.0', entryOf([{ introduced: '0' }]))?.fixedVersions, []);
});

test('a listed version counts in every spelling of its ecosystem', () => {
  const listed = { package: { ecosystem: 'npm', name: 'gate' }, versions: ['1.0.0+linux', 'nightly'] };
  assert.ok(verdictAt('1.0.0+linux', listed)?.isAffected);
  assert.ok(verdictAt('nightly', listed)?.isAffected);
  assert.equal(verdictAt('1.0.1', listed), undefined);
});

test('a version or bound that the ecosystem cannot read is reported, never guessed', () => {
  const { isAffected: affected, isConclusive, badVersions } = verdictAt('latest', entryOf([{ introduced: '0' }])) ?? {};
  assert.deepEqual([affected, isConclusive, badVersions], [false, false, ['latest']]);
  const bound = verdictAt('1.0.0', entryOf([{ introduced: '0' }, { fixed: 'next' }]));
  assert.deepEqual([bound?.isAffected, bound?.isConclusive, bound?.badVersions], [false, false, ['next']]);
});

test('ranges of commits are not evaluated for versions', () => {
  const events = [{ introduced: '0' }];
  const git = { ...entryOf([]), ranges: [{ type: 'GIT', repo: 'https://gate.example', events }] };
  assert.deepEqual([verdictAt('1.0.0', git)?.isAffected, verdictAt('1.0.0', git)?.isConclusive], [false, false]);
  assert.equal(verdictAt('1.0.0', { ...git, versions: ['2.0.0'] }), undefined);
});

test('a withdrawn record and one about another package affect nothing', () => {
  const everything = [entryOf([{ introduced: '0' }])];
  assert.equal(
    affects(recordOf(everything, { withdrawn: '2026-01-02T00:00:00Z' }), { ...gate, version: '1.0.0' }),
    undefined,
  );
  assert.equal(affects(recordOf(everything), { ...gate, packageName: 'fence', version: '1.0.0' }), undefined);
  assert.equal(affects(recordOf(everything), { ...gate, ecosystem: 'PyPI', version: '1.0.0' }), undefined);
});

test('an entry without a release is about all releases, one with a release about that alone', () => {
  const of = (ecosystem: string) =>
    recordOf([
      { package: { ecosystem, name: 'gate' }, ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }] }] },
    ]);
  const alma = { ...gate, ecosystem: 'AlmaLinux:9', version: '1.0.0' };
  assert.deepEqual(
    ['AlmaLinux', 'AlmaLinux:9', 'AlmaLinux:8', 'Alma'].map((name) => affects(of(name), alma)?.isAffected ?? false),
    [true, true, false, false],
  );
});

test('custom ranges of Go narrow its ranges for release versions, not for commits', () => {
  const custom = { custom_ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '2.3.3' }] }] };
  const entry = entryOf([{ introduced: '0' }], { ecosystem_specific: custom });
  assert.deepEqual(verdictAt('2.3.2', entry)?.fixedVersions, ['2.3.3']);
  assert.equal(verdictAt('2.3.3', entry), undefined);
  assert.ok(verdictAt('9.0.0-20260102030405-0123456789ab', entry)?.isAffected);
});

test('the lowest clean version is the first fixed version that no record affects', () => {
  const first = recordOf([entryOf([{ introduced: '0' }, { fixed: '1.2.0' }])]);
  const second = recordOf([entryOf([{ introduced: '1.1.0' }, { fixed: '1.10.0' }])]);
  const clean = (version: string) => compilePackage([second, first], gate).lowestCleanVersion(version);
  assert.deepEqual(
    [clean('1.0.0'), clean('1.9.0'), clean('1.10.0'), clean('latest')],
    ['1.10.0', '1.10.0', null, null],
  );
  const unfixed = recordOf([entryOf([{ introduced: '1.5.0' }])]);
  assert.equal(compilePackage([first, unfixed], gate).lowestCleanVersion('1.0.0'), '1.2.0');
  assert.equal(compilePackage([first, second, unfixed], gate).lowestCleanVersion('1.0.0'), null);
});

test('a package with a thousand advisories answers for every one of them in a moment', () => {
  const records = Array.from({ length: 1_000 }, (_, at) =>
    recordOf([entryOf([{ introduced: '0' }, { fixed: `1.${at}.0` }]), entryOf([{ introduced: '2.0.0' }])]),
  );
  const { verdicts, lowestCleanVersion } = compilePackage(records, gate);
  const started = process.cpuUsage();
  const clean = verdicts('0.9.0').map(() => lowestCleanVersion('0.9.0'));
  assert.deepEqual([clean.length, new Set(clean)], [1_000, new Set(['1.999.0'])]);
  assert.ok(process.cpuUsage(started).user < 5_000_000);
});
