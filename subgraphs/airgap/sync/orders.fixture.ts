import assert from 'node:assert/strict';
import { caller } from '@landfall/kernel/testing/callers';
import { airgapApp } from '../testing/airgap-app.ts';
import { deliverBundle, entryOf, stampAt, syncSite } from '../testing/sync-sites.ts';
import type { SignedBundle } from './bundle.ts';

/** All orders in which the bundles of some sites can arrive, those of each site in its own order. */
const orders = (queues: readonly (readonly SignedBundle[])[]): SignedBundle[][] => {
  const found = queues.flatMap(([next, ...rest], index) =>
    next ? orders(queues.with(index, rest)).map((order) => [next, ...order]) : [],
  );
  return found.length === 0 ? [[]] : found;
};

/** Three sites with two bundles each, which agree and disagree about five keys in many ways. */
const threeSites = async () => {
  const [a, b, c] = [syncSite(), syncSite(), syncSite()];
  const bundles = [
    [
      await a.next([entryOf(stampAt(1), 'agreed', 'x'), entryOf(stampAt(8), 'early loses', 'a')]),
      await a.next([entryOf(stampAt(20), 'three sides', 'a'), entryOf(stampAt(21), 'alone', 'a')]),
    ],
    [
      await b.next([entryOf(stampAt(3), 'agreed', 'x'), entryOf(stampAt(4), 'early loses', 'b')]),
      await b.next([entryOf(stampAt(20), 'three sides', 'b'), entryOf(stampAt(22), 'two and one', 'b')]),
    ],
    [
      await c.next([entryOf(stampAt(2), 'agreed', 'x'), entryOf(stampAt(6), 'early loses', 'a')]),
      await c.next([entryOf(stampAt(7), 'two and one', 'c'), entryOf(stampAt(19), 'three sides', 'c')]),
    ],
  ];
  return { sites: [a, b, c], bundles };
};

/**
 * Imports the bundles of three sites in every `step`-th order, each into a tenant of its own, and compares what results.
 * @returns the number of orders
 */
export const compareOrders = async (step: number): Promise<number> => {
  await using app = await airgapApp();
  const { sync, bundleInbox } = app.module;
  const { sites, bundles } = await threeSites();
  const tried = orders(bundles).filter((_, index) => index % step === 0);

  const importIn = async (order: readonly SignedBundle[], index: number) => {
    const who = caller({ tenant: `hub-${index}`, subject: 'operator', scopes: ['airgap:seal', 'airgap:status:read'] });
    for (const { siteId, publicKey } of sites) await sync.addSite(who, { siteId, name: siteId, siteKey: publicKey });
    for (const bundle of order) await sync.import(who, { file: await deliverBundle(bundleInbox(who.tenant), bundle) });
    const jobs = (await sync.jobs(who, {})).items.map(({ siteId, stamp, key, state }) =>
      [key, stamp, siteId, state].join(),
    );
    const conflicts = (await sync.conflicts(who, {})).map(({ key, inForce, sides }) =>
      [key, inForce, ...sides.map(({ stamp, siteId }) => `${stamp} ${siteId}`).toSorted()].join(),
    );
    return { jobs: jobs.toSorted(), conflicts: conflicts.toSorted() };
  };

  const [first, ...rest] = tried;
  assert.ok(first);
  const expected = await importIn(first, 0);
  assert.equal(expected.conflicts.length, 3);
  assert.equal(expected.jobs.length, 12);
  for (const [index, order] of rest.entries()) assert.deepEqual(await importIn(order, index + 1), expected);
  return tried.length;
};
