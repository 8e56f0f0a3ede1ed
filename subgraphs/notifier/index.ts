import { fileURLToPath } from 'node:url';
import type { Caller } from '@landfall/kernel/core/caller';
import { type Id, toId } from '@landfall/kernel/core/ids';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import {
  type ApproverDirectory,
  type Deprecation,
  type Deps,
  defineModule,
  type PeopleDirectory,
} from '@landfall/kernel/module';
import { type Connect, createConnect } from '@landfall/kernel/system/connect';
import { openEgress } from '@landfall/kernel/system/egress';
import { defineSettings } from '@landfall/kernel/system/settings';
import type { Meter } from '@landfall/kernel/system/telemetry';
import type { Tracer } from '@landfall/kernel/system/tracing';
import { createSchedule } from '@landfall/kernel/work/schedule';
import { createChannels } from './channels/channels.ts';
import { CONNECTORS, type Connectors, createOpenChannels, readinessOf } from './channels/open-channels.ts';
import { createWebhookSecrets } from './channels/webhook-secrets.ts';
import type { Context } from './context.ts';
import { createDeadLetters } from './deliveries/dead-letters.ts';
import { createDeliveries } from './deliveries/deliveries.ts';
import { createDeliveryMeters } from './deliveries/delivery-meters.ts';
import { createDeliveryWorker } from './deliveries/delivery-worker.ts';
import { createDispatch } from './deliveries/dispatch.ts';
import { createQueueDepth } from './deliveries/queue-depth.ts';
import { createSettlement } from './deliveries/settlement.ts';
import { createAlertmanagerIngest } from './ingest/alertmanager.ts';
import { createIngest } from './ingest/ingest.ts';
import { createPackAcknowledgement } from './ingest/pack-acknowledgement.ts';
import { createLoaders } from './loaders.ts';
import { createContactCodes } from './people/contact-code.ts';
import { createContactMethods } from './people/contact-methods.ts';
import { createPreferences } from './people/preferences.ts';
import { createAudiences } from './people/recipients.ts';
import { createUnsubscribe } from './people/unsubscribe.ts';
import { createDeprecations } from './platform/deprecations.ts';
import { createPlatformFeed } from './platform/platform-feed.ts';
import { createPermanentPolicies } from './policies/permanent-policies.ts';
import { createPolicies } from './policies/policies.ts';
import { resolvers } from './resolvers.ts';
import { createFindAudiences } from './routing/audience.ts';
import { createChannelTest } from './routing/channel-test.ts';
import { createCompose } from './routing/compose.ts';
import { existing } from './routing/existing-names.ts';
import { createExplanation } from './routing/explanation.ts';
import { createGroupMessages } from './routing/group-messages.ts';
import { createHeartbeat } from './routing/heartbeat.ts';
import { createIsolation } from './routing/isolation.ts';
import { createKnowledge } from './routing/knowledge.ts';
import { createPlanning } from './routing/planning.ts';
import { createReplay } from './routing/replay.ts';
import { createResumption } from './routing/resumption.ts';
import { createRetention } from './routing/retention.ts';
import { createRouter } from './routing/router.ts';
import { createRoutingMeters } from './routing/routing-meters.ts';
import { createRoutingSettlement } from './routing/routing-settlement.ts';
import { createRoutingWorker } from './routing/routing-worker.ts';
import { createRuleTest } from './routing/rule-test.ts';
import { createReadyRules } from './rules/ready-rules.ts';
import { createRules } from './rules/rules.ts';
import { createSignal } from './shared/signal.ts';
import { createTemplates } from './templates/templates.ts';

export { notifierDestinations } from './channels/destinations.ts';

interface NotifierSurroundings {
  /** Public address of the console. */
  readonly baseUrl: string;
  readonly connect?: Connect;
  readonly connectors?: Connectors;
  /** Address of a monitor that expects a POST each minute. */
  readonly heartbeatUrl?: string | undefined;
  /** Interfaces that have an end; none unless given. */
  readonly deprecations?: () => readonly Deprecation[];
  /** Undefined where no metrics are collected. */
  readonly meter?: Meter | undefined;
  /** Undefined where no spans are exported. */
  readonly tracer?: Tracer | undefined;
  /** People whom rules may tell, and those who may approve a promotion. */
  readonly people: PeopleDirectory;
  readonly approvers: ApproverDirectory;
  /** Number from 0 to 1 that spreads retries. */
  readonly random?: () => number;
}

