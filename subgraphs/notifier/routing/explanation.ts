import type { TenantId } from '@landfall/kernel/core/ids';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import * as deliveries from '../deliveries/deliveries.store.ts';
import * as suppressions from '../deliveries/suppressions.store.ts';
import * as events from '../events/events.store.ts';
import { valuesOf } from '../rules/rule-input.ts';
import type { RuleOutcome } from '../rules/rule-set.ts';
import * as rules from '../rules/rules.store.ts';
import { NOTIFY_READ } from '../shared/scopes.ts';
import * as groups from './groups.store.ts';
import type { Knowledge } from './knowledge.ts';
import * as waitingEvents from './waiting-events.store.ts';

/** Deliveries of an event that an explanation has, at most. */
const MOST_DELIVERIES = 200;

/** Outcome of a rule for an event, in words. */
export interface ExplainedRule {
  readonly ruleId: string;
  readonly name: string;
  readonly outcome: RuleOutcome['kind'];
  readonly reason: string;
}

const quoted = (value: string | null): string => (value === null ? 'nothing' : `“${value}”`);

const reasonOf = (outcome: RuleOutcome): string => {
  switch (outcome.kind) {
    case 'matched':
      return 'All its matchers match.';
    case 'disabled':
      return 'The rule is disabled.';
    case 'not_reached':
      return `The rule ${outcome.endedBy.name} matched before and does not continue.`;
    case 'failed': {
      const { path, op } = outcome.matcher;
      const wanted = valuesOf(outcome.matcher).map(quoted).join(', ');
      return `The event’s ${path} is ${quoted(outcome.seen)}; the rule wants ${op} ${wanted}.`;
    }
    default:
      return `The rule has a mistake: ${outcome.faults.map(({ field, message }) => `${field} ${message}`).join('; ')}.`;
  }
};

export const explainedOf = (outcome: RuleOutcome): ExplainedRule => ({
  ruleId: outcome.rule.id,
  name: outcome.rule.name,
  outcome: outcome.kind,
  reason: reasonOf(outcome),
});

/** Creates the operations that say what became of events, and why. */
export const createExplanation = ({
  operation,
  knowledge,
}: Pick<Deps, 'operation'> & { readonly knowledge: Pick<Knowledge, 'ruleSetOf'> }) => {
  /** Outcome of every rule by which the event was routed; none for an event that was not routed or had no rules. */
  const outcomesOf = async (query: Query, tenant: TenantId, event: events.StoredEvent): Promise<ExplainedRule[]> => {
    if (event.ruleSetVersion === null) return [];
    const stored = await rules.findRuleSet(query, tenant, event.ruleSetVersion);
    return knowledge.ruleSetOf(stored).evaluate(event).explain().map(explainedOf);
  };

  return {
    list: operation({
      name: 'notificationEvent.list',
      kind: 'read',
      scope: NOTIFY_READ,
      input: Type.Object({
        kind: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
        /** Value of an attribute: the id of a deployment, the name of a product. */
        about: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
        ...pageFields,
      }),
      run: ({ tenant }, { kind, about, ...page }, query) =>
        readPage(page, (bounds) => events.list(query, tenant, { kind, about }, bounds)),
    }),

    /** Events of some ids, for loaders. */
    listOfIds: operation({
      name: 'notificationEvent.listOfIds',
      kind: 'read',
      scope: NOTIFY_READ,
      input: Type.Object({ ids: Type.Array(idOf('NotificationEvent'), { maxItems: 1_000 }) }),
      example: { ids: [exampleId('NotificationEvent')] },
      run: ({ tenant }, { ids }, query) => events.listByIds(query, tenant, ids),
    }),

    get: operation({
      name: 'notificationEvent.get',
      kind: 'read',
      scope: NOTIFY_READ,
      input: Type.Object({ id: idOf('NotificationEvent') }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('NotificationEvent') },
      run: ({ tenant }, { id }, query) => events.get(query, tenant, id),
    }),

    /** Why somebody was, or was not, notified of an event. */
    explain: operation({
      name: 'notificationEvent.explain',
      kind: 'read',
      scope: NOTIFY_READ,
      input: Type.Object({ id: idOf('NotificationEvent') }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('NotificationEvent') },
      async run({ tenant }, { id }, query) {
        const event = await events.get(query, tenant, id);
        return {
          event,
          rules: await outcomesOf(query, tenant, event),
          deliveries: await deliveries.list(
            query,
            tenant,
            { eventId: id },
            { after: undefined, limit: MOST_DELIVERIES },
          ),
          suppressions: await suppressions.listOfEvent(query, tenant, id),
          waiting: await waitingEvents.listOfEvent(query, tenant, id),
          groups: await groups.listOfEvent(query, tenant, id),
        };
      },
    }),
  };
};

export type Explanation = ReturnType<typeof createExplanation>;
