import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOT_AFFECTED, triageApp } from '@landfall/scanner/testing/triage';
import { scannerRoutes } from './scanner.ts';

const vexOf = async (origin: string, scanId: string) => {
  const headers = { 'x-test-person': 'scan-operator' };
  const response = await fetch(`${origin}/api/v1/scans/${scanId}/vex`, { headers });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
};

test('a scan’s triage decisions are an OpenVEX document, with the same bytes over REST and GraphQL and at each request', async () => {
  await using app = await triageApp({ routes: scannerRoutes });
  const scanId = await app.scan('wall', `sha256:${'a'.repeat(64)}`);
  const undecided = await vexOf(app.origin, scanId);
  assert.deepEqual([undecided.status, JSON.parse(undecided.text).code], [404, 'RES_NOT_FOUND']);
  assert.equal((await app.show(scanId)).openVex, null);
  await app.decide();
  const { status, type, text } = await vexOf(app.origin, scanId);
  assert.deepEqual([status, type], [200, 'application/json; charset=utf-8']);
  assert.equal((await app.show(scanId)).openVex, text);
  assert.equal((await vexOf(app.origin, scanId)).text, text);
  const [statement] = JSON.parse(text).statements;
  assert.partialDeepStrictEqual(statement, {
    vulnerability: { name: 'CVE-2026-1000' },
    status: 'not_affected',
    justification: NOT_AFFECTED.justification,
    status_notes: NOT_AFFECTED.reason,
  });
  assert.deepEqual(statement.products[0].subcomponents, [{ '@id': 'pkg:npm/gate@1.1.0' }]);
});

test('the document is imported again as VEX, and gives the next freeze of the scan the status of the decision', async () => {
  await using app = await triageApp({ routes: scannerRoutes });
  const scanId = await app.scan('wall', `sha256:${'a'.repeat(64)}`);
  await app.decide();
  const { text } = await vexOf(app.origin, scanId);
  await app.module.vexSources.create(app.who, { name: 'own', rank: 1, trust: 'trusted' });
  const { document } = await app.module.vexDocuments.import(app.who, { source: 'own', document: text });
  assert.deepEqual([document.statementCount, document.problems], [1, []]);
  assert.equal(await app.module.rescoreScans(), 1);
  const [finding] = await app.findingsOf(scanId);
  assert.deepEqual([finding?.vex, finding?.score], ['NOT_AFFECTED', 0]);
});