/** Events, rules, channels, deliveries and dead letters (spec 2.9, 4.8). */
export const createNotifier = (
  deps: Deps,
  {
    baseUrl,
    connect = createConnect(openEgress),
    connectors = CONNECTORS,
    deprecations = () => [],
    heartbeatUrl,
    meter,
    tracer,
    people,
    approvers,
    random = Math.random,
  }: NotifierSurroundings,
) => {
  const accepted = createSignal();
  const due = createSignal();
  const knowledge = createKnowledge();
  const meters = createDeliveryMeters(meter, tracer);
  const channels = createChannels(deps);
  const secrets = createWebhookSecrets(deps);
  const rules = createRules({ ...deps, existing, roles: people.roles });
  const audiences = createAudiences({ people, approvers });
  const readyRules = createReadyRules({ ...deps, people });
  const policies = {
    ...createPolicies({ ...deps, people }),
    ...createPermanentPolicies({ ...deps, channels: existing.channels }),
  };
  const templates = createTemplates(deps);
  const ingest = createIngest({ ...deps, accepted });
  const ingestAlerts = createAlertmanagerIngest({ ...deps, accepted });
  const acknowledgePack = createPackAcknowledgement({ ...deps, accepted });
  const compose = createCompose({ baseUrl });
  const deliveries = createDeliveries({ ...deps, compose });
  const deadLetters = createDeadLetters(deps);
  const explanation = createExplanation({ ...deps, knowledge });
  const testChannel = createChannelTest({ ...deps, compose, due });
  const testRule = createRuleTest({ ...deps, knowledge, audiences, baseUrl });
  const replay = createReplay({ ...deps, knowledge });
  const openChannels = createOpenChannels({ ...deps, connect, connectors });
  const contactMethods = createContactMethods({ ...deps, openChannels, codes: createContactCodes(deps) });
  const preferences = createPreferences(deps);
  const settle = createSettlement({ ...deps, meters, random });
  const unsubscribe = createUnsubscribe({ ...deps, baseUrl });
  const dispatch = createDispatch({ ...deps, openChannels, settle, unsubscribe });
  const routingMeters = createRoutingMeters(meter);
  const newId = <Name extends string>(name: Name): Id<Name> => toId(deps.ids.uuid(), name);
  const planAll = createPlanning({ ...deps, meters: routingMeters, baseUrl });
  const isolate = createIsolation(deps);
  const settlement = createRoutingSettlement({ planAll, meters: routingMeters, newId });
  const routing = { ...deps, knowledge, planAll, settlement, isolate, audiences, meters: routingMeters, newId };
  const route = createRouter({
    ...routing,
    resumeWaiting: createResumption(routing),
    tellGroups: createGroupMessages(routing),
    findAudiences: createFindAudiences({ ...deps, audiences }),
    due,
  });
  const retention = createRetention({ ...deps, meters: routingMeters });
  const platform = createPlatformFeed({ ...deps, accepted });
  const heartbeat = createHeartbeat({ ...deps, url: heartbeatUrl, accepted });
  const announcement = createDeprecations({ ...deps, deprecations, accepted });
  return {
    name: 'notifier',
    operations: [
      ingest,
      ingestAlerts,
      acknowledgePack,
      channels.list,
      channels.get,
      channels.listOfIds,
      channels.create,
      channels.update,
      channels.setEnabled,
      secrets.rotate,
      secrets.get,
      secrets.list,
      rules.list,
      rules.get,
      rules.create,
      rules.update,
      rules.remove,
      policies.list,
      policies.createSilence,
      policies.createMaintenance,
      policies.createTimeInterval,
      policies.createInhibition,
      policies.createFlapping,
      policies.createQuietHours,
      policies.end,
      templates.list,
      templates.get,
      templates.save,
      templates.publish,
      templates.remove,
      templates.preview,
      templates.shipped,
      contactMethods.list,
      contactMethods.listChannels,
      contactMethods.add,
      contactMethods.resendCode,
      contactMethods.confirm,
      contactMethods.setMutedKinds,
      preferences.get,
      preferences.set,
      deliveries.list,
      deliveries.get,
      deliveries.listOfIds,
      deliveries.messages,
      deliveries.attempts,
      deliveries.stats,
      deliveries.retry,
      deliveries.suppressions,
      deadLetters.list,
      deadLetters.get,
      deadLetters.stats,
      deadLetters.retry,
      deadLetters.discard,
      explanation.list,
      explanation.listOfIds,
      explanation.get,
      explanation.explain,
      testChannel,
      testRule,
      replay,
      contactMethods.remove,
      channels.remove,
    ],
    schema: buildSubgraph(new URL('./schema.graphql', import.meta.url), resolvers),
    context: (caller: Caller): Context => ({
      caller,
      channels,
      secrets,
      rules,
      policies,
      templates,
      contactMethods,
      preferences,
      deliveries,
      deadLetters,
      explanation,
      testChannel,
      testRule,
      replay,
      loaders: createLoaders(caller, {
        channels: channels.listOfIds,
        secrets: secrets.list,
        deliveries: deliveries.listOfIds,
        attempts: deliveries.attempts,
        messages: deliveries.messages,
        events: explanation.listOfIds,
      }),
    }),
    readiness: readinessOf(connectors),
    workers: [
      createSchedule(deps, 'notifier.housekeeping', [retention, announcement, ...heartbeat]),
      platform.worker,
      readyRules.worker,
      createRoutingWorker({ ...deps, route, accepted }),
      createDeliveryWorker({ ...deps, dispatch, due }),
      createQueueDepth({ ...deps, meter }),
    ],
    channels,
    secrets,
    rules,
    policies,
    templates,
    contactMethods,
    preferences,
    /** Links that end mails of a kind. */
    unsubscribe,
    ingest,
    ingestAlerts,
    acknowledgePack,
    deliveries,
    deadLetters,
    explanation,
    testChannel,
    testRule,
    replay,
    /** Gives tenants that never had a rule their first ones. */
    createReadyRules: readyRules.turn,
    /** Accepts the platform's own events since the last turn. */
    followPlatform: platform.turn,
    /** Tells tenants of interfaces that end, each once. */
    announceDeprecations: announcement.run,
    /** Accepts the event of the next heartbeat. */
    beat: async () => void (await heartbeat[0]?.run()),
    /** Deletes events that are older than 90 days with what became of them. */
    removeOld: retention.run,
    /** Routes accepted events once, and returns their number. */
    route,
    /** Begins the attempts that are due. */
    dispatch,
  };
};

export type Notifier = ReturnType<typeof createNotifier>;

const notifierSettings = defineSettings({
  heartbeatUrl: {
    type: 'string',
    env: 'LANDFALL_HEARTBEAT_URL',
    name: 'Notifier:HeartbeatUrl',
    secret: true,
    description:
      'Address of a monitor that expects a POST each minute: the delivery of an event that went through the whole notifier.',
  },
});

export const notifierModule = defineModule({
  name: 'notifier',
  settings: notifierSettings,
  migrations: fileURLToPath(new URL('./migrations', import.meta.url)),
  seed: async () => (await import('./testing/seed.ts')).notifierSeed,
  demo: async () => (await import('./demo/chapter.ts')).notifierChapter,
  configure: ({ heartbeatUrl }, { baseUrl }) => {
    if (heartbeatUrl !== undefined && !/^https?:$/.test(URL.parse(heartbeatUrl)?.protocol ?? ''))
      throw new Error('Notifier:HeartbeatUrl (LANDFALL_HEARTBEAT_URL) must be an address of http or https.');
    return (deps, { meter, tracer, connect, deprecations, people, approvers }) =>
      createNotifier(deps, { baseUrl, connect, meter, tracer, deprecations, heartbeatUrl, people, approvers });
  },
});
