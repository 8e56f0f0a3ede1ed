import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDeps } from '@landfall/kernel/testing/app';
import { people } from '@landfall/kernel/testing/callers';
import { readSbom } from '../sbom/read-sbom.ts';
import { runInTurns, STEP } from '../shared/steps.ts';
import { bodyOf } from '../testing/bom.ts';
import { importRecords } from '../testing/feeds.ts';
import { osvRecord } from '../testing/osv.ts';
import { componentsOf } from './components.ts';
import { ruleFindings } from './finding-vex.ts';
import { freezeMatches } from './freeze.ts';
import { matchSbom } from './matching.ts';

const who = people['scan-operator'];
const COMPONENTS = 20 * STEP;

/** Bill whose components are all affected: versions of gate below 1.2.0. */
const bill = JSON.stringify({
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  components: Array.from({ length: COMPONENTS }, (_, at) => {
    const version = `1.1.${at}`;
    return { type: 'library', name: 'gate', version, 'bom-ref': version, purl: `pkg:npm/gate@${version}` };
  }),
});

/** Runs a part of a scan. @returns its result, and the turns of the event loop that other work had meanwhile */
const counted = async <Value>(
  run: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly turns: number }> => {
  let turns = 0;
  let isRunning = true;
  const turn = (): void => {
    turns += 1;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  const value = await run();
  isRunning = false;
  return { value, turns };
};

test('other work has its turns while a large scan is matched and scored', async () => {
  await using base = await testDeps();
  const { database, clock } = base.deps;
  await importRecords(base.deps, [osvRecord('CVE-2026-1000', 'gate')]);
  const sbom = await readSbom(bodyOf(bill));
  // Neither waits for the database: without steps there would be no turn at all.
  const read = await counted(() => runInTurns(componentsOf(sbom)));
  assert.ok(read.turns >= COMPONENTS / STEP - 1, `${read.turns} turns while components were read`);
  const artifact = { imageDigest: null, subjectPurl: null };
  const matched = await ruleFindings(database, who, await matchSbom(database, who, sbom), artifact);
  assert.equal(matched.findings.length, COMPONENTS);
  const frozen = await counted(() =>
    freezeMatches(matched, {
      scanId: '01900000-0000-7000-8000-000000000001',
      sbomDigest: `sha256:${'a'.repeat(64)}`,
      scannerVersion: '1.0.0',
      createdAt: clock.now(),
      now: clock.now(),
    }),
  );
  assert.ok(frozen.turns >= COMPONENTS / STEP, `${frozen.turns} turns while the scan was scored`);
  assert.ok(frozen.value.scorePpm !== null && frozen.value.scorePpm > 0);
});
