import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSettings } from '@landfall/kernel/system/settings';
import { airgapSettings, timeOptionsOf } from './settings.ts';
import { temporary } from './testing/kits.ts';

const optionsOf = (env: Record<string, string>) => timeOptionsOf(loadSettings(airgapSettings, { env }));

// spec: 2.7/time-options
test('the options of the time service have the names of the specification', async () => {
  await using directory = await temporary();
  const file = join(directory.path, 'roots.pem');
  const { publicKey } = generateKeyPairSync('ed25519');
  await writeFile(file, publicKey.export({ format: 'pem', type: 'spki' }));
  const { roots, ...options } = optionsOf({
    AIRGAP__TIME__TENANTID: 'acme',
    AIRGAP__TIME__STALENESS__WARNINGSECONDS: '10',
    AIRGAP__TIME__STALENESS__BREACHSECONDS: '20',
    AIRGAP__TIME__CONTENTBUDGETS: JSON.stringify({
      advisories: { WarningSeconds: 30, BreachSeconds: 40 },
      vex: { BreachSeconds: 50 },
      policy: { WarningSeconds: 5 },
    }),
    AIRGAP__TIME__TRUSTROOTFILE: file,
    AIRGAP__TIME__ALLOWUNTRUSTEDANCHORS: 'true',
    AIRGAP__TIME__ALLOWREQUESTSUPPLIEDTRUSTROOTS: 'true',
  });
  assert.equal(roots.keys.length, 1);
  assert.deepEqual(options, {
    tenant: 'acme',
    staleness: { warningSeconds: 10, breachSeconds: 20 },
    budgets: {
      advisories: { warningSeconds: 30, breachSeconds: 40 },
      vex: { warningSeconds: 10, breachSeconds: 50 },
      policy: { warningSeconds: 5, breachSeconds: 20 },
    },
    allowsUntrusted: true,
    allowsRequestRoots: true,
  });
});

test('a warning after its breach, and a budget of unknown content, refuse the start', () => {
  assert.throws(() => optionsOf({ AIRGAP__TIME__STALENESS__WARNINGSECONDS: '7201' }), /must not come after the breach/);
  assert.throws(() => optionsOf({ AIRGAP__TIME__CONTENTBUDGETS: '{"images": {}}' }), /images is none of/);
});
