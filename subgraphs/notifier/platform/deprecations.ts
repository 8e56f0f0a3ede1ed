import { toId } from '@landfall/kernel/core/ids';
import type { Deprecation, Deps } from '@landfall/kernel/module';
import type { Duty } from '@landfall/kernel/work/schedule';
import * as events from '../events/events.store.ts';
import type { Signal } from '../shared/signal.ts';
import { DEPRECATION_KEY } from '../templates/document.ts';
import { announce } from './deprecations.store.ts';

interface DeprecationDeps extends Pick<Deps, 'database' | 'clock' | 'ids'> {
  /** Interfaces that have an end. */
  readonly deprecations: () => readonly Deprecation[];
  /** Notified once events are accepted. */
  readonly accepted: Signal;
}

/** Creates the daily duty that tells each tenant with rules of every interface that ends, once (spec 6.2). */
export const createDeprecations = ({ database, clock, ids, deprecations, accepted }: DeprecationDeps): Duty => ({
  name: 'notifier.deprecations',
  pattern: '10 8 * * *',
  async run() {
    const byApi = new Map(deprecations().map((each) => [each.api, each]));
    const correlationId = ids.uuid();
    const announced = await database.system.write(async (tx) => {
      const fresh = await announce(tx, [...byApi.keys()]);
      const rows = fresh.flatMap(({ tenant, api }) => {
        const deprecation = byApi.get(api);
        if (!deprecation) return [];
        const { sunset, successor } = deprecation;
        return {
          tenant,
          id: toId(ids.uuid(), 'NotificationEvent'),
          producer: 'platform',
          eventId: `deprecation ${api}`,
          kind: DEPRECATION_KEY,
          at: clock.now(),
          actor: null,
          severity: 'info' as const,
          status: 'firing' as const,
          attributes: { api },
          payload: { api, sunset: sunset.toISOString(), ...(successor !== undefined && { successor }) },
          correlationId,
        };
      });
      if (rows.length > 0) await events.insertAll(tx, rows);
      return rows.length;
    });
    if (announced > 0) accepted.notify();
  },
});
