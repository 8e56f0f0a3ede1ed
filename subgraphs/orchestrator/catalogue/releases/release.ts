import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { expectVersion } from '../../shared/expected-version.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import * as components from './components.store.ts';
import * as store from './releases.store.ts';

export const { listOf: listComponents } = components;
export const { find, findLocked, findNamed, get, getLocked, listByDigest, listByDigests, listByIds, notFound } = store;
export type Component = components.Component;
export type Release = store.Release;
export type ReleaseId = store.ReleaseId;

/** Locks a release until the transaction ends, in the version that the caller read. */
export const lockRelease = async (
  tx: Tx,
  caller: Who,
  id: store.ReleaseId,
  expected: number,
): Promise<store.Release> => {
  const release = await store.getLocked(tx, caller.tenant, id);
  expectVersion(release, expected);
  return release;
};

/** Publishes the event of a change in this transaction and returns the release after the change. */
export const recordChange = async (
  tx: Tx,
  caller: Who,
  type: string,
  id: store.ReleaseId,
  data: Readonly<Record<string, unknown>>,
): Promise<store.Release> => {
  const release = await store.find(tx, caller.tenant, id);
  if (!release) throw new TypeError(`release ${id} has vanished`);
  await publishEvent(tx, caller, type, 'Release', release, data);
  return release;
};
