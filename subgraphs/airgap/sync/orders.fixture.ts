import assert from 'node:assert/strict';
import { caller } from '@landfall/kernel/testing/callers';
import { airgapApp } from '../testing/airgap-app.ts';
import { deliverBundle, entryOf, evidenceWith, stampAt, syncSite } from '../testing/sync-sites.ts';
import type { SignedBundle } from './bundle.ts';

/** Bundle that arrives, or an own job about a key. */
type Step = SignedBundle | string;

/** All orders of the steps of some sites, those of each site in its own order. */
const orders = (queues: readonly (readonly Step[])[]): Step[][] => {
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
 * Imports the bundles of three sites and enqueues an own job in every `step`-th order, each into a tenant of its own, and compares what results.
 * @returns the number of orders
 */
export const compareOrders = async (step: number): Promise<number> => {
  await using app = await airgapApp();
  const { sync, bundleInbox } = app.module;
  const { sites, bundles } = await threeSites();
  const tried = orders([...bundles, ['alone']]).filter((_, index) => index % step === 0);

  const importIn = async (order: readonly Step[], index: number) => {
    const who = caller({ tenant: `hub-${index}`, subject: 'operator', scopes: ['airgap:seal', 'airgap:status:read'] });
    for (const { siteId, publicKey } of sites) await sync.addSite(who, { siteId, name: siteId, siteKey: publicKey });
    for (const step of order)
      if (typeof step === 'string')
        await sync.enqueue(who, { kind: 'evidence', key: step, payload: JSON.stringify(evidenceWith('own')) });
      else await sync.import(who, { file: await deliverBundle(bundleInbox(who.tenant), step) });
    // The own site has another id in each tenant.
    const nameOf = (siteId: string) => (sites.some((site) => site.siteId === siteId) ? siteId : 'own');
    const jobs = (await sync.jobs(who, {})).items.map(({ siteId, stamp, key, state }) =>
      [key, stamp, nameOf(siteId), state].join(),
    );
    const conflicts = (await sync.conflicts(who, {})).map(({ key, inForce, sides }) =>
      [key, inForce, ...sides.map(({ stamp, siteId }) => `${stamp} ${nameOf(siteId)}`).toSorted()].join(),
    );
    return { jobs: jobs.toSorted(), conflicts: conflicts.toSorted() };
  };

  const [first, ...rest] = tried;
  assert.ok(first);
  const expected = await importIn(first, 0);
  assert.equal(expected.conflicts.length, 4);
  assert.equal(expected.jobs.length, 13);
  for (const [index, order] of rest.entries()) assert.deepEqual(await importIn(order, index + 1), expected);
  return tried.length;
};
