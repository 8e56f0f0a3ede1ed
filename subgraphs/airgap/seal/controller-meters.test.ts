import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '@landfall/kernel/system/log';
import { createTelemetry } from '@landfall/kernel/system/telemetry';
import { airgapApp, operator, TIME_OPTIONS, viewer } from '../testing/airgap-app.ts';
import { operatorKey } from '../testing/operator-anchor.ts';
import { parseTrustRoots } from '../time/trust-roots.ts';

// spec: 6/controller-meters
test('the controller counts seals, unseals and blocked starts, and measures what is left of each budget', async () => {
  const telemetry = createTelemetry(silentLog);
  const key = operatorKey();
  const hour = 3_600_000;
  await using app = await airgapApp(({ clock }) => ({
    meter: telemetry.meter('airgap'),
    time: { ...TIME_OPTIONS, roots: parseTrustRoots(key.pem, 'test') },
    contentDates: async () => ({ advisories: new Date(clock.now().getTime() - hour), vex: null, policy: null }),
  }));
  const { seal, time, checkStart, storeClocks } = app.module;
  await seal.seal(operator, { policy: { allowLoopback: true } });
  await checkStart();
  await seal.unseal(operator, {});
  await seal.seal(operator, {});
  const { challenge } = await time.status(viewer, {});
  const anchorTime = new Date(app.deps.clock.now().getTime() - 60_000).toISOString();
  const token = key.state({ tenantId: 'acme', nonce: challenge.nonce, anchorTime });
  await time.setAnchor(operator, { source: 'operator_dsse', token });
  await storeClocks();

  const text = await telemetry.prometheus();
  for (const line of [
    'airgap_seal_total 2',
    'airgap_unseal_total 1',
    'airgap_startup_blocked_total{tenant="acme",reason="anchor_unknown"} 1',
    'airgap_time_anchor_age_seconds{tenant="acme"} 60',
    'airgap_staleness_budget_seconds{tenant="acme",content="anchor"} 7140',
    'airgap_staleness_budget_seconds{tenant="acme",content="advisories"} 3600',
  ])
    assert.ok(text.includes(`${line}\n`), `${line} in\n${text}`);
});
