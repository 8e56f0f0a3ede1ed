import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPublicData } from '@landfall/kernel/testing/public-data';
import fc from 'fast-check';
import { versionOrderOf } from './ecosystem.ts';
import type { VersionOrder } from './version-order.ts';

/** Ecosystems of the public comparison tables. */
const TABLES = new Map([
  ['alpine', 'Alpine'],
  ['cran', 'CRAN'],
  ['debian', 'Debian'],
  ['hackage', 'Hackage'],
  ['maven', 'Maven'],
  ['nuget', 'NuGet'],
  ['packagist', 'Packagist'],
  ['pub', 'Pub'],
  ['pypi', 'PyPI'],
  ['redhat', 'Red Hat'],
  ['rubygems', 'RubyGems'],
  ['semver', 'npm'],
]);

/** Lines that the published rules contradict, with the rule. */
const CONTRADICTED = new Set([
  // Maven 3.9 compares qualifiers alike after a dot and after a hyphen.
  '1.0.0-gradle-rework-beta3 < 1.0.0.RC7-3',
  '6.1.12.rc5 < 6.1.12rc1',
  // Composer fills a version up to four numbers, and ignores the case of words.
  'v3.4 < v3.4.0-alpha',
  'v6.5 < v6.5.0-beta-0',
  'v6.6 < v6.6.0-beta',
  'v1.9.0-ALPHA.1 = v1.9.0-BETA.1',
  'v1.9.0-BETA.1 < v1.9.0-ALPHA.2',
  'v1.9.0-ALPHA.2 = v1.9.0-BETA.2',
  // A number sign is no part of a version.
  '1.2.3.# = 1.2.3.1',
]);

const orderOf = (ecosystem: string): VersionOrder => {
  const order = versionOrderOf(ecosystem);
  assert.ok(order, ecosystem);
  return order;
};

const ORDERS = [...TABLES.values(), 'Go'].map(orderOf);

const operatorOf = (order: VersionOrder, a: string, b: string): string => {
  const sign = order.compare(a, b);
  return sign < 0 ? '<' : sign > 0 ? '>' : '=';
};

/** Versions from the lowest to the highest. */
const assertAscending = (ecosystem: string, ...versions: readonly string[]): void => {
  const order = orderOf(ecosystem);
  versions.forEach((version, index) => {
    assert.ok(order.isVersion(version), version);
    const next = versions[index + 1];
    if (next !== undefined) assert.equal(operatorOf(order, version, next), '<', `${ecosystem} ${version} ${next}`);
  });
};

const assertEqual = (ecosystem: string, ...versions: readonly string[]): void => {
  for (const version of versions) assert.equal(orderOf(ecosystem).compare(versions[0] ?? '', version), 0, version);
};

const assertNoVersions = (ecosystem: string, ...texts: readonly string[]): void => {
  for (const text of texts) assert.ok(!orderOf(ecosystem).isVersion(text), `${ecosystem} ${text}`);
};

test('the public comparison tables hold, but for lines that the published rules contradict', (t) => {
  const files = readPublicData('version-order');
  if (!files) return t.skip('the public comparison tables are not beside the repository');
  for (const [table, ecosystem] of TABLES) {
    const order = orderOf(ecosystem);
    const lines: string[] = [...files].flatMap(([path, text]) =>
      path.includes(`/${table}-versions`) ? text.split('\n') : [],
    );
    const wrong = lines.filter((line) => {
      const [a = '', operator, b] = line.split(' ');
      return b !== undefined && operatorOf(order, a, b) !== operator;
    });
    const count = lines.filter((line) => line !== '').length;
    t.diagnostic(`${table}: ${count - wrong.length} of ${count} lines`);
    assert.deepEqual(
      wrong.filter((line) => !CONTRADICTED.has(line)),
      [],
    );
  }
});

test('Semantic Versioning: numbers of any size, pre-releases below the release, metadata without effect', () => {
  assertAscending(
    'npm',
    '0.9.9',
    '1.0.0-1',
    '1.0.0-alpha',
    '1.0.0-alpha.2',
    '1.0.0-alpha.10',
    '1.0.0-alpha.b',
    '1.0.0',
  );
  assertAscending('npm', '9007199254740993.0.0', '9007199254740994.0.0');
  assertEqual('crates.io', '1.0.0', 'v1.0.0', '1.0.0+build');
  assertNoVersions('npm', '', '1.0.0-', '1.0.0-a..b', '1.2.3.4', 'latest', '^1.0.0', '1.x', '1.0.0 ');
});

test('Go: pseudo-versions, incompatible versions and toolchains', () => {
  assertAscending(
    'Go',
    'v0.0.0-20190101000000-aaaaaaaaaaaa',
    'v0.0.1-0.20190101000000-bbbbbbbbbbbb',
    'v0.0.1',
    'v2.0.0+incompatible',
  );
  assertAscending('Go', 'go1.20.3', 'go1.21rc2', 'go1.21', 'go1.21.1', '1.21.2');
  assertEqual('Go', 'go1.21rc2', '1.21.0-rc.2');
  assertNoVersions('Go', '(devel)', 'unknown', 'go1.x');
});

test('Pub, NuGet, CRAN and Hackage', () => {
  assertAscending('Pub', '1.2.3-a', '1.2.3', '1.2.3+1', '1.2.3+a');
  assertAscending('NuGet', '1.0.0-alpha', '1.0.0-BETA', '1.0.0', '1.0.0.1');
  assertEqual('NuGet', '1.0', '1.0.0.0', '1.0.0+meta');
  assertAscending('CRAN', '0.9', '0.75', '1.0', '1.0-1', '1.1');
  assertAscending('Hackage', '1.0', '1.0.0', '1.2');
  assertNoVersions('Hackage', '1.0-1', '', 'a');
});

