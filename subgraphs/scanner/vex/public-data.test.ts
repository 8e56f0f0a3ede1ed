import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { readPublicData } from '@landfall/kernel/testing/public-data';
import { importRecords } from '../testing/feeds.ts';
import { vexApp } from '../testing/vex.ts';

/** JSON files of the archive of VEX documents; skips the test where it is absent. */
const filesOf = (t: TestContext): readonly (readonly [path: string, text: string])[] => {
  const files = readPublicData('vex');
  if (!files) t.skip('the public test data is not beside the repository');
  return [...(files ?? [])].filter(([path]) => path.endsWith('.json'));
};

test('the VEX documents that projects publish are imported, or refused with a reason, and are listed', async (t) => {
  const files = filesOf(t);
  if (files.length === 0) return;
  await using app = await vexApp();
  const { id } = await app.source('public');
  let [imported, refused, statements] = [0, 0, 0];
  for (const [path, text] of files)
    try {
      const { document, isNew } = await app.import('public', text);
      if (isNew) imported += 1;
      statements += isNew ? document.statementCount : 0;
    } catch (error) {
      assert.ok(error instanceof Fault && error.status === 400, `${path}: ${String(error)}`);
      refused += 1;
    }
  const { items } = await app.module.vexDocuments.list(app.who, { sourceId: id, first: 200 });
  assert.equal(items.length, imported);
  assert.ok(imported > 50 && refused > 10 && statements > 100, `${imported} ${refused} ${statements}`);
});

const STATEMENT = { id: 'CVE-2020-8911', product: 'pkg:golang/github.com/rancher/confd' };
const COMPONENT = { name: 'github.com/aws/aws-sdk-go', version: 'v1.34.0' };

/** Bill of a program that has the component of the statement. */
const bomOf = (program: string): string =>
  JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: { component: { type: 'application', name: program, purl: program } },
    components: [{ type: 'library', ...COMPONENT, purl: `pkg:golang/${COMPONENT.name}@${COMPONENT.version}` }],
  });

test('a statement of a public hub rules the finding of its component in its product, and in no other', async (t) => {
  const text = filesOf(t).find(([path]) => path.endsWith('rancher/confd/scan.openvex.json'))?.[1];
  if (text === undefined) return;
  await using app = await vexApp();
  const affected = [{ package: { ecosystem: 'Go', name: COMPONENT.name }, versions: ['1.34.0'] }];
  await importRecords(app.deps, [{ id: STATEMENT.id, modified: '2026-01-01T00:00:00Z', affected }]);
  await app.source('hub');
  await app.import('hub', text);
  const statusIn = async (program: string) => {
    const [finding] = await app.findings(await app.scan(bomOf(program), {}));
    return [finding?.vulnId, finding?.vex, finding?.vexStatement?.justification];
  };
  assert.deepEqual(await statusIn(STATEMENT.product), [STATEMENT.id, 'NOT_AFFECTED', 'vulnerable_code_not_present']);
  assert.deepEqual(await statusIn('pkg:golang/github.com/rancher/other'), [STATEMENT.id, 'NONE', undefined]);
});
