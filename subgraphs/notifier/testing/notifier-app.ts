import { createHttpClient } from '@landfall/kernel/http/client';
import type { Egress } from '@landfall/kernel/system/egress';
import { testApp } from '@landfall/kernel/testing/app';
import { people } from '@landfall/kernel/testing/callers';
import { createNotifier } from '../index.ts';
import { createDirectories } from './directories.ts';

export const {
  'notify-admin': admin,
  'notify-operator': operator,
  'notify-viewer': viewer,
  'other-notify-admin': stranger,
} = people;

/** The notifier over a database of its own. Retries have no jitter. */
export const notifierApp = async ({
  egress,
  ...surroundings
}: Partial<Parameters<typeof createNotifier>[1]> & {
  /** Egress policy; without one everything may be asked. */
  readonly egress?: Egress;
} = {}) => {
  const http = egress && createHttpClient({ egress });
  const directory = createDirectories();
  const app = await testApp({
    createModule: (deps) =>
      createNotifier(http ? { ...deps, http } : deps, {
        ...directory,
        baseUrl: 'https://landfall.example',
        random: () => 0.5,
        ...surroundings,
      }),
  });
  const { module, deps } = app;
  let events = 0;
  return {
    ...app,
    directory,
    /** Sends what is due until nothing is, without time passing. */
    async send(): Promise<void> {
      const { signal } = new AbortController();
      for (;;) {
        const begun = await module.dispatch.begin(signal);
        if (begun.length === 0) return;
        await Promise.all(begun);
      }
    },
    /** Accepts an event of the producer risk. */
    async accept(event: Readonly<Record<string, unknown>> = {}): Promise<string> {
      events += 1;
      const eventId = `event-${events}`;
      await module.ingest(operator, {
        producer: 'risk',
        eventId,
        kind: 'risk.score.changed',
        tenant: 'acme',
        ts: deps.clock.now().toISOString(),
        payload: { score: 7 },
        ...event,
      });
      return eventId;
    },
    /** Message of a delivery. */
    async messageOf(id: unknown) {
      const [message] = await module.deliveries.messages(operator, { ids: [id] });
      if (!message) throw new TypeError(`there is no delivery ${id}`);
      return message;
    },
    /** Creates a webhook channel. @returns it with its secret */
    async webhook(url: string, name = `webhook ${deps.ids.uuid()}`) {
      const { channel, secret } = await module.channels.create(admin, { name, webhook: { config: { url } } });
      return { channel, secret: secret ?? '' };
    },
    /** Creates a rule for all events of the producer risk. */
    rule: (channelId: string, input: Readonly<Record<string, unknown>> = {}) =>
      module.rules.create(admin, {
        name: `rule ${deps.ids.uuid()}`,
        priority: 100,
        matchers: [{ path: 'producer', op: 'eq', values: ['risk'] }],
        actions: [{ channelId, templateKey: 'generic', ...input }],
      }),
    async [Symbol.asyncDispose]() {
      await http?.close();
      await app[Symbol.asyncDispose]();
    },
  };
};
