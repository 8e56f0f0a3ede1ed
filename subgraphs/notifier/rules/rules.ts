import type { Who } from '@landfall/kernel/core/caller';
import { Fault, type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { expectedVersion, refuseStale } from '../shared/expected-version.ts';
import { NOTIFY_ADMIN, NOTIFY_READ } from '../shared/scopes.ts';
import { checkRule, rule as ruleSchema } from './rule.ts';
import {
  type ActionInput,
  actionInputs,
  actionsOf,
  checkValues,
  type MatcherInput,
  matcherInputs,
  matchersOf,
} from './rule-input.ts';
import * as store from './rules.store.ts';

const record = eventsOf('NotificationRule');

/** Rules of a tenant, at most. */
const MOST_RULES = 1_000;

const { name, isEnabled, priority, continues } = ruleSchema.properties;

interface Known {
  has(id: string): boolean;
}

/** Things that there are among some, which actions of rules name. */
type Existing<Found extends Known> = (tx: Tx, tenant: TenantId, ids: readonly string[]) => Promise<Found>;

/** Things of a tenant that actions of rules name. `Type` is the type of a channel. */
interface ExistingThings<Type extends string = string> {
  readonly channels: Existing<ReadonlyMap<string, Type>>;
  readonly timeIntervals: Existing<ReadonlySet<string>>;
  /** Whether a template of a key is in force, for a type of channel if one is given. */
  readonly templates: (tx: Tx, tenant: TenantId) => Promise<(key: string, type: Type | undefined) => boolean>;
}

/** @throws Fault RES_NOT_FOUND for the first id that names nothing */
const refuseUnknown = (noun: string, ids: readonly string[], known: Known): void => {
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw new Fault('RES_NOT_FOUND', `There is no ${noun} ${missing}.`, { id: missing });
};

const dataOf = ({ name: named, isEnabled: enabled, priority: order }: store.StoredRule) => ({
  name: named,
  isEnabled: enabled,
  priority: order,
});

const alreadyExists = (named: string): Fault =>
  new Fault('RES_ALREADY_EXISTS', `There is a notification rule ${named} already.`, { name: named });

/** Faults of roles that nobody can have. */
const checkRoles = (actions: readonly ActionInput[], known: readonly string[]): readonly FieldFault[] =>
  actions.flatMap(({ recipients }, at) =>
    (recipients?.roles ?? [])
      .filter((role) => !known.includes(role))
      .map((role) => ({
        field: `actions.${at}.recipients.roles`,
        message: `${role} is none of ${known.join(', ')}`,
        code: 'VAL_INVALID_VALUE' as const,
      })),
  );

/** Creates the operations on rules. Each change puts a new version of the tenant's rules in force. */
export const createRules = <Type extends string>({
  operation,
  ids,
  existing,
  roles,
}: Pick<Deps, 'operation' | 'ids'> & {
  /** Roles that people can have. */
  readonly roles: readonly string[];
  readonly existing: ExistingThings<Type>;
}) => {
  /** Channels, intervals and templates that actions name. @throws Fault RES_NOT_FOUND */
  const refuseMissing = async (tx: Tx, tenant: TenantId, actions: readonly ActionInput[]): Promise<void> => {
    if (actions.length === 0) return;
    const channelIds = actions.flatMap(({ channelId }) => channelId ?? []);
    const channels = await existing.channels(tx, tenant, channelIds);
    refuseUnknown('notification channel', channelIds, channels);
    const intervalIds = actions.flatMap(({ mutedDuring = [], activeDuring = [] }) => [...mutedDuring, ...activeDuring]);
    refuseUnknown('time interval', intervalIds, await existing.timeIntervals(tx, tenant, intervalIds));
    const hasTemplate = await existing.templates(tx, tenant);
    for (const { templateKey, channelId } of actions) {
      const type = channelId === undefined ? undefined : channels.get(channelId);
      if (hasTemplate(templateKey, type)) continue;
      const place = type === undefined ? '' : ` for channels of type ${type}`;
      throw new Fault('RES_NOT_FOUND', `There is no published template ${templateKey}${place}. Publish it first.`, {
        id: templateKey,
      });
    }
  };

  /** Checks what was given: an action that stays may name a channel that was removed. @throws Fault VAL_* naming the fields */
  const check = async (
    tx: Tx,
    { tenant }: Who,
    definition: store.RuleDefinition,
    {
      actions: given,
      matchers: givenMatchers = [],
    }: {
      readonly actions?: readonly ActionInput[] | undefined;
      readonly matchers?: readonly MatcherInput[] | undefined;
    },
  ): Promise<void> => {
    const actions = given ?? [];
    await refuseMissing(tx, tenant, actions);
    const [first, ...rest] = [...checkValues(givenMatchers), ...checkRule(definition), ...checkRoles(actions, roles)];
    if (first) throw invalid([first, ...rest]);
  };

  return {
    list: operation({
      name: 'notificationRule.list',
      kind: 'read',
      scope: NOTIFY_READ,
      input: Type.Object({}),
      run: ({ tenant }, _input, query) => store.list(query, tenant),
    }),

    get: operation({
      name: 'notificationRule.get',
      kind: 'read',
      scope: NOTIFY_READ,
      input: Type.Object({ id: idOf('NotificationRule') }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('NotificationRule') },
      run: ({ tenant }, { id }, query) => store.get(query, tenant, id),
    }),

    create: operation({
      name: 'notificationRule.create',
      kind: 'write',
      scope: NOTIFY_ADMIN,
      input: Type.Object({
        name,
        priority,
        matchers: matcherInputs,
        actions: actionInputs,
        isEnabled: Type.Optional(isEnabled),
        continues: Type.Optional(continues),
      }),
      raises: ['RES_NOT_FOUND', 'RES_ALREADY_EXISTS', 'RES_CONFLICT'],
      example: {
        name: 'failed deployments',
        priority: 100,
        matchers: [{ path: 'kind', op: 'eq', values: ['deployment.failed'] }],
        actions: [],
      },
      async run(who, { isEnabled: enabled = true, continues: goesOn = true, ...input }, tx) {
        const definition = {
          matchers: matchersOf(input.matchers),
          actions: actionsOf(input.actions),
          continues: goesOn,
        };
        await check(tx, who, definition, input);
        const known = await store.list(tx, who.tenant);
        if (known.some((each) => each.name === input.name)) throw alreadyExists(input.name);
        if (known.length >= MOST_RULES)
          throw new Fault('RES_CONFLICT', `There are ${MOST_RULES} rules already. Remove one first.`);
        const created = await store.insertIfAbsent(tx, who.tenant, {
          id: toId(ids.uuid(), 'NotificationRule'),
          name: input.name,
          priority: input.priority,
          isEnabled: enabled,
          definition,
          createdBy: who.subject,
        });
        if (!created) throw alreadyExists(input.name);
        await store.publish(tx, who.tenant);
        await record(tx, who, 'notificationRule.create', created, dataOf(created));
        return created;
      },
    }),

    update: operation({
      name: 'notificationRule.update',
      kind: 'write',
      scope: NOTIFY_ADMIN,
      input: Type.Object({
        id: idOf('NotificationRule'),
        expectedVersion,
        name: Type.Optional(name),
        priority: Type.Optional(priority),
        isEnabled: Type.Optional(isEnabled),
        matchers: Type.Optional(matcherInputs),
        continues: Type.Optional(continues),
        actions: Type.Optional(actionInputs),
      }),
      raises: ['RES_NOT_FOUND', 'RES_ALREADY_EXISTS', 'RES_VERSION_CONFLICT'],
      example: { id: exampleId('NotificationRule'), isEnabled: false },
      async run(who, { id, expectedVersion: expected, ...input }, tx) {
        const known = await store.getLocked(tx, who.tenant, id);
        refuseStale(`rule ${known.name}`, known, expected);
        const definition = {
          matchers: input.matchers ? matchersOf(input.matchers) : known.definition.matchers,
          continues: input.continues ?? known.definition.continues,
          actions: input.actions ? actionsOf(input.actions) : known.definition.actions,
        };
        await check(tx, who, definition, input);
        const others = (await store.list(tx, who.tenant)).filter((each) => each.id !== id);
        const next = input.name ?? known.name;
        if (others.some((each) => each.name === next)) throw alreadyExists(next);
        const updated = await store.update(tx, who.tenant, id, {
          name: next,
          priority: input.priority ?? known.priority,
          isEnabled: input.isEnabled ?? known.isEnabled,
          definition,
          updatedAt: sql`kernel.now()`,
        });
        await store.publish(tx, who.tenant);
        await record(tx, who, 'notificationRule.update', updated, dataOf(updated));
        return updated;
      },
    }),

    remove: operation({
      name: 'notificationRule.remove',
      kind: 'write',
      scope: NOTIFY_ADMIN,
      input: Type.Object({ id: idOf('NotificationRule') }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('NotificationRule') },
      async run(who, { id }, tx) {
        await store.getLocked(tx, who.tenant, id);
        const removed = await store.update(tx, who.tenant, id, { removedAt: sql`kernel.now()` });
        await store.publish(tx, who.tenant);
        await record(tx, who, 'notificationRule.remove', removed, dataOf(removed));
        return removed;
      },
    }),
  };
};

export type Rules = ReturnType<typeof createRules>;
