import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { freeText } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { checkValues, matcherInput, matchersOf } from '../rules/rule-input.ts';
import { NOTIFY_ADMIN } from '../shared/scopes.ts';
import { checkFlappingPolicy, flappingPolicy } from './flapping.ts';
import { checkInhibition, inhibition } from './inhibition.ts';
import { createInsert, refuse } from './policy-writes.ts';
import { checkQuietHours, quietHours } from './quiet-hours.ts';

const record = eventsOf('NotificationPolicy');

const name = freeText(100);
const matchers = Type.Array(matcherInput, { minItems: 1, maxItems: 50 });
const { minChanges, windowSeconds, quietSeconds } = flappingPolicy.properties;
const { timeZone, from, to, weekdays } = quietHours.properties;

const matching = (value: string) => [{ path: 'kind', op: 'eq', values: [value] }];

interface PermanentPoliciesDeps extends Pick<Deps, 'operation' | 'ids'> {
  /** Channels that there are among some, by id. */
  readonly channels: (tx: Tx, tenant: TenantId, ids: readonly string[]) => Promise<{ has(id: string): boolean }>;
}

/** Creates the operations on policies that hold until somebody ends them. */
export const createPermanentPolicies = ({ operation, ids, channels }: PermanentPoliciesDeps) => {
  const insert = createInsert({ ids });

  return {
    /** Creates an inhibition: targets are not told while a source fires. */
    createInhibition: operation({
      name: 'inhibition.create',
      kind: 'write',
      scope: NOTIFY_ADMIN,
      input: Type.Object({
        name,
        sourceMatchers: matchers,
        targetMatchers: matchers,
        equal: Type.Optional(inhibition.properties.equal),
      }),
      raises: ['RES_ALREADY_EXISTS', 'RES_CONFLICT'],
      example: { name: 'site is down', sourceMatchers: matching('risk.site'), targetMatchers: matching('risk.host') },
      async run(who, { name: named, sourceMatchers, targetMatchers, equal = [] }, tx) {
        const document = {
          sourceMatchers: matchersOf(sourceMatchers),
          targetMatchers: matchersOf(targetMatchers),
          equal,
        };
        refuse([
          ...checkValues(sourceMatchers, 'sourceMatchers'),
          ...checkValues(targetMatchers, 'targetMatchers'),
          ...checkInhibition(document),
        ]);
        const facts = { kind: 'inhibition', name: named, document, endsAt: null, createdBy: who.subject } as const;
        const policy = await insert(tx, who.tenant, facts);
        await record(tx, who, 'inhibition.create', policy, { name: policy.name });
        return policy;
      },
    }),

    /** Creates a policy by which a condition that begins and ends again and again is told once. */
    createFlapping: operation({
      name: 'flappingPolicy.create',
      kind: 'write',
      scope: NOTIFY_ADMIN,
      input: Type.Object({ name, matchers, minChanges, windowSeconds, quietSeconds }),
      raises: ['RES_ALREADY_EXISTS', 'RES_CONFLICT'],
      example: {
        name: 'checks',
        matchers: matching('risk.check'),
        minChanges: 4,
        windowSeconds: 600,
        quietSeconds: 900,
      },
      async run(who, { name: named, matchers: given, ...limits }, tx) {
        const document = { matchers: matchersOf(given), ...limits };
        refuse([...checkValues(given), ...checkFlappingPolicy(document)]);
        const facts = { kind: 'flapping', name: named, document, endsAt: null, createdBy: who.subject } as const;
        const policy = await insert(tx, who.tenant, facts);
        await record(tx, who, 'flappingPolicy.create', policy, { name: policy.name });
        return policy;
      },
    }),

    /** Creates hours in which a channel gets critical messages only. */
    createQuietHours: operation({
      name: 'quietHours.create',
      kind: 'write',
      scope: NOTIFY_ADMIN,
      input: Type.Object({ name, channelId: idOf('NotificationChannel'), timeZone, from, to, weekdays }),
      raises: ['RES_NOT_FOUND', 'RES_ALREADY_EXISTS', 'RES_CONFLICT'],
      example: {
        name: 'nights',
        channelId: exampleId('NotificationChannel'),
        timeZone: 'Europe/Berlin',
        from: '22:00',
        to: '07:00',
      },
      async run(who, { name: named, ...document }, tx) {
        const { channelId } = document;
        refuse(checkQuietHours(document));
        if (!(await channels(tx, who.tenant, [channelId])).has(channelId))
          throw new Fault('RES_NOT_FOUND', `There is no notification channel ${channelId}.`, { id: channelId });
        const facts = { kind: 'quiet_hours', name: named, document, endsAt: null, createdBy: who.subject } as const;
        const policy = await insert(tx, who.tenant, facts);
        await record(tx, who, 'quietHours.create', policy, { name: policy.name, channelId });
        return policy;
      },
    }),
  };
};

export type PermanentPolicies = ReturnType<typeof createPermanentPolicies>;
