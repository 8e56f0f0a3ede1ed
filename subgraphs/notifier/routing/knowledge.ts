import type { TenantId } from '@landfall/kernel/core/ids';
import { createLru } from '@landfall/kernel/core/lru';
import type { Query } from '@landfall/kernel/db/query';
import * as channels from '../channels/channels.store.ts';
import * as conditions from '../events/conditions.store.ts';
import type { StoredEvent } from '../events/events.store.ts';
import * as events from '../events/events.store.ts';
import { type CompiledPolicies, compilePolicies } from '../policies/decision.ts';
import * as policies from '../policies/policies.store.ts';
import { policiesOf } from '../policies/policy-documents.ts';
import { createRuleSet, type RuleSet } from '../rules/rule-set.ts';
import * as rules from '../rules/rules.store.ts';
import type { ChannelType } from '../templates/document.ts';
import * as templates from '../templates/templates.store.ts';
import { candidatesOf, type TemplateCandidate } from './template-candidates.ts';

/** Rule sets that stay compiled. */
const MOST_RULE_SETS = 500;

/** Conditions of a tenant that inhibitions look for their sources in, at most: the newest. */
const MOST_FIRING = 1_000;

/** Knowledge that the messages of a tenant depend on, beside the event. */
export interface TenantKnowledge {
  readonly tenant: TenantId;
  /** Null for a tenant that never had a rule. */
  readonly ruleSetVersion: number | null;
  readonly ruleSet: RuleSet;
  readonly policies: CompiledPolicies;
  /** Newest events of the conditions that fire, where inhibitions ask for them. */
  readonly firing: readonly StoredEvent[];
  /** Types of the channels that are not removed. */
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  /** Published templates of the tenant, and those that Landfall ships. */
  readonly templates: readonly TemplateCandidate[];
}

/** Creates the reading of what routing depends on. Role `landfall_system`. */
export const createKnowledge = () => {
  const compiled = createLru<string, RuleSet>({ most: MOST_RULE_SETS });
  const none = createRuleSet([]);

  const ruleSetOf = (stored: rules.StoredRuleSet | undefined): RuleSet => {
    if (!stored) return none;
    const key = `${stored.tenant} ${stored.version}`;
    const known = compiled.get(key);
    if (known) return known;
    const made = createRuleSet(stored.rules);
    compiled.set(key, made);
    return made;
  };

  type Known = ReadonlyMap<TenantId, TenantKnowledge>;

  /** Adds the events that fire now. */
  const withFiring = async (query: Query, known: Known): Promise<Known> => {
    const asking = [...known.values()].filter(({ policies: { inhibitions } }) => inhibitions.length > 0);
    const tenants = asking.map(({ tenant }) => tenant);
    const sources = tenants.length === 0 ? [] : await conditions.listFiring(query, tenants, MOST_FIRING);
    const added = new Map(known);
    for (const [tenant, own] of Map.groupBy(sources, (each) => each.tenant)) {
      const ids = own.map(({ eventId }) => eventId);
      const knowledge = known.get(tenant);
      if (knowledge) added.set(tenant, { ...knowledge, firing: await events.listByIds(query, tenant, ids) });
    }
    return added;
  };

  const knowledge = {
    /** A rule set of the past, compiled. */
    ruleSetOf,
    withFiring,
    /** Knowledge with the events that fire now. */
    load: async (query: Query, tenants: readonly TenantId[]): Promise<Known> =>
      withFiring(query, await knowledge.loadQuiet(query, tenants)),
    /** Knowledge without the events that fire now, for what is routed before they are recorded. */
    async loadQuiet(query: Query, tenants: readonly TenantId[]): Promise<Known> {
      const ruleSets = new Map((await rules.listNewest(query, tenants)).map((each) => [each.tenant, each]));
      const stored = Map.groupBy(await policies.listInForce(query, tenants), ({ tenant }) => tenant);
      const types = Map.groupBy(await channels.listTypes(query, tenants), ({ tenant }) => tenant);
      const ownTemplates = Map.groupBy(await templates.listCompiled(query, tenants), ({ tenant }) => tenant);
      return new Map(
        tenants.map((tenant) => {
          const ruleSet = ruleSets.get(tenant);
          const written = (ownTemplates.get(tenant) ?? []).map(({ compiled: template }) => template);
          const own: TenantKnowledge = {
            tenant,
            ruleSetVersion: ruleSet?.version ?? null,
            ruleSet: ruleSetOf(ruleSet),
            policies: compilePolicies(policiesOf(stored.get(tenant) ?? [])),
            firing: [],
            channelTypes: new Map((types.get(tenant) ?? []).map(({ id, type }) => [id, type])),
            templates: candidatesOf(tenant, written),
          };
          return [tenant, own];
        }),
      );
    },
  };
  return knowledge;
};

export type Knowledge = ReturnType<typeof createKnowledge>;
