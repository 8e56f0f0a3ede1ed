import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { airgapApp, operator, TIME_OPTIONS, viewer } from '../testing/airgap-app.ts';
import { operatorKey } from '../testing/operator-anchor.ts';
import { parseTrustRoots } from '../time/trust-roots.ts';

test('an anchor whose time, accuracy, root or challenge is not that of its token is found', async () => {
  const [key, other] = [operatorKey(), operatorKey()];
  const roots = parseTrustRoots(key.pem + other.pem, 'test');
  await using app = await airgapApp(() => ({ time: { ...TIME_OPTIONS, roots } }));
  const { time, verify } = app.module;
  const { nonce } = (await time.status(viewer, {})).challenge;
  const statement = { tenantId: 'acme', nonce, anchorTime: '2026-01-15T10:00:00Z', accuracySeconds: 5 };
  await time.setAnchor(operator, { source: 'operator_dsse', token: key.state(statement) });
  const anchor = async () => (await verify(viewer, {})).checks.find(({ name }) => name === 'anchor');
  const superuser = new pg.Client(app.connection);
  await superuser.connect();
  const change = (column: string, value: unknown) =>
    superuser.query(`update airgap.anchors set ${column} = $1 where tenant = 'acme'`, [value]);

  assert.equal((await anchor())?.valid, true);
  for (const [column, changed, accepted, message] of [
    ['anchor_time', '2026-01-15T10:00:01Z', '2026-01-15T10:00:00Z', /its time is not that of its token/],
    ['accuracy_seconds', 0, 5, /its accuracy is not/],
    ['trust_root_digest', roots.keys[1]?.digest, roots.keys[0]?.digest, /not of the root that it names/],
    ['challenge', 2, 1, /does not hold any more/],
  ] as const) {
    await change(column, changed);
    const found = await anchor();
    assert.equal(found?.valid, false, column);
    assert.match(found?.message ?? '', message);
    await change(column, accepted);
  }
  assert.equal((await anchor())?.valid, true);
  await superuser.end();
});
