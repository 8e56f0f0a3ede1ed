import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps, PeopleDirectory } from '@landfall/kernel/module';
import { freeText, instant } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { checkValues, matcherInput, matchersOf } from '../rules/rule-input.ts';
import * as rules from '../rules/rules.store.ts';
import { NOTIFY_ADMIN, NOTIFY_OPERATE, NOTIFY_READ } from '../shared/scopes.ts';
import * as store from './policies.store.ts';
import { createInsert, refuse } from './policy-writes.ts';
import { checkWindow } from './silence.ts';
import { checkTimeInterval, timeInterval } from './time-interval.ts';

const record = eventsOf('NotificationPolicy');

const name = freeText(100);
const matchers = Type.Array(matcherInput, { minItems: 1, maxItems: 50 });

/** Kinds that operators make and end (rulings 31). */
const WINDOWS: ReadonlySet<store.PolicyKind> = new Set(['silence', 'maintenance']);

const EXAMPLE_MATCHERS = [{ path: 'attributes.environment', op: 'eq', values: ['production'] }];

/** Without its interval an action would be active always, or muted never. @throws Fault RES_CONFLICT */
const refuseWhileNamed = async (tx: Tx, tenant: TenantId, { id, name }: store.StoredPolicy): Promise<void> => {
  await rules.lockRuleSets(tx, tenant);
  const naming = (await rules.list(tx, tenant)).filter(({ definition: { actions } }) =>
    actions.some(({ mutedDuring, activeDuring }) => [...mutedDuring, ...activeDuring].some((each) => each === id)),
  );
  const [first] = naming;
  if (first)
    throw new Fault('RES_CONFLICT', `The rule ${first.name} names the interval ${name}. Change it first.`, {
      rules: naming.map((rule) => rule.id),
    });
};

/** Creates the operations on silences, maintenance and time intervals. */
export const createPolicies = ({
  operation,
  ids,
  clock,
  people,
}: Pick<Deps, 'operation' | 'ids' | 'clock'> & { readonly people: PeopleDirectory }) => {
  const insert = createInsert({ ids });

  return {
    list: operation({
      name: 'notificationPolicy.list',
      kind: 'read',
      scope: NOTIFY_READ,
      input: Type.Object({}),
      run: ({ tenant }, _input, query) => store.list(query, tenant),
    }),

    /** Creates a silence: nobody is told of matching events until it ends. */
    createSilence: operation({
      name: 'silence.create',
      kind: 'write',
      scope: NOTIFY_OPERATE,
      input: Type.Object({ name, matchers, startsAt: Type.Optional(instant), endsAt: instant, reason: freeText(500) }),
      raises: ['RES_ALREADY_EXISTS', 'RES_CONFLICT'],
      example: {
        name: 'upgrade',
        matchers: EXAMPLE_MATCHERS,
        endsAt: '2099-01-01T00:00:00Z',
        reason: 'database upgrade',
      },
      async run(who, { startsAt = clock.now().toISOString(), ...input }, tx) {
        const window = { matchers: matchersOf(input.matchers), startsAt, endsAt: input.endsAt };
        refuse([...checkValues(input.matchers), ...checkWindow(window)]);
        const [person] = await people.listActiveByIds(tx, who.tenant, [who.subject]);
        const policy = await insert(tx, who.tenant, {
          kind: 'silence',
          name: input.name,
          document: { ...window, reason: input.reason, createdBy: person?.name ?? `client ${who.subject}` },
          endsAt: new Date(input.endsAt),
          createdBy: who.subject,
        });
        await record(tx, who, 'silence.create', policy, { name: policy.name, ...window, reason: input.reason });
        return policy;
      },
    }),

    /** Creates a maintenance, planned work: nobody is told of matching events that begin in its time; acknowledged and resolved ones pass. */
    createMaintenance: operation({
      name: 'maintenance.create',
      kind: 'write',
      scope: NOTIFY_OPERATE,
      input: Type.Object({ name, matchers, startsAt: Type.Optional(instant), endsAt: instant }),
      raises: ['RES_ALREADY_EXISTS', 'RES_CONFLICT'],
      example: { name: 'new switches', matchers: EXAMPLE_MATCHERS, endsAt: '2099-01-01T00:00:00Z' },
      async run(who, { startsAt = clock.now().toISOString(), ...input }, tx) {
        const window = { matchers: matchersOf(input.matchers), startsAt, endsAt: input.endsAt };
        refuse([...checkValues(input.matchers), ...checkWindow(window)]);
        const policy = await insert(tx, who.tenant, {
          kind: 'maintenance',
          name: input.name,
          document: window,
          endsAt: new Date(input.endsAt),
          createdBy: who.subject,
        });
        await record(tx, who, 'maintenance.create', policy, { name: policy.name, ...window });
        return policy;
      },
    }),

    /** Times to which the actions of rules refer. */
    createTimeInterval: operation({
      name: 'timeInterval.create',
      kind: 'write',
      scope: NOTIFY_ADMIN,
      input: Type.Object({
        name,
        timeZone: timeInterval.properties.timeZone,
        periods: timeInterval.properties.periods,
      }),
      raises: ['RES_ALREADY_EXISTS', 'RES_CONFLICT'],
      example: {
        name: 'nights',
        timeZone: 'Europe/Berlin',
        periods: [{ times: [{ from: '22:00', to: '24:00' }] }],
      },
      async run(who, { name: named, ...interval }, tx) {
        refuse(checkTimeInterval(interval));
        const policy = await insert(tx, who.tenant, {
          kind: 'time_interval',
          name: named,
          document: interval,
          endsAt: null,
          createdBy: who.subject,
        });
        await record(tx, who, 'timeInterval.create', policy, { name: policy.name });
        return policy;
      },
    }),

    /** Ends a policy now: operators end the windows that they open, administrators every policy. */
    end: operation({
      name: 'notificationPolicy.end',
      kind: 'write',
      scope: NOTIFY_OPERATE,
      input: Type.Object({ id: idOf('NotificationPolicy') }),
      raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
      example: { id: exampleId('NotificationPolicy') },
      async run(who, { id }, tx) {
        const known = await store.getLocked(tx, who.tenant, id);
        if (!WINDOWS.has(known.kind) && !NOTIFY_ADMIN.some((scope) => who.scopes.has(scope)))
          throw new Fault('PERM_SCOPE_DENIED', `Missing required scope: ${NOTIFY_ADMIN.join(' or ')}`, {
            anyOf: NOTIFY_ADMIN,
          });
        if (known.kind === 'time_interval') await refuseWhileNamed(tx, who.tenant, known);
        const policy = await store.update(tx, who.tenant, id, { removedAt: sql`kernel.now()` });
        await record(tx, who, 'notificationPolicy.end', policy, { kind: policy.kind, name: policy.name });
        return policy;
      },
    }),
  };
};

export type NotificationPolicies = ReturnType<typeof createPolicies>;
