import assert from 'node:assert/strict';
import { test } from 'node:test';
import { people } from '@landfall/kernel/testing/callers';
import { bodyOf } from '../testing/bom.ts';
import { importRecords } from '../testing/feeds.ts';
import { osvRecord } from '../testing/osv.ts';
import { scannerApp } from '../testing/scanner-app.ts';

const who = people['scan-operator'];

const QUERY = `query ($id: ID!, $first: Int, $after: Cursor, $conclusive: Boolean) {
  scan(id: $id) {
    coverage { components evaluated inconclusive }
    components(first: $first, after: $after, conclusive: $conclusive) {
      edges { node { name version purl ecosystem outcome inconclusive } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

/** A scan of four components, for one of which an advisory names only commits. */
const scannedApp = async () => {
  const app = await scannerApp();
  const { scans, runScans } = app.module;
  const commits = [{ type: 'GIT', repo: 'https://example.com/gate', events: [{ introduced: '0' }] }];
  await importRecords(app.deps, [
    osvRecord('X-1', 'gate', { affected: [{ package: { ecosystem: 'npm', name: 'gate' }, ranges: commits }] }),
    osvRecord('X-2', 'fence'),
  ]);
  const components = [
    { name: 'fence', version: '2.0.0', purl: 'pkg:npm/fence@2.0.0' },
    { name: 'gate', version: '1.1.0', purl: 'pkg:npm/gate@1.1.0' },
    { name: 'moat' },
    { name: 'wall', version: 'latest', purl: 'pkg:npm/wall@latest' },
  ].map((component) => ({ type: 'library', ...component }));
  const bom = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', components });
  const { digest } = await scans.receive(who, bodyOf(bom));
  const { scan } = await scans.create(who, { sbomDigest: digest });
  await runScans();
  const ask = async (variables: object = {}, as = who) => {
    const { data, errors } = await app.graph(QUERY, { id: scan.id, ...variables }, { as });
    return { scan: JSON.parse(JSON.stringify(data?.scan ?? null)), code: errors?.[0]?.extensions?.code };
  };
  const namesOf = async (variables: object): Promise<string[]> => {
    const { edges } = (await ask(variables)).scan.components;
    return edges.map(({ node }: { node: { name: string } }) => node.name);
  };
  return { ...app, ask, namesOf };
};

test('a component of which an advisory could not be evaluated is counted and listed with the advisory', async () => {
  await using app = await scannedApp();
  const { scan } = await app.ask({ conclusive: false });
  assert.deepEqual(scan.coverage, { components: 4, evaluated: 2, inconclusive: 1 });
  const [gate, ...others] = scan.components.edges.map(({ node }: { node: object }) => node);
  assert.deepEqual(gate, {
    name: 'gate',
    version: '1.1.0',
    purl: 'pkg:npm/gate@1.1.0',
    ecosystem: 'npm',
    outcome: 'EVALUATED',
    inconclusive: ['X-1'],
  });
  assert.deepEqual(
    others.map(({ name, outcome }: { name: string; outcome: string }) => [name, outcome]),
    [
      ['moat', 'NO_PURL'],
      ['wall', 'BAD_VERSION'],
    ],
  );
});

test('components are listed in the order of the bill, page by page, all or by whether they were evaluated', async () => {
  await using app = await scannedApp();
  assert.deepEqual(await app.namesOf({}), ['fence', 'gate', 'moat', 'wall']);
  assert.deepEqual(await app.namesOf({ conclusive: true }), ['fence']);
  const { pageInfo } = (await app.ask({ first: 3 })).scan.components;
  assert.equal(pageInfo.hasNextPage, true);
  assert.deepEqual(await app.namesOf({ first: 3, after: pageInfo.endCursor }), ['wall']);
});

test('a cursor of another list is refused, and another tenant sees no scan', async () => {
  await using app = await scannedApp();
  assert.equal((await app.ask({ after: 'eA' })).code, 'VAL_INVALID_FORMAT');
  assert.deepEqual(await app.ask({}, people['other-scan-operator']), { scan: null, code: 'RES_NOT_FOUND' });
});
