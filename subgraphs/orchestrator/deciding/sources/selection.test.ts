import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nextVersion } from './release-version.ts';
import { buildNumber, expressionProblem, isOlder, type Selection, select } from './selection.ts';

const semver = (range: string, includePrereleases = false): Selection => ({
  kind: 'semver',
  range,
  includePrereleases,
});
const build = (pattern: string): Selection => ({ kind: 'build', pattern });

const part = fc.integer({ min: 0, max: 12 });
const core = fc.tuple(part, part, part).map((parts) => parts.join('.'));
const version = fc
  .tuple(fc.constantFrom('', 'v'), core, fc.constantFrom('', '', '-rc.1', '-rc.2', '-alpha'))
  .map((parts) => parts.join(''));
const noise = fc.constantFrom('latest', 'main', 'sha-0a1b2c', 'v1', '1.2', '1.02.3', 'V1.2.3', 'main-12', 'x-9');
const tags = fc.array(fc.oneof(version, noise), { maxLength: 40 });
const rules = fc.constantFrom(
  semver('^1.2'),
  semver('>=1.0.0 <3', true),
  semver('~2.1.0'),
  semver('*'),
  build('main-{build}'),
  build('*-{build}'),
  { kind: 'tag', tag: 'latest' } as const,
);

const shuffled = fc.tuple(tags, fc.infiniteStream(fc.nat())).map(([list, keys]): [string[], string[]] => [
  list,
  list
    .map((tag) => ({ tag, key: keys.next().value ?? 0 }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ tag }) => tag),
]);

test('the order of the list does not change what is selected', () => {
  fc.assert(
    fc.property(rules, shuffled, (rule, [list, other]) => assert.deepEqual(select(rule, list), select(rule, other))),
  );
});

