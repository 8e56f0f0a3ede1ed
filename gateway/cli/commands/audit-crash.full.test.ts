import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sealBatch } from '@landfall/kernel/events/sealer';
import { until } from '@landfall/kernel/testing/until';
import { createTrail } from './audit-verify.fixture.ts';

for (const failpoint of ['events.seal.sealing', 'events.seal.sealed', 'events.seal.anchored'])
  test(`killed at ${failpoint}, the next process goes on: one chain, and the log has each seal once`, async () => {
    await using trail = await createTrail();
    await trail.write(6);
    await trail.program(failpoint);
    await trail.write(2);
    const count = async (name: string): Promise<number> =>
      Number((await trail.force(`select ${name} as count from kernel.event_seals`)).rows[0]?.count ?? 0);
    await until(async () => (await sealBatch(trail.deps, 4)) === 0 && (await count('sum(count)')) === 8);
    await trail.anchor();
    const { code, out } = await trail.verify();
    assert.equal(code, 0, out);
    assert.equal((await trail.reading.newest())?.size, await count('count(*)'));
  });
