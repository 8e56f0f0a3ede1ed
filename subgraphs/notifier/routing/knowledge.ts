import type { TenantId } from '@landfall/kernel/core/ids';
import { createLru } from '@landfall/kernel/core/lru';
import type { Query } from '@landfall/kernel/db/query';
import * as channels from '../channels/channels.store.ts';
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

/** Knowledge that the messages of a tenant depend on, beside the event. */
export interface TenantKnowledge {
  readonly tenant: TenantId;
  /** Null for a tenant that never had a rule. */
  readonly ruleSetVersion: number | null;
  readonly ruleSet: RuleSet;
  readonly policies: CompiledPolicies;
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

  return {
    /** A rule set of the past, compiled. */
    ruleSetOf,
    async load(query: Query, tenants: readonly TenantId[]): Promise<ReadonlyMap<TenantId, TenantKnowledge>> {
      const ruleSets = new Map((await rules.listNewest(query, tenants)).map((each) => [each.tenant, each]));
      const stored = Map.groupBy(await policies.listInForce(query, tenants), ({ tenant }) => tenant);
      const types = Map.groupBy(await channels.listTypes(query, tenants), ({ tenant }) => tenant);
      const own = Map.groupBy(await templates.listCompiled(query, tenants), ({ tenant }) => tenant);
      return new Map(
        tenants.map((tenant) => {
          const ruleSet = ruleSets.get(tenant);
          const written = (own.get(tenant) ?? []).map(({ compiled: template }) => template);
          const knowledge: TenantKnowledge = {
            tenant,
            ruleSetVersion: ruleSet?.version ?? null,
            ruleSet: ruleSetOf(ruleSet),
            policies: compilePolicies(policiesOf(stored.get(tenant) ?? [])),
            channelTypes: new Map((types.get(tenant) ?? []).map(({ id, type }) => [id, type])),
            templates: candidatesOf(tenant, written),
          };
          return [tenant, knowledge];
        }),
      );
    },
  };
};

export type Knowledge = ReturnType<typeof createKnowledge>;