/** Compares versions of three numbers without a library. */
const compareCores = (a: string, b: string): number => {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  for (let index = 0; index < 3; index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
};

test('of released versions the highest of the range is selected, as a reference finds it', () => {
  fc.assert(
    fc.property(fc.array(core, { maxLength: 30 }), part, (list, major) => {
      const inner = list.filter((each) => Number(each.split('.')[0]) === major).toSorted(compareCores);
      const answer = select(semver(`${major}.x`), list);
      const best = inner.at(-1);
      if (best === undefined) assert.ok('reason' in answer);
      else assert.deepEqual(answer, { tag: best, order: best });
    }),
  );
});

test('another tag is selected only when it is higher', () => {
  fc.assert(
    fc.property(rules, tags, version, (rule, list, added) => {
      const [before, after] = [select(rule, list), select(rule, [...list, added])];
      if ('reason' in before || 'reason' in after) return;
      assert.equal(isOlder(rule, after.order, before.order), false);
      if (after.tag !== before.tag) assert.equal(after.tag, added);
    }),
  );
});

test('a selected tag is one of the list', () => {
  fc.assert(
    fc.property(rules, tags, (rule, list) => {
      const answer = select(rule, list);
      if (rule.kind !== 'tag' && !('reason' in answer)) assert.ok(list.includes(answer.tag));
    }),
  );
});

test('prereleases are selected only when they are asked for', () => {
  const list = ['1.2.0', '1.3.0-rc.1', 'v1.2.5'];
  assert.deepEqual(select(semver('^1.0'), list), { tag: 'v1.2.5', order: '1.2.5' });
  assert.deepEqual(select(semver('^1.0', true), list), { tag: '1.3.0-rc.1', order: '1.3.0-rc.1' });
  assert.deepEqual(select(semver('^1.3.0-rc.0'), list), { tag: '1.3.0-rc.1', order: '1.3.0-rc.1' });
});

test('a tag with and one without v are the same version, and the one without is selected', () => {
  assert.deepEqual(select(semver('*'), ['v1.0.0', '1.0.0']), { tag: '1.0.0', order: '1.0.0' });
});

test('the reason of no selection says what there is', () => {
  assert.deepEqual(select(semver('^3'), ['1.0.0', '2.1.0', 'latest']), {
    reason: 'None of 2 versions is in ^3; the highest is 2.1.0.',
  });
  assert.deepEqual(select(semver('^3'), ['latest']), { reason: 'None of 1 tags is a semantic version.' });
  assert.deepEqual(select(build('main-{build}'), ['latest']), { reason: 'None of 1 tags matches main-{build}.' });
});

test('the highest build number is selected, compared as a number', () => {
  const list = ['main-9', 'main-10', 'main-0010', 'dev-99', 'main-11-arm', 'main-184467440737095516160'];
  assert.deepEqual(select(build('main-{build}'), list.slice(0, 5)), { tag: 'main-0010', order: '10' });
  assert.deepEqual(select(build('main-{build}'), list), {
    tag: 'main-184467440737095516160',
    order: '184467440737095516160',
  });
  assert.deepEqual(select(build('main-{build}-*'), list), { tag: 'main-11-arm', order: '11' });
});

test('a build number is a whole number at its place', () => {
  assert.equal(buildNumber('main-*-{build}', 'main-2026-17'), 17n);
  assert.equal(buildNumber('{build}', '17'), 17n);
  assert.equal(buildNumber('{build}', '17a'), undefined);
  assert.equal(buildNumber('1{build}', '123'), undefined);
  assert.equal(buildNumber('*-{build}*', 'a-1-2'), 2n);
});

test('a pattern of wildcards is matched in linear time, whatever the tags are', () => {
  const hostile = Array.from({ length: 10_000 }, (_, index) => `${'a1'.repeat(60)}${index}`);
  assert.deepEqual(select(build('*a*a*a*b{build}'), hostile), {
    reason: 'None of 10000 tags matches *a*a*a*b{build}.',
  });
});

test('an expression that is none is named', () => {
  assert.equal(expressionProblem(semver('^1.2 || >=3')), undefined);
  assert.match(expressionProblem(semver('one')) ?? '', /no range/);
  assert.match(expressionProblem(semver(' ')) ?? '', /no range/);
  assert.equal(expressionProblem(build('main-*-{build}')), undefined);
  assert.match(expressionProblem(build('main-*')) ?? '', /\{build\} once/);
  assert.match(expressionProblem(build('{build}-{build}')) ?? '', /once/);
  assert.match(expressionProblem(build('(a+)+{build}')) ?? '', /may have letters/);
  assert.match(expressionProblem(build('*****{build}')) ?? '', /at most 4/);
  assert.equal(expressionProblem({ kind: 'tag', tag: 'stable' }), undefined);
  assert.match(expressionProblem({ kind: 'tag', tag: '-x' }) ?? '', /no tag/);
});

test('a version is never given twice', () => {
  const versions = fc.array(core, { maxLength: 8 });
  fc.assert(
    fc.property(fc.constantFrom('image', 'counter'), versions, versions, (scheme, images, before) => {
      const versions = [...before];
      for (let i = 0; i < 4; i++) {
        const next = nextVersion({ scheme, images, taken: versions });
        assert.ok(!versions.includes(next));
        versions.push(next);
      }
    }),
  );
});

test('the version is the highest image version, then that with a build number', () => {
  const images = ['1.4.0', '1.3.9'];
  assert.equal(nextVersion({ scheme: 'image', images, taken: ['1.3.9'] }), '1.4.0');
  assert.equal(nextVersion({ scheme: 'image', images, taken: ['1.4.0'] }), '1.4.0+2');
  assert.equal(nextVersion({ scheme: 'image', images, taken: ['1.4.0', '1.4.0+2'] }), '1.4.0+3');
});

test('a counter goes on from the highest release', () => {
  assert.equal(nextVersion({ scheme: 'counter', images: ['9.0.0'], taken: [] }), '0.1.0');
  assert.equal(nextVersion({ scheme: 'counter', images: [], taken: ['1.9.0', '1.10.0'] }), '1.10.1');
  assert.equal(nextVersion({ scheme: 'image', images: [], taken: ['2.0.0-rc.1'] }), '2.0.0');
});
