import type { Seed, SeedContext } from '@landfall/kernel/operation/seed';
import { until } from '@landfall/kernel/testing/until';
import type { Notifier } from '../index.ts';
import { startSink } from './sink.ts';

/** Document of a template of the owner. */
const templateOf = (tenantId: string, mark: string): string =>
  JSON.stringify({
    schemaVersion: 'notify.template.event@1',
    templateId: mark,
    tenantId,
    channelType: 'webhook',
    key: mark,
    locale: 'en-US',
    body: '{"text": "{{ event.kind }} {{ event.payload.absent }}"}',
    renderMode: 'json',
    format: 'json',
    placeholders: [{ name: 'event.payload.absent', description: 'Value that no event of the seed has', example: '1' }],
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-01T00:00:00Z',
  });

/** Event of the producer risk that happens now. */
const eventOf = ({ deps, owner, mark }: SeedContext, eventId: string) => ({
  producer: 'risk',
  eventId,
  kind: 'risk.score.changed',
  tenant: owner.tenant,
  ts: deps.clock.now().toISOString(),
  payload: { mark },
  attributes: { mark },
});

/** Period around the present. */
const hourAround = ({ deps }: SeedContext) => {
  const now = deps.clock.now().getTime();
  return { from: new Date(now - 1_800_000).toISOString(), to: new Date(now + 1_800_000).toISOString() };
};

/** Seeds a channel with a rule, and an event whose delivery became a dead letter. */
const create = async (notifier: Notifier, context: SeedContext) => {
  const { owner, mark } = context;
  const { channels, contactMethods, rules, policies, templates, ingest, deliveries, deadLetters, explanation } =
    notifier;
  await using sink = await startSink(({ path }) => (path === `/${mark}/person` ? {} : { status: 404, body: mark }));
  const { channel } = await channels.create(owner, { name: mark, webhook: { config: { url: `${sink.url}/${mark}` } } });
  const { template } = await templates.save(owner, { document: templateOf(owner.tenant, mark) });
  await templates.publish(owner, { id: template.id });
  const rule = await rules.create(owner, {
    name: mark,
    priority: 1,
    matchers: [{ path: 'attributes.mark', op: 'eq', values: [mark] }],
    actions: [
      { channelId: channel.id, templateKey: 'generic' },
      // Suppressed, since the event lacks a value that the template needs.
      { channelId: channel.id, templateKey: mark },
    ],
  });
  const policy = await policies.createTimeInterval(owner, {
    name: mark,
    timeZone: 'UTC',
    periods: [{ times: [{ from: '00:00', to: '00:01' }] }],
  });
  const { channel: carrier } = await channels.create(owner, {
    name: `${mark} people`,
    forPeople: true,
    webhook: { config: { url: `${sink.url}/people` } },
  });
  const person = { ...owner, subject: context.ids.User ?? owner.subject };
  const method = await contactMethods.add(person, { channelId: carrier.id, address: `${sink.url}/${mark}/person` });
  await ingest(owner, eventOf(context, mark));
  const { signal } = new AbortController();
  // Where a product runs beside the seed, its workers may have the event first.
  const [letter] = await until(async () => {
    await notifier.route();
    await Promise.all(await notifier.dispatch.begin(signal));
    const { items } = await deadLetters.list(owner, {});
    return items.length > 0 && items;
  });
  const [event] = (await explanation.list(owner, {})).items;
  const [delivery] = (await deliveries.list(owner, {})).items;
  return {
    ids: {
      Channel: channel.id,
      ...(letter && { Entry: letter.id }),
      ...(delivery && { Delivery: delivery.id }),
      NotificationChannel: channel.id,
      ContactMethod: method.id,
      NotificationRule: rule.id,
      NotificationPolicy: policy.id,
      NotificationTemplate: template.id,
      ...(letter && { DeadLetter: letter.id }),
      ...(event && { NotificationEvent: event.id }),
      ...(delivery && { NotificationDelivery: delivery.id }),
    },
    inputs: {
      'notificationEvent.ingest': eventOf(context, `${mark} again`),
      'notificationTemplate.save': { document: templateOf(owner.tenant, mark) },
      'notificationTemplate.preview': { document: templateOf(owner.tenant, mark) },
      // A rule that wants every event differs from those of the time, so that the events are named.
      'notificationRouting.replay': {
        ...hourAround(context),
        rule: { matchers: [], actions: [{ channelId: channel.id, templateKey: 'generic' }] },
      },
    },
  };
};

/** Fields of the graph that programs may not use. */
const OF_PEOPLE = [
  'myContactMethods',
  'contactChannels',
  'myNotificationPreferences',
  'addContactMethod',
  'resendContactMethodCode',
  'confirmContactMethod',
  'setContactMethodMutedKinds',
  'removeContactMethod',
  'setMyNotificationPreferences',
];

export const notifierSeed: Seed<Notifier> = {
  order: 60,
  create,
  shared: {
    'notificationTemplate.preview': 'renders the document that it is given',
    'notificationTemplate.shipped': 'lists what every tenant has',
  },
  sharedFields: {
    previewNotificationTemplate: 'renders the document that it is given',
    shippedNotificationTemplates: 'lists what every tenant has',
    notificationDeliveryStats: 'numbers only',
    testNotificationRule: 'the rule of the proof does not match; the matrix of operations reads its message',
    replayNotificationRouting: 'the period that is asked for is empty; the matrix of operations reads its events',
  },
  ownFields: {
    retryDeadLetters: 'its ids filter the caller’s own dead letters',
    ...Object.fromEntries(OF_PEOPLE.map((field) => [field, 'for people; the matrix of operations tries it'])),
  },
  values: {
    document: templateOf('acme', 'sample'),
    path: 'kind',
    templateKey: 'generic',
    key: 'kind',
    timeZone: 'UTC',
    from: '22:00',
    to: '07:00',
    MatcherOperator: 'EQ',
    MailSecurity: 'TLS',
    Weekday: 'MONDAY',
    DeadLetterStatus: 'OPEN',
  },
};
