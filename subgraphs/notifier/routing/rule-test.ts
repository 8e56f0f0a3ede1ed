import { invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import { parseJson } from '@landfall/kernel/core/json';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { instant, parser } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import * as events from '../events/events.store.ts';
import { stateOf } from '../ingest/ingest.ts';
import type { Audiences, Recipient } from '../people/recipients.ts';
import type { Rule } from '../rules/rule.ts';
import { createRuleSet } from '../rules/rule-set.ts';
import * as rules from '../rules/rules.store.ts';
import { NOTIFY_READ } from '../shared/scopes.ts';
import { userOf } from '../shared/user-reference.ts';
import { explainedOf } from './explanation.ts';
import type { Knowledge, TenantKnowledge } from './knowledge.ts';
import { planAction } from './plan.ts';
import { ruleDraft, ruleOfDraft } from './rule-draft.ts';

/** Characters of an event that is given, at most. */
const MOST_CHARACTERS = 100_000;

/** Place at which an event of a grouped action waits before anything is sent; null where each event is told by itself. */
const groupingOf = ({ groupBy, groupWaitSeconds, digest }: Rule['actions'][number]): string | null => {
  if (digest) return `It is collected for the digest of ${digest.schedule.times.join(', ')} in ${digest.timeZone}.`;
  if (groupBy.length === 0) return null;
  return `It joins the group of its ${groupBy.join(', ')}, whose first message waits ${groupWaitSeconds} s for others.`;
};

/** Event as a producer would send it; everything but its kind may be left out. */
const givenEvent = Type.Object({
  kind: Type.String({ minLength: 1, maxLength: 200 }),
  producer: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  ts: Type.Optional(instant),
  actor: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  attributes: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 1_000 }), { maxProperties: 50 })),
  payload: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
const readEvent = parser(Type.Object({ event: givenEvent }));

const storedOf = (tenant: TenantId, given: Static<typeof givenEvent>, now: Date, id: string): events.StoredEvent => {
  const { kind, producer = 'test', ts, actor = null, attributes = {}, payload = {} } = given;
  return {
    tenant,
    id: toId(id, 'NotificationEvent'),
    producer,
    eventId: id,
    kind,
    at: ts === undefined ? now : new Date(ts),
    actor,
    ...stateOf(attributes),
    attributes,
    payload,
    correlationId: id,
    receivedAt: now,
    routedAt: null,
    ruleSetVersion: null,
  };
};

interface RuleTestDeps extends Pick<Deps, 'operation' | 'clock' | 'ids'> {
  readonly knowledge: Knowledge;
  readonly audiences: Pick<Audiences, 'find'>;
  /** Public address of the console. */
  readonly baseUrl: string;
}

/** Creates the operation that tries a rule on an event. Nothing is sent, and no throttle counts it. */
export const createRuleTest = ({ operation, clock, ids, knowledge, audiences, baseUrl }: RuleTestDeps) => {
  /** Event of an id, or the one that was given. @throws Fault VAL_* */
  const eventOf = async (
    query: Query,
    tenant: TenantId,
    {
      eventId,
      event,
    }: { readonly eventId?: events.StoredEvent['id'] | undefined; readonly event?: string | undefined },
  ): Promise<events.StoredEvent> => {
    if (eventId !== undefined) return events.get(query, tenant, eventId);
    if (event === undefined)
      throw invalid([{ field: 'eventId', message: 'or an event is required', code: 'VAL_REQUIRED_FIELD' }]);
    const parsed = parseJson(event);
    if (parsed === undefined) throw invalid([{ field: 'event', message: 'is not JSON', code: 'VAL_INVALID_FORMAT' }]);
    return storedOf(tenant, readEvent({ event: parsed }).event, clock.now(), ids.uuid());
  };

  const actionOf = (
    event: events.StoredEvent,
    rule: Rule,
    actionIndex: number,
    known: TenantKnowledge,
    recipient?: Recipient,
  ) => {
    const wanted = { rule, actionIndex, deliveryId: ids.uuid(), recipient };
    const moment = { now: clock.now(), baseUrl, counts: new Map(), rendered: () => {} };
    const { channelId, outcome } = planAction(event, wanted, known, moment);
    const action = rule.actions[actionIndex];
    return {
      channelId: channelId ?? null,
      recipient: recipient ? userOf(recipient.subject) : null,
      outcome: outcome.kind,
      reason: outcome.kind === 'send' ? action && groupingOf(action) : outcome.reason,
      policy: outcome.kind === 'send' ? null : outcome.policy,
      until: outcome.kind === 'hold' ? outcome.until : null,
      message: outcome.kind === 'send' ? outcome.message : null,
    };
  };

  /** Outcomes of an action: one, or one for each address of its people and each person without one. */
  const actionsOf = async (
    query: Query,
    event: events.StoredEvent,
    rule: Rule,
    actionIndex: number,
    known: TenantKnowledge,
  ) => {
    const recipients = rule.actions[actionIndex]?.recipients;
    if (!recipients) return [actionOf(event, rule, actionIndex, known)];
    const { recipients: reached, unreached } = await audiences.find(query, event.tenant, event, recipients);
    return [
      ...reached.map((recipient) => actionOf(event, rule, actionIndex, known, recipient)),
      ...unreached.map(({ subject, policy, reason }) => ({
        channelId: null,
        recipient: subject === null ? null : userOf(subject),
        outcome: 'suppress' as const,
        reason,
        policy,
        until: null,
        message: null,
      })),
    ];
  };

  return operation({
    name: 'notificationRule.test',
    kind: 'read',
    scope: NOTIFY_READ,
    cost: 10,
    input: Type.Object({
      ruleId: Type.Optional(idOf('NotificationRule')),
      /** Rule in place of a saved one. */
      rule: Type.Optional(ruleDraft),
      eventId: Type.Optional(idOf('NotificationEvent')),
      /** Event in JSON in place of one of the past. */
      event: Type.Optional(Type.String({ minLength: 2, maxLength: MOST_CHARACTERS })),
    }),
    raises: ['RES_NOT_FOUND'],
    example: { ruleId: exampleId('NotificationRule'), event: '{"kind":"risk.score.changed"}' },
    async run({ tenant }, { ruleId, rule: draft, ...subject }, query) {
      if (draft === undefined && ruleId === undefined)
        throw invalid([{ field: 'ruleId', message: 'or a rule is required', code: 'VAL_REQUIRED_FIELD' }]);
      const saved = ruleId === undefined ? undefined : rules.ruleOf(await rules.get(query, tenant, ruleId));
      const tried = draft === undefined ? saved : ruleOfDraft(draft);
      if (!tried) throw new TypeError('a test has no rule');
      const event = await eventOf(query, tenant, subject);
      const known = (await knowledge.load(query, [tenant])).get(tenant);
      // A rule is often tried before it is enabled.
      const rule = { ...tried, isEnabled: true };
      const [outcome] = createRuleSet([rule]).evaluate(event).explain();
      if (!known || !outcome) throw new TypeError('a tenant and a rule lead to one outcome');
      const actions = [];
      if (outcome.kind === 'matched')
        for (const at of rule.actions.keys()) actions.push(...(await actionsOf(query, event, rule, at, known)));
      return { ...explainedOf(outcome), actions };
    },
  });
};

export type RuleTest = ReturnType<typeof createRuleTest>;
