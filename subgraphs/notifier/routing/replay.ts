import { invalid } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { instant } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import * as events from '../events/events.store.ts';
import type { Rule } from '../rules/rule.ts';
import { createRuleSet, type RuleSet } from '../rules/rule-set.ts';
import * as rules from '../rules/rules.store.ts';
import { NOTIFY_READ } from '../shared/scopes.ts';
import { TEST_KIND } from './channel-test.ts';
import type { Knowledge } from './knowledge.ts';
import { actionsOf } from './plan.ts';
import { ruleDraft, ruleOfDraft } from './rule-draft.ts';

/** Events that one replay reads, at most, and differences that it names. */
const MOST_EVENTS = 1_000;
const MOST_DIFFERENCES = 100;

/** Channels that rules want told of an event; a channel is named once for each action. */
const channelsOf = (event: events.StoredEvent, ruleSet: RuleSet): string[] =>
  actionsOf(event, { ruleSet }).flatMap(({ rule, actionIndex }) => rule.actions[actionIndex]?.channelId ?? []);

/** Members of a list that another one has not, each as often as it is too many. */
const without = (all: readonly string[], others: readonly string[]): string[] => {
  const left = [...others];
  return all.filter((each) => {
    const at = left.indexOf(each);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
};

const countsOf = (ids: readonly string[]): ReadonlyMap<string, number> =>
  new Map([...Map.groupBy(ids, (id) => id)].map(([id, all]) => [id, all.length]));

/** Creates the operation that compares what the rules in force, or with a draft, want for past events with what they wanted then. */
export const createReplay = ({
  operation,
  knowledge,
}: Pick<Deps, 'operation'> & { readonly knowledge: Pick<Knowledge, 'ruleSetOf'> }) => {
  /** Rules of the time of each event, each version read once. */
  const loadPast = async (query: Query, tenant: TenantId, found: readonly events.StoredEvent[]) => {
    const versions = new Set(found.flatMap(({ ruleSetVersion }) => ruleSetVersion ?? []));
    const sets = new Map<number | null, RuleSet>();
    for (const version of versions)
      sets.set(version, knowledge.ruleSetOf(await rules.findRuleSet(query, tenant, version)));
    return (event: events.StoredEvent): RuleSet => sets.get(event.ruleSetVersion) ?? knowledge.ruleSetOf(undefined);
  };

  return operation({
    name: 'notificationRouting.replay',
    kind: 'read',
    scope: NOTIFY_READ,
    cost: 20,
    input: Type.Object({
      from: instant,
      to: instant,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_EVENTS })),
      rule: Type.Optional(ruleDraft),
    }),
    example: { from: '2026-01-01T00:00:00Z', to: '2026-01-08T00:00:00Z' },
    async run({ tenant }, { from, to, limit = MOST_EVENTS, rule: draft }, query) {
      if (Date.parse(from) > Date.parse(to))
        throw invalid([{ field: 'to', message: 'must not be earlier than from', code: 'VAL_INVALID_VALUE' }]);
      const bounds = { from: new Date(from), to: new Date(to), limit, except: TEST_KIND };
      const found = await events.listRouted(query, tenant, bounds);
      const saved = (await rules.list(query, tenant)).map(rules.ruleOf);
      const changed: Rule | undefined = draft && ruleOfDraft(draft);
      const now = createRuleSet(changed ? [...saved.filter(({ id }) => id !== changed.id), changed] : saved);
      const past = await loadPast(query, tenant, found);
      const compared = found.map((event) => {
        const [before, after] = [channelsOf(event, past(event)), channelsOf(event, now)];
        return { event, before, after, added: without(after, before), removed: without(before, after) };
      });
      const differences = compared.filter(({ added, removed }) => added.length + removed.length > 0);
      const [before, after] = [
        countsOf(compared.flatMap((each) => each.before)),
        countsOf(compared.flatMap((each) => each.after)),
      ];
      const total = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, n) => sum + n, 0);
      return {
        events: found.length,
        /** Whether there are older events in the period that were not read. */
        isPartial: found.length === limit,
        before: total(before),
        after: total(after),
        channels: [...new Set([...before.keys(), ...after.keys()])].map((channelId) => ({
          channelId,
          before: before.get(channelId) ?? 0,
          after: after.get(channelId) ?? 0,
        })),
        differing: differences.length,
        differences: differences
          .slice(0, MOST_DIFFERENCES)
          .map(({ event, added, removed }) => ({ event, added, removed })),
      };
    },
  });
};

export type Replay = ReturnType<typeof createReplay>;
