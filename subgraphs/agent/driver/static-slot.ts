import { mkdir, readdir, realpath, rename, rm, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createReleases } from '../oci/releases.ts';
import { unpackLimits } from '../oci/unpack.ts';
import { failure } from '../protocol/failure.ts';
import type { Task } from '../protocol/messages.ts';
import { type Driver, type Placement, unpacked } from './driver.ts';
import { truncateReason } from './process-driver.ts';

/** Name of the directory with stored trees; no slot can have it. */
const store = '.store';
const link = 'current';

const slotOf = ({ place: parent }: Pick<Task, 'place'>): string => {
  if (parent?.slot !== undefined) return parent.slot;
  throw failure('AGT_TASK_FAILED', 'start-failed', 'the target names no slot');
};

/**
 * Creates the driver for files that another server serves: `<slots>/<slot>/<component>/current` links to a release's
 * tree.
 */
export const openStaticSlots = async (slots: string, platform: string): Promise<Driver> => {
  await mkdir(slots, { recursive: true, mode: 0o755 });
  const root = await realpath(slots);
  const releases = createReleases(join(root, store), platform, unpackLimits, 'everybody');
  await releases.open();

  const linkOf = (task: Pick<Task, 'place'>, component: string): string => join(root, slotOf(task), component, link);
  const target = (task: Pick<Task, 'place'>, component: string): Promise<string | undefined> =>
    realpath(linkOf(task, component)).catch(() => undefined);

  const point = async ({ task, running: { name, platformDigest } }: Placement): Promise<void> => {
    const release = await releases.read(platformDigest);
    if (!release) throw failure('AGT_TASK_FAILED', 'start-failed', `${platformDigest} is not on this host`);
    const at = linkOf(task, name);
    const parent = join(at, '..');
    await mkdir(parent, { recursive: true, mode: 0o755 });
    const next = join(parent, `.${link}`);
    await rm(next, { force: true });
    await symlink(relative(parent, release.root), next);
    await rename(next, at);
  };

  return {
    ...unpacked(releases),
    name: 'static-slot',
    version: '1',
    isRouted: false,
    isStill: true,

    start: async ({ task }) => {
      slotOf(task);
      return null;
    },

    async serve({ task, placements }) {
      for (const placement of placements) await point(placement);
      const slot = join(root, slotOf(task));
      for (const name of await readdir(slot).catch(() => []))
        if (!placements.some(({ running }) => running.name === name)) await rm(join(slot, name, link), { force: true });
    },

    isAlive: async ({ task, running, isServing }) =>
      isServing
        ? (await target(task, running.name)) !== undefined
        : (await releases.read(running.platformDigest)) !== undefined,

    // A release that is no longer needed is pruned with the others.
    stop: async () => undefined,

    async observe({ task, running, isServing }) {
      if (!isServing) return truncateReason(await releases.identify(running.platformDigest));
      const path = await target(task, running.name);
      return truncateReason(
        path === undefined ? { digest: null, reason: 'the slot leads nowhere' } : await releases.identifyPath(path),
      );
    },
  };
};
