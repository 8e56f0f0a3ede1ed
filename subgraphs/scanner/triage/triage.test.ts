import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { people } from '@landfall/kernel/testing/callers';
import { NOT_AFFECTED, OTHER_PRODUCT, PRODUCT, TENANT_WIDE, triageApp } from '../testing/triage.ts';

const IMAGE = sha256('image');
const DAY_MS = 86_400_000;
const in30Days = (now: Date): string => new Date(now.getTime() + 30 * DAY_MS).toISOString();

test('a decision suppresses the finding, and changes neither its score nor its frozen VEX status', async () => {
  await using app = await triageApp();
  const scanId = await app.scan('wall', IMAGE);
  const [before] = await app.findingsOf(scanId);
  assert.deepEqual([before?.decision, before?.isSuppressed], [null, false]);
  const decision = await app.decide();
  const [after] = await app.findingsOf(scanId);
  assert.partialDeepStrictEqual(after, {
    score: before?.score,
    vex: 'NONE',
    isSuppressed: true,
    viewerCanTriage: { allowed: true, code: null },
    decision: {
      id: decision.id,
      status: 'NOT_AFFECTED',
      scope: 'COMPONENT',
      state: 'IN_FORCE',
      reason: NOT_AFFECTED.reason,
      suppresses: true,
      decidedBy: { id: app.who.subject },
    },
  });
});

test('a caller who may only read sees the decision and may not decide', async () => {
  await using app = await triageApp();
  const scanId = await app.scan();
  await app.decide();
  const [finding] = (await app.show(scanId, undefined, people['scan-reader'])).findings;
  assert.partialDeepStrictEqual(finding, {
    isSuppressed: true,
    viewerCanTriage: { allowed: false, code: 'PERM_SCOPE_DENIED' },
  });
  await assert.rejects(app.module.triage.decide(people['scan-reader'], NOT_AFFECTED), { code: 'PERM_SCOPE_DENIED' });
});

test('another tenant has neither the decision nor its effect', async () => {
  await using app = await triageApp();
  const { id } = await app.module.triage.decide(app.who, TENANT_WIDE);
  const other = people['other-scan-operator'];
  const scanId = await app.scan('wall', undefined, 'other-scan-operator');
  const [finding] = (await app.show(scanId, undefined, other)).findings;
  assert.equal(finding?.decision, null);
  await assert.rejects(app.module.triage.get(other, { id }), { code: 'RES_NOT_FOUND' });
  await assert.rejects(app.module.triage.revoke(other, { id, reason: 'It is not mine to end.' }), {
    code: 'RES_NOT_FOUND',
  });
});

test('the next release of an image has the decision without a copy, and its findings are published as suppressed', async () => {
  await using app = await triageApp();
  await app.scan('wall', IMAGE);
  await app.decide();
  const next = await app.scan('tower', sha256('next release'));
  assert.deepEqual(await app.decisionOf(next), ['NOT_AFFECTED', 'COMPONENT']);
  const [first, second] = await app.eventsOf('scan.findings');
  const marksOf = (page: typeof first) => Object(page?.findings).map((each: object) => Object(each).suppressed);
  assert.deepEqual([marksOf(first), marksOf(second)], [[undefined], [true]]);
  const [, completed] = await app.eventsOf('scan.complete');
  assert.deepEqual([completed?.severities, completed?.suppressedCount], [{}, 1]);
});

test('a decision made by a GHSA id stays when a CVE is assigned, also where an older CVE group takes over', async () => {
  await using app = await triageApp();
  await app.import(['CVE-2026-3000', 'elsewhere'], ['GHSA-2c2c-3f3f-4g4g', 'fence']);
  const bill = app.bomThrough('wall').replaceAll('gate', 'fence');
  const scanId = await app.scanBill(bill, { imageDigest: IMAGE });
  await app.decide({ vulnerabilityId: 'ghsa-2c2c-3f3f-4g4g', component: 'pkg:npm/fence@1.1.0' });
  assert.deepEqual(await app.decisionOf(scanId), ['NOT_AFFECTED', 'COMPONENT']);
  await app.advise('GHSA-2c2c-3f3f-4g4g', 'fence', { aliases: ['CVE-2026-3000'] });
  assert.deepEqual(await app.decisionOf(scanId), ['NOT_AFFECTED', 'COMPONENT'], 'before the scan is rescored');
  await app.module.rescoreScans();
  const [renamed] = await app.findingsOf(scanId);
  assert.deepEqual([renamed?.vulnId, renamed?.isSuppressed], ['CVE-2026-3000', true]);
  const next = await app.scanBill(bill, { imageDigest: sha256('next') });
  assert.deepEqual(await app.decisionOf(next), ['NOT_AFFECTED', 'COMPONENT']);
  const { items } = await app.module.triage.list(app.who, { vulnerabilityId: 'CVE-2026-3000' });
  assert.deepEqual(
    items.map(({ vulnerabilityId }) => vulnerabilityId),
    ['GHSA-2c2c-3f3f-4g4g'],
  );
});

