import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, toId } from '@landfall/kernel/core/ids';
import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { oneOf } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { SCOPES } from '../shared/operations.ts';
import * as store from './alerts.store.ts';
import { textOrNull } from './analytics-events.ts';
import { expectId } from './history.ts';

const MAX_LISTED = 200;

/** Event of a changed alert, without the query, which is personal. */
export const alertEvent = ({ alertId, version, alertType, status, occurrences }: store.Alert) => ({
  entity: 'SearchAlert',
  id: alertId,
  version,
  data: { alertType, status, occurrences },
});

export const createAlerts = ({ operation }: Pick<Deps, 'operation'>) => ({
  list: operation({
    name: 'searchAlert.list',
    kind: 'read',
    scope: SCOPES.admin,
    input: Type.Object({
      status: Type.Optional(oneOf(...store.ALERT_STATUSES)),
      alertType: Type.Optional(oneOf(...store.ALERT_TYPES)),
    }),
    run: ({ tenant }, filter, query) => store.list(query, tenant, filter, MAX_LISTED),
  }),

  get: operation({
    name: 'searchAlert.get',
    kind: 'read',
    scope: SCOPES.admin,
    input: Type.Object({ alertId: Type.String() }),
    raises: ['advisoryai.validation.id_invalid', 'advisoryai.not_found'],
    example: { alertId: exampleId('SearchAlert') },
    run: async ({ tenant }, { alertId }, query) =>
      store.get(query, tenant, toId(expectId(alertId, 'an alert'), 'SearchAlert')),
  }),

  update: operation({
    name: 'searchAlert.update',
    kind: 'write',
    scope: SCOPES.admin,
    input: Type.Object({
      alertId: Type.String(),
      status: oneOf('acknowledged', 'resolved'),
      resolution: Type.Optional(Type.String({ maxLength: 2_000 })),
    }),
    raises: ['advisoryai.validation.id_invalid', 'advisoryai.not_found', 'RES_CONFLICT'],
    example: { alertId: exampleId('SearchAlert'), status: 'acknowledged' },
    async run(caller, { alertId: requestedId, status, resolution }, tx) {
      const alertId = toId(expectId(requestedId, 'an alert'), 'SearchAlert');
      const alert = await store.getLocked(tx, caller.tenant, alertId);
      if (alert.status === 'resolved')
        throw new Fault('RES_CONFLICT', 'This alert is resolved already.', { state: alert.status, allowed: [] });
      const settled = await store.settle(tx, caller.tenant, alertId, { status, resolution: textOrNull(resolution) });
      await event(
        tx,
        caller,
        status === 'resolved' ? 'searchAlert.resolve' : 'searchAlert.acknowledge',
        alertEvent(settled),
      );
      return settled;
    },
  }),
});
