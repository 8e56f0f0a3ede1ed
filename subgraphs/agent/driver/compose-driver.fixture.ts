import assert from 'node:assert/strict';
import { join } from 'node:path';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import type { Image } from '@landfall/kernel/testing/oci-image';
import type { Task } from '../protocol/messages.ts';
import { setUp } from '../tasks/apply.fixture.ts';
import { findCompose } from './compose-driver.ts';
import { documentedDocker } from './docker.fixture.ts';

export const [one, two] = [buildApp({ version: 'one' }), buildApp({ version: 'two' })];

/** Prepares a host whose agent drives Docker Compose as documented, without an engine. */
export const composeHost = async () => {
  let docker: Awaited<ReturnType<typeof documentedDocker>> | undefined;
  const host = await setUp({
    drivers: async (releases, directory) => {
      docker = await documentedDocker(directory);
      const driver = await findCompose(releases, docker.file);
      return driver ? [driver] : [];
    },
  });
  assert.ok(docker);
  return Object.assign(host, {
    docker,
    place: join(host.directory, 'targets', host.targetId),
    // No engine runs, so nothing listens on the ports of these components.
    up: (image: Image, changes: Partial<Task> = {}) =>
      host.apply(host.task(image, { driver: 'compose', place: { project: 'shop' }, ...changes }, { port: null })),
  });
};