test('a decision about one version of a component is not one about another version', async () => {
  await using app = await triageApp();
  const scanId = await app.scanBill(app.bomThrough('wall').replaceAll('1.1.0', '1.0.5'));
  await app.decide();
  assert.equal(await app.decisionOf(scanId), null);
});

test('the narrower scope wins over the wider, whichever is newer, and a decision of fixing suppresses nothing', async () => {
  await using app = await triageApp();
  app.release(IMAGE, PRODUCT);
  const scanId = await app.scan('wall', IMAGE);
  const component = await app.decide({ status: 'fixing', justification: undefined });
  const product = await app.decide({ scope: 'product', component: undefined, productId: PRODUCT });
  await app.module.triage.decide(app.who, TENANT_WIDE);
  assert.deepEqual(await app.decisionOf(scanId), ['FIXING', 'COMPONENT']);
  assert.equal((await app.findingsOf(scanId))[0]?.isSuppressed, false);
  await app.revoke(component.id);
  assert.deepEqual(await app.decisionOf(scanId), ['NOT_AFFECTED', 'PRODUCT']);
  await app.revoke(product.id);
  assert.deepEqual(await app.decisionOf(scanId), ['FALSE_POSITIVE', 'TENANT']);
});

test('a decision of scope product holds for images of that product only', async () => {
  await using app = await triageApp();
  const [other, free] = [sha256('other'), sha256('free')];
  app.release(IMAGE, PRODUCT);
  app.release(other, OTHER_PRODUCT);
  const scans = [
    await app.scan('a', IMAGE),
    await app.scan('b', other),
    await app.scan('c', free),
    await app.scan('d'),
  ];
  await app.decide({ scope: 'product', component: undefined, productId: PRODUCT });
  const decided = await Promise.all(scans.map(app.decisionOf));
  assert.deepEqual(decided, [['NOT_AFFECTED', 'PRODUCT'], null, null, null]);
  app.release(free, PRODUCT);
  assert.deepEqual(await app.decisionOf(scans[2] ?? ''), ['NOT_AFFECTED', 'PRODUCT']);
});

test('a new decision of the same scope replaces the older one for good, and says so in its event', async () => {
  await using app = await triageApp();
  const scanId = await app.scan();
  const first = await app.decide();
  const second = await app.decide({
    status: 'accepted',
    justification: undefined,
    expiresAt: in30Days(app.clock.now()),
  });
  assert.deepEqual(await app.decisionOf(scanId), ['ACCEPTED', 'COMPONENT']);
  const older = await app.module.triage.get(app.who, { id: first.id });
  assert.deepEqual([older.state, older.supersededBy], ['superseded', second.id]);
  await assert.rejects(app.revoke(first.id), { code: 'RES_CONFLICT', message: /was replaced by a later one/ });
  await app.revoke(second.id);
  assert.equal(await app.decisionOf(scanId), null);
  const [, decided] = await app.eventsOf('triage.decide');
  assert.deepEqual([decided?.supersedes, decided?.reason], [[first.id], NOT_AFFECTED.reason]);
  const [revoked] = await app.eventsOf('triage.revoke');
  assert.equal(revoked?.reason, 'The parser is called since release 4.');
});

test('the filter of findings and the list of findings to triage follow the decisions', async () => {
  await using app = await triageApp();
  await app.advise('CVE-2026-2000');
  app.release(IMAGE, PRODUCT);
  const scanId = await app.scan('wall', IMAGE);
  await app.epss('0.9', 'CVE-2026-2000');
  const newest = await app.scan('tower', IMAGE);
  await app.decide({ scope: 'product', component: undefined, productId: PRODUCT });
  const idsOf = async (suppressed: boolean) => (await app.findingsOf(scanId, suppressed)).map(({ vulnId }) => vulnId);
  assert.deepEqual([await idsOf(true), await idsOf(false)], [['CVE-2026-1000'], ['CVE-2026-2000']]);
  const elsewhere = await app.scan('house');
  const todo = async (page: object) => {
    const source = `query ($first: Int, $after: Cursor) { findingsToTriage(first: $first, after: $after) {
      edges { cursor node { vulnId scanId } } pageInfo { hasNextPage endCursor } } }`;
    const { data, errors } = await app.graph(source, { ...page }, { as: app.who });
    assert.equal(errors, undefined);
    return JSON.parse(JSON.stringify(data)).findingsToTriage;
  };
  const { edges } = await todo({ first: 10 });
  const rows = edges.map(({ node }: { node: { vulnId: string; scanId: string } }) => `${node.vulnId} ${node.scanId}`);
  const [top, second] = [newest, elsewhere].toSorted();
  assert.deepEqual(rows, [`CVE-2026-2000 ${top}`, `CVE-2026-2000 ${second}`, `CVE-2026-1000 ${elsewhere}`]);
  const page = await todo({ first: 2 });
  assert.equal(page.pageInfo.hasNextPage, true);
  const rest = await todo({ first: 2, after: page.pageInfo.endCursor });
  assert.deepEqual([rest.edges.length, rest.edges[0].node.vulnId], [1, 'CVE-2026-1000']);
});

