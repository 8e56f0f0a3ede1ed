import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, toId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { digest, freeText, instant } from '@landfall/kernel/operation/input';
import { pageFields, pageOf } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import * as targets from '../../catalogue/targets/target.ts';
import { anyDigest } from '../../shared/input.ts';
import { refuse } from '../../shared/permission.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { pageBefore } from '../../shared/read-operations.ts';
import { operates, reads } from '../../shared/scopes.ts';
import * as store from './accepted-deviations.store.ts';
import * as estate from './estate.store.ts';
import { acceptRefusal, revokeRefusal } from './estate-rule.ts';

export const { listByIds: listDeviations } = store;

const DAY_MS = 86_400_000;
/** Longest validity of an accepted deviation, in days. A longer one calls for a release instead. */
const MAX_DAYS = 365;

/** Throws Fault VAL_INVALID_VALUE for an expiry in the past or beyond the longest validity. */
const expectExpiry = (expiresAt: Date, now: Date): void => {
  const days = (expiresAt.getTime() - now.getTime()) / DAY_MS;
  if (days > 0 && days <= MAX_DAYS) return;
  const message = days > 0 ? `must be within ${MAX_DAYS} days` : 'must be in the future';
  throw invalid([{ field: 'expiresAt', message, code: 'VAL_INVALID_VALUE' }]);
};

const digestChanged = (expected: string, actual: string | null): Fault =>
  new Fault('RES_VERSION_CONFLICT', 'Something else runs there than you saw. Look again.', { expected, actual });

/** Creates the operations on accepted deviations: drifts that a person accepted until a date. They remain drifts. */
export const createDeviations = ({ operation, clock, ids }: Pick<Deps, 'operation' | 'clock' | 'ids'>) => ({
  deviations: operation({
    name: 'estate.deviations',
    kind: 'read',
    scope: reads,
    input: Type.Object(pageFields),
    example: { first: 10 },
    async run(caller, { first = 50, after }, query) {
      return pageOf(await store.list(query, caller.tenant, pageBefore(first, after)), first);
    },
  }),

  accept: operation({
    name: 'estate.acceptDeviation',
    kind: 'write',
    scope: operates,
    input: Type.Object({
      observationId: idOf('Observation'),
      seenDigest: digest,
      reason: freeText(2000, 10),
      expiresAt: instant,
    }),
    raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_CONFLICT'],
    example: {
      observationId: exampleId('Observation'),
      seenDigest: anyDigest,
      reason: 'A fix by hand, until 1.4.1 is out.',
      expiresAt: '2026-02-01T00:00:00Z',
    },
    async run(caller, { observationId, seenDigest, reason, expiresAt: requestedExpiry }, tx) {
      const expiresAt = new Date(requestedExpiry);
      expectExpiry(expiresAt, clock.now());
      const found = await estate.find(tx, caller.tenant, observationId);
      // The second of two concurrent acceptances waits here, and then sees the first.
      const target = found && (await targets.findLocked(tx, caller.tenant, found.targetId));
      const current = target && (await estate.find(tx, caller.tenant, observationId));
      if (!current)
        throw new Fault('RES_NOT_FOUND', `There is no observation ${observationId}.`, { id: observationId });
      const { targetId, component, observedDigest } = current;
      if (observedDigest !== seenDigest) throw digestChanged(seenDigest, observedDigest);
      const accepted = (await store.listActive(tx, caller.tenant, [targetId])).find(
        (each) => each.component === component && each.digest === seenDigest,
      );
      refuse(acceptRefusal({ ...current, deviation: accepted ?? null }));
      const deviation = await store.insert(tx, caller.tenant, {
        id: toId(ids.uuid(), 'Deviation'),
        targetId,
        component,
        digest: seenDigest,
        reason,
        owner: caller.subject,
        expiresAt,
      });
      await publishEvent(tx, caller, 'estate.acceptDeviation', 'Deviation', deviation, {
        targetId,
        component,
        digest: seenDigest,
        reason,
        expiresAt: expiresAt.toISOString(),
      });
      return deviation;
    },
  }),

  revoke: operation({
    name: 'estate.revokeDeviation',
    kind: 'write',
    scope: operates,
    input: Type.Object({ id: idOf('Deviation') }),
    raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
    example: { id: exampleId('Deviation') },
    async run(caller, { id }, tx) {
      const current = await store.getLocked(tx, caller.tenant, id);
      refuse(revokeRefusal(current));
      const deviation = await store.revoke(tx, caller.tenant, id, caller.subject);
      await publishEvent(tx, caller, 'estate.revokeDeviation', 'Deviation', deviation);
      return deviation;
    },
  }),
});
