import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { buildIndex, type Image } from '@landfall/kernel/testing/oci-image';
import type { RegistryFault } from '@landfall/kernel/testing/oci-registry';
import { failed, landed, onlyLinux, setUp } from './apply.fixture.ts';

/** Limits of a pull, short enough for a registry that hangs. */
export const limits = { answerMs: 300, graceMs: 600, bytesPerSecond: 1_000_000, tries: 2, backoffMs: 1 };
export const [one, two] = [buildApp({ version: 'one' }), buildApp({ version: 'two' })];

const bothPlatforms = (image: Image): Image =>
  buildIndex([image, buildApp({ version: 'other', platform: 'other/arch' })]);

/** Fault of a registry, with the code, the class and the step of the failure that it causes. */
type FaultCase = readonly [what: string, fault: RegistryFault, code: string, errorClass: string, during: string];

/** Defines a test for each fault: the task ends, the old release serves on, and the next try lands. */
export const testRegistryFaults = (cases: readonly FaultCase[]): void => {
  for (const [name, fault, code, errorClass, during] of cases)
    test(
      `a registry that ${name} ends the task as ${errorClass}, and the old release serves on`,
      onlyLinux,
      async () => {
        await using host = await setUp({ limits });
        await host.apply(host.task(bothPlatforms(one)));
        const before = await host.get('/pid');
        const task = host.task(bothPlatforms(two));
        {
          using _ = host.registry.fault(fault);
          const { end } = await host.apply(task);
          assert.deepEqual(
            [failed(end).code, failed(end).errorClass, failed(end).during],
            [code, errorClass, during],
            failed(end).raw,
          );
        }
        assert.equal(await host.get('/pid'), before);
        assert.deepEqual(await readdir(join(host.directory, 'partial')), [], 'nothing is left of the pull');
        landed((await host.apply(task)).end);
        assert.equal(await host.get(), 'two');
      },
    );
};