test('the same decision with the same idempotency key is one decision', async () => {
  await using app = await triageApp();
  const first = await app.decide({ idempotencyKey: 'once' });
  const again = await app.decide({ idempotencyKey: 'once' });
  assert.equal(again.id, first.id);
  assert.equal((await app.eventsOf('triage.decide')).length, 1);
});

test('two decisions at the same time about the same findings leave one in force', async () => {
  await using app = await triageApp();
  const outcomes = await Promise.allSettled([app.decide(), app.decide(), app.decide()]);
  assert.ok(outcomes.some(({ status }) => status === 'fulfilled'));
  for (const outcome of outcomes) if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'RES_CONFLICT');
  const { items } = await app.module.triage.list(app.who, { inForce: true });
  assert.equal(items.length, 1);
});

test('each wrong input is refused with its field', async () => {
  await using app = await triageApp();
  const now = app.clock.now();
  const beyondYear = new Date(now.getTime() + 367 * DAY_MS).toISOString();
  const accepted = { status: 'accepted', justification: undefined };
  const cases: readonly (readonly [object, string, string])[] = [
    [{ component: undefined }, 'VAL_REQUIRED_FIELD', 'component'],
    [{ component: 'gate 1.1.0' }, 'VAL_INVALID_FORMAT', 'component'],
    [{ component: 'pkg:npm/gate' }, 'VAL_INVALID_VALUE', 'component'],
    [{ productId: PRODUCT }, 'VAL_INVALID_VALUE', 'productId'],
    [{ scope: 'product', component: undefined }, 'VAL_REQUIRED_FIELD', 'productId'],
    [{ scope: 'tenant' }, 'VAL_INVALID_VALUE', 'component'],
    [{ scope: 'planet' }, 'VAL_INVALID_VALUE', 'scope'],
    [{ status: 'ignored' }, 'VAL_INVALID_VALUE', 'status'],
    [{ justification: undefined }, 'VAL_REQUIRED_FIELD', 'justification'],
    [{ justification: 'no_time' }, 'VAL_INVALID_VALUE', 'justification'],
    [{ status: 'fixing' }, 'VAL_INVALID_VALUE', 'justification'],
    [{ ...accepted, impactStatement: 'None.', expiresAt: in30Days(now) }, 'VAL_INVALID_VALUE', 'impactStatement'],
    [accepted, 'VAL_REQUIRED_FIELD', 'expiresAt'],
    [{ ...accepted, expiresAt: beyondYear }, 'VAL_INVALID_VALUE', 'expiresAt'],
    [{ expiresAt: now.toISOString() }, 'VAL_INVALID_VALUE', 'expiresAt'],
    [{ expiresAt: 'tomorrow' }, 'VAL_INVALID_FORMAT', 'expiresAt'],
    [{ reason: 'too short' }, 'VAL_TOO_SHORT', 'reason'],
    [{ reason: 'a'.repeat(2_001) }, 'VAL_TOO_LONG', 'reason'],
    [{ vulnerabilityId: 'CVE-2026-9999' }, 'VAL_INVALID_VALUE', 'vulnerabilityId'],
  ];
  for (const [changes, code, field] of cases)
    await assert.rejects(app.decide(changes), (error: { code: string; fields: { field: string }[] }) => {
      assert.deepEqual([error.code, error.fields[0]?.field], [code, field], JSON.stringify(changes));
      return true;
    });
  const unknown = { scope: 'product', component: undefined, productId: app.missingProduct };
  await assert.rejects(app.decide(unknown), { code: 'RES_NOT_FOUND' });
  assert.deepEqual(await app.eventsOf('triage.decide'), []);
});
