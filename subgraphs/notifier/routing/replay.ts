import { setImmediate as turnOfOthers } from 'node:timers/promises';
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
import { channelOf, peopleOf, targetsOf } from './replayed-target.ts';
import { ruleDraft, ruleOfDraft } from './rule-draft.ts';

/** Events that one replay reads, at most, and differences that it names. */
const MOST_EVENTS = 1_000;
const MOST_DIFFERENCES = 80;

/** Work of the matchers of one replay in microseconds, at most, and after how much of it other requests have their turn. */
const MOST_WORK = 1_000_000;
const SLICE_WORK = 20_000;
/** Work of compiling a matcher of rules of the past. */
const COMPILING = 20;

/** Channels and people whom rules want told of an event; one is named once for each action. */
const targetsFor = (event: events.StoredEvent, ruleSet: RuleSet): string[] =>
  actionsOf(event, { ruleSet }).flatMap(({ rule, actionIndex }) => {
    const action = rule.actions[actionIndex];
    return action ? targetsOf(action) : [];
  });

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

interface Compared {
  readonly event: events.StoredEvent;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

const compare = (event: events.StoredEvent, past: RuleSet, now: RuleSet): Compared => {
  const [before, after] = [targetsFor(event, past), targetsFor(event, now)];
  return { event, before, after, added: without(after, before), removed: without(before, after) };
};

const channelsAmong = (targets: readonly string[]): string[] => targets.flatMap((target) => channelOf(target) ?? []);

const peopleAmong = (targets: readonly string[]) =>
  targets.filter((target) => channelOf(target) === undefined).map(peopleOf);

/** Numbers before and after by channel, and by people. */
const summaryOf = (compared: readonly Compared[]) => {
  const before = countsOf(compared.flatMap((each) => each.before));
  const after = countsOf(compared.flatMap((each) => each.after));
  const numbers = [...new Set([...before.keys(), ...after.keys()])].map((target) => ({
    target,
    before: before.get(target) ?? 0,
    after: after.get(target) ?? 0,
  }));
  const channels = numbers.flatMap(({ target, ...counted }) => {
    const channelId = channelOf(target);
    return channelId === undefined ? [] : [{ channelId, ...counted }];
  });
  const recipients = numbers.flatMap(({ target, ...counted }) =>
    channelOf(target) === undefined ? [{ ...peopleOf(target), ...counted }] : [],
  );
  return {
    before: numbers.reduce((sum, each) => sum + each.before, 0),
    after: numbers.reduce((sum, each) => sum + each.after, 0),
    channels,
    recipients,
  };
};

/** Reason why a replay is not of its whole period. */
const partialReason = (compared: number, read: number, limit: number): string | null => {
  if (compared < read)
    return `The matchers are costly: the newest ${compared} of ${read} events were compared. Choose a shorter period.`;
  return read === limit ? `The newest ${limit} events were compared. Choose a shorter period.` : null;
};

/** Creates the operation that compares what the rules in force, or with a draft, want for past events with what they wanted then. */
export const createReplay = ({
  operation,
  knowledge,
}: Pick<Deps, 'operation'> & { readonly knowledge: Pick<Knowledge, 'ruleSetOf'> }) => {
  /** Compares events, the newest first, until the work of their matchers is too much for one request. */
  const compareAll = async (query: Query, tenant: TenantId, found: readonly events.StoredEvent[], now: RuleSet) => {
    const sets = new Map<number, RuleSet>();
    const compared: Compared[] = [];
    let [work, slice] = [COMPILING * now.matcherCount, 0];
    for (const event of found) {
      const { ruleSetVersion: version } = event;
      let past = version === null ? knowledge.ruleSetOf(undefined) : sets.get(version);
      if (!past && version !== null) {
        past = knowledge.ruleSetOf(await rules.findRuleSet(query, tenant, version));
        sets.set(version, past);
        work += COMPILING * past.matcherCount;
      }
      if (!past) continue;
      work += past.workOf(event) + now.workOf(event);
      if (work > MOST_WORK) break;
      compared.push(compare(event, past, now));
      if (work - slice > SLICE_WORK) {
        slice = work;
        await turnOfOthers();
      }
    }
    return compared;
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
      const compared = await compareAll(query, tenant, found, now);
      const differences = compared.filter(({ added, removed }) => added.length + removed.length > 0);
      return {
        events: compared.length,
        /** Whether there are older events in the period that were not compared. */
        isPartial: found.length === limit || compared.length < found.length,
        partialReason: partialReason(compared.length, found.length, limit),
        ...summaryOf(compared),
        differing: differences.length,
        differences: differences.slice(0, MOST_DIFFERENCES).map(({ event, added, removed }) => ({
          event,
          added: channelsAmong(added),
          removed: channelsAmong(removed),
          addedRecipients: peopleAmong(added),
          removedRecipients: peopleAmong(removed),
        })),
      };
    },
  });
};

export type Replay = ReturnType<typeof createReplay>;
