import { systemCaller } from '@landfall/kernel/core/caller';
import { type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps, PeopleDirectory } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import type { Recipients } from './rule.ts';
import type { MatcherInput } from './rule-input.ts';
import { actionsOf, matchersOf } from './rule-input.ts';
import * as store from './rules.store.ts';

const record = eventsOf('NotificationRule');

const NAME = 'notifier.readyRules';
/** Pause between looks for tenants that are new, which the events of their people shorten. */
const POLL_MS = 60_000;

interface ReadyRule {
  readonly name: string;
  readonly kind: string;
  readonly matchers?: readonly MatcherInput[];
  readonly recipients: Recipients;
  /** Template of its messages; that of the kind unless given. */
  readonly templateKey?: string;
}

const OPERATORS: Recipients = { roles: ['admin', 'operator', 'release-manager'] };

/** Names of environments that serve customers. */
const PRODUCTION: MatcherInput = {
  path: 'attributes.environment',
  op: 'regex',
  values: ['(?i)(.*-)?prod(uction)?(-.*)?'],
};

/** Rules of a tenant that never had one, after which its administrators change them. */
const READY_RULES: readonly ReadyRule[] = [
  { name: 'Approval needed', kind: 'approval.needed', recipients: { approvers: true } },
  { name: 'Deployment failed', kind: 'deployment.failed', recipients: OPERATORS },
  {
    name: 'Deployed to production',
    kind: 'deployment.landed',
    matchers: [PRODUCTION],
    recipients: { roles: ['admin', 'release-manager'] },
  },
  { name: 'Drift seen', kind: 'drift.seen', recipients: OPERATORS },
  { name: 'Evidence damaged', kind: 'evidence.damaged', recipients: { roles: ['admin'] }, templateKey: 'generic' },
];

/** Lowest priority of these rules, so that others have room before them. */
const FIRST_PRIORITY = 1_000;

interface ReadyRulesDeps extends Pick<Deps, 'database' | 'ids' | 'hints' | 'log'> {
  readonly people: Pick<PeopleDirectory, 'listTenants'>;
}

/** Creates the worker that gives each tenant with people its first rules, once: also a tenant that removed all has had some. */
export const createReadyRules = ({ database, ids, hints, log, people }: ReadyRulesDeps) => {
  const insert = async (tx: Tx, tenant: TenantId): Promise<void> => {
    await store.lockRuleSets(tx, tenant);
    if (await store.hasRuleSet(tx, tenant)) return;
    const who = systemCaller(tenant, NAME, ids.uuid());
    for (const [at, { name, kind, matchers = [], recipients, templateKey = kind }] of READY_RULES.entries()) {
      const rule = await store.insertIfAbsent(tx, tenant, {
        id: toId(ids.uuid(), 'NotificationRule'),
        name,
        priority: FIRST_PRIORITY + 10 * at,
        isEnabled: true,
        definition: {
          matchers: matchersOf([{ path: 'kind', op: 'eq', values: [kind] }, ...matchers]),
          continues: true,
          actions: actionsOf([{ recipients, templateKey }]),
        },
        createdBy: NAME,
      });
      if (rule) await record(tx, who, 'notificationRule.create', rule, { name, isReady: true });
    }
    await failpoint('notifier.readyRules.inserted');
    await store.publish(tx, tenant);
  };

  /** Gives rules to the tenants that never had one. @returns their number */
  const turn = async (): Promise<number> => {
    const tenants = await database.system.read(async (query) =>
      store.listWithoutRuleSet(query, await people.listTenants(query)),
    );
    for (const tenant of tenants) await database.write(tenant, (tx) => insert(tx, tenant));
    return tenants.length;
  };

  return { turn, worker: pollingWorker({ name: NAME, pollMs: POLL_MS, hints: hints.of('User'), log, turn }) };
};
