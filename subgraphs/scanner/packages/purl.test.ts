import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPublicData } from '@landfall/kernel/testing/public-data';
import fc from 'fast-check';
import { canonicalPurl, componentKey, formatPurl, type Purl, PurlError, parsePurl } from './purl.ts';

interface Components {
  readonly type: string | null;
  readonly namespace: string | null;
  readonly name: string | null;
  readonly version: string | null;
  readonly qualifiers: Readonly<Record<string, string>> | null;
  readonly subpath: string | null;
}

interface Case {
  readonly test_group: 'required' | 'recommended';
  readonly test_type: 'parse' | 'build' | 'validate';
  readonly input: string | Components;
  readonly expected_output?: string | Components | null;
  readonly expected_failure: boolean;
}

const orRefusal = <T>(answer: () => T): T | PurlError => {
  try {
    return answer();
  } catch (error) {
    if (error instanceof PurlError) return error;
    throw error;
  }
};

const reasonOf = (text: string): string | undefined => {
  const answer = orRefusal(() => parsePurl(text));
  return answer instanceof PurlError ? answer.reason : undefined;
};

const componentsOf = (purl: Purl): Components => ({
  ...purl,
  qualifiers: Object.keys(purl.qualifiers).length > 0 ? purl.qualifiers : null,
});

const run = ({ test_type, input }: Case): string | Components => {
  if (typeof input !== 'string') {
    return formatPurl({ ...input, type: input.type ?? '', name: input.name ?? '', qualifiers: input.qualifiers ?? {} });
  }
  return test_type === 'parse' ? componentsOf(parsePurl(input)) : canonicalPurl(input);
};

test('every case of the public purl-spec suite passes, required and recommended', (t) => {
  const files = readPublicData('purl-tests');
  if (!files) return t.skip('the public purl-spec suite is not beside the repository');
  const suites: { tests: Case[] }[] = [...files].flatMap(([path, text]) =>
    /\/tests\/.*\.json$/.test(path) ? [JSON.parse(text)] : [],
  );
  const counts = { required: 0, recommended: 0 };
  for (const each of suites.flatMap(({ tests }) => tests)) {
    const answer = orRefusal(() => run(each));
    if (each.expected_failure) assert.ok(answer instanceof PurlError, JSON.stringify(each));
    else assert.deepEqual(answer, each.expected_output, JSON.stringify(each.input));
    counts[each.test_group] += 1;
  }
  t.diagnostic(`purl-spec: ${counts.required} required and ${counts.recommended} recommended cases pass`);
  assert.deepEqual(counts, { required: 521, recommended: 65 });
});

test('a canonical package URL has a lower-case type, sorted qualifiers and a colon that is not encoded', () => {
  assert.equal(
    canonicalPurl('PKG://Deb/Debian/Attr@1:2.4-2%2Bb1?upstream=&distro=debian-12&arch=amd64#/./a//../b/'),
    'pkg:deb/debian/attr@1:2.4-2%2Bb1?arch=amd64&distro=debian-12#a/b',
  );
});

test('names are folded where their type ignores case, and left alone elsewhere', () => {
  assert.equal(canonicalPurl('pkg:pypi/Zope.Interface_x@1.0'), 'pkg:pypi/zope-interface-x@1.0');
  assert.equal(canonicalPurl('pkg:nuget/Newtonsoft.Json@13.0.1'), 'pkg:nuget/Newtonsoft.Json@13.0.1');
});

test('a URL in a qualifier may have a question mark that is not encoded', () => {
  const purl = parsePurl('pkg:generic/tool@1?download_url=https://example.com/get?id=3');
  assert.equal(purl.version, '1');
  assert.deepEqual(purl.qualifiers, { download_url: 'https://example.com/get?id=3' });
});

test('a scope is no version, whether its sign is encoded or not', () => {
  assert.deepEqual(parsePurl('pkg:npm/@babel/core@7.1.0'), parsePurl('pkg:npm/%40babel/core@7.1.0'));
  assert.equal(parsePurl('pkg:npm/@babel/core').version, null);
});

test('a refusal names the component that is wrong', () => {
  assert.equal(reasonOf('npm/qs@6.5.2'), 'scheme');
  assert.equal(reasonOf('pkg:n&pm/qs'), 'type');
  assert.equal(reasonOf('pkg:npm/'), 'name');
  assert.equal(reasonOf('pkg:pypi/a/b@1'), 'namespace');
  assert.equal(reasonOf('pkg:npm/qs@%zz'), 'encoding');
  assert.equal(reasonOf('pkg:npm/qs@%ff'), 'encoding');
  assert.equal(reasonOf('pkg:npm/q%00s'), 'encoding');
  assert.equal(reasonOf('pkg:npm/q\0s'), 'encoding');
  assert.equal(reasonOf('pkg:npm/qs@\ud800'), 'encoding');
  assert.equal(reasonOf('pkg:npm/qs?a=1&a=2'), 'qualifier');
  assert.equal(reasonOf('pkg:npm/qs#a%2Fb'), 'subpath');
  assert.equal(reasonOf(`pkg:npm/${'a'.repeat(9000)}`), 'length');
});

test('the component key has only qualifiers that identify the component', () => {
  assert.equal(
    componentKey(parsePurl('pkg:deb/debian/libc6@2.36-9?arch=amd64&distro=debian-12&upstream=glibc')),
    'pkg:deb/debian/libc6@2.36-9?arch=amd64',
  );
  assert.equal(
    componentKey(parsePurl('pkg:npm/qs@6.5.2?repository_url=https://npm.example.com')),
    'pkg:npm/qs@6.5.2?repository_url=https:%2F%2Fnpm.example.com',
  );
});

test('any text is refused with a reason, or its canonical spelling is canonical again', () => {
  const special = fc.constantFrom('@', '/', '?', '#', '&', '=', '%', '%2F', '%40', 'a', '..', '\ud800');
  const parts = fc.array(fc.oneof(fc.string({ unit: 'binary' }), special), { maxLength: 8 });
  const type = fc.constantFrom('npm', 'git', 'pypi', 'golang', 'mlflow', 'julia', 'x');
  fc.assert(
    fc.property(type, parts, (first, rest) => {
      const canonical = orRefusal(() => canonicalPurl(`pkg:${first}/${rest.join('')}`));
      if (canonical instanceof PurlError) return;
      assert.equal(canonicalPurl(canonical), canonical);
      assert.equal(formatPurl(parsePurl(canonical)), canonical);
    }),
    { numRuns: 500 },
  );
});