test('PyPI: development releases, pre-releases, post-releases, local versions and epochs', () => {
  assertAscending(
    'PyPI',
    '1.0.dev1',
    '1.0a1.dev2',
    '1.0a1',
    '1.0b2',
    '1.0rc1',
    '1.0',
    '1.0+a',
    '1.0+1',
    '1.0.post1',
    '1.1',
    '1!0.1',
  );
  assertEqual('PyPI', '1.0', 'v1', '1.0.0', ' 1.0 ');
  assertEqual('PyPI', '1.0-preview_4', '1.0rc4', '1.0.c.4');
  assertNoVersions('PyPI', '1.0-final-x', 'trunk', '2004d', '');
});

test('RubyGems: letters below numbers, zeros at the end without effect', () => {
  assertAscending('RubyGems', '1.0.a', '1.0.a.1', '1.0.b', '1.0', '1.0.1', '1.10');
  assertAscending('RubyGems', '1.a.b', '1.a.0.b', '1.a', '1.a.0.1');
  assertEqual('RubyGems', '1', '1.0.0', '1.0');
  assertEqual('RubyGems', '1.0-rc1', '1.0.pre.rc1');
  assertNoVersions('RubyGems', '', '1..0', 'a.1', '1.0_1');
});

test('Debian: tilde below the end, letters below other characters, epoch and revision', () => {
  assertAscending('Debian', '1.0~rc1-1', '1.0-1', '1.0-1+b1', '1.0-1.1', '1.0a-1', '1.0+a-1', '1.0.1-1', '1:0.1-1');
  assertEqual('Debian', '1.0', '0:1.0', '1.0-0', '1.00');
  assertNoVersions('Debian', '', 'a1.0', '1.0-', 'x:1.0', '1.0_1', '1:2:3');
});

test('RPM: tilde below the end, caret above it, numbers above letters, epoch and release', () => {
  assertAscending('AlmaLinux:9', '1.0~rc1-1', '1.0-1.el9', '1.0^git1-1', '1.0.a-1', '1.0.1-1', '1:0.1-1');
  assertEqual('Rocky Linux:9', '1.0-1', '0:1.0-1', '1_0-1');
  assertNoVersions('Red Hat', '', 'a:1', '1.0 1', '-1', '1-');
});

test('Alpine: leading zeros as text, letters, suffixes and revisions', () => {
  assertAscending(
    'Alpine:v3.18',
    '1.0_alpha1',
    '1.0_rc2',
    '1.0-r0',
    '1.0-r1',
    '1.0_p1',
    '1.0a',
    '1.01',
    '1.010',
    '1.1',
  );
  assertNoVersions('Alpine:v3.18', '', '1.0-1', '1.0_foo1', '1..0', 'v1.0');
});

test('Maven: qualifiers around the release, aliases, zeros that end a group', () => {
  assertAscending('Maven', '1-alpha', '1-beta-1', '1-m2', '1-rc1', '1-SNAPSHOT', '1', '1-sp', '1-jre8', '1-1', '1.1');
  assertEqual('Maven', '1', '1.0.0', '1-ga', '1.0.Final', '1-0');
  assertEqual('Maven', '1a1', '1-alpha-1', '1.0-ALPHA-1');
  assertNoVersions('Maven', '', '1 0', '$revision', '[1.0,2.0)', 'LATEST');
});

test('Packagist: four numbers, stability words and patch levels; a branch is no version', () => {
  assertAscending('Packagist', '1.0-dev', '1.0-alpha', '1.0-alpha1', '1.0b1', '1.0-RC1', '1.0', '1.0-p1', '1.0.1');
  assertEqual('Packagist', '1.0', 'v1.0.0.0', '1.0.0-stable');
  assertNoVersions('Packagist', 'dev-main', '1.x-dev', '', '1.0-foo');
});

/** Texts that are versions or nearly so. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom('1', '0', '10', '01', '.', '-', '~', '^', '+', '_', ':', 'a', 'rc', 'sp', 'v', '\ud800'),
      fc.string(),
    ),
    {
      maxLength: 7,
    },
  )
  .map((parts) => parts.join(''));

test('each order is total: antisymmetric, transitive and the order of its sort keys', () => {
  for (const order of ORDERS) {
    const byOrder = (a: string, b: string): number => order.compare(a, b);
    fc.assert(
      fc.property(texts, texts, texts, (...three) => {
        const [low = '', middle = '', high = ''] = three.toSorted(byOrder);
        assert.ok(order.compare(low, high) <= 0 && order.compare(low, middle) <= 0 && order.compare(middle, high) <= 0);
        assert.equal(order.compare(low, high), 0 - order.compare(high, low));
        assert.equal(order.sortKey(low) < order.sortKey(high), order.compare(low, high) < 0);
      }),
      { numRuns: 150 },
    );
  }
});

test('a text of any length is compared, and one that is too long is no version', () => {
  for (const order of ORDERS) {
    for (const unit of ['1.', '.', '-', '1-', 'a', '_p', '0', '\ud800']) {
      const long = unit.repeat(100_000);
      assert.ok(!order.isVersion(long));
      assert.equal(order.compare(long, long), 0);
      assert.equal(order.compare(unit.repeat(500), unit.repeat(500)), 0);
    }
  }
});
