import type { DemoAccounts, DemoChapter, DemoStage, GraphSession } from '@landfall/kernel/demo/chapter';
import { runAction } from '@landfall/kernel/demo/graph-action';
import Type from 'typebox';
import { startReceiver } from './receiver.ts';

const Id = Type.Object({ id: Type.String() });
const Created = Type.Object({
  createNotificationChannel: Type.Object({ secret: Type.String(), channel: Id }),
});

/** Kinds of events that the demo's chat is told of. */
const KINDS = ['approval.needed', 'deployment.failed', 'deployment.landed', 'drift.seen'] as const;

/** Name of an action within the demo, without spaces. */
const keyOf = (name: string): string => name.replaceAll(' ', '-');

/** Creates a webhook channel to the demo's receiver. */
const createWebhook = async (admin: GraphSession, name: string, url: string) => {
  const document = `mutation ($input: CreateNotificationChannelInput!) {
    createNotificationChannel(input: $input) { secret channel { id } }
  }`;
  const input = { idempotencyKey: `demo/channel/${keyOf(name)}`, name, webhook: { config: { url } } };
  return (await admin.ask(document, { input }, Created)).createNotificationChannel;
};

const createRule = (admin: GraphSession, name: string, kind: string, channelId: string, priority: number) =>
  runAction(
    admin,
    {
      mutation: 'createNotificationRule',
      key: keyOf(name),
      input: {
        name,
        priority,
        matchers: [{ path: 'kind', op: 'EQ', values: [kind] }],
        actions: [{ channelId, templateKey: kind }],
        continues: true,
      },
    },
    Id,
  );

/**
 * Creates a chat that is told of deployments, approvals and drift, and a pager that was taken away: what it is not told
 * is a dead letter.
 */
const createChannels = async ({ memory }: DemoStage, { admin }: DemoAccounts, origin: string): Promise<void> => {
  const chat = await createWebhook(admin, 'release chat', `${origin}/chat`);
  await memory.keep('notifications', chat.secret);
  for (const [index, kind] of KINDS.entries())
    await createRule(admin, `release chat: ${kind}`, kind, chat.channel.id, 10 + index);
  const pager = await createWebhook(admin, 'old pager', `${origin}/retired`);
  await createRule(admin, 'old pager: failures', 'deployment.failed', pager.channel.id, 20);
};

/** Tells a receiver beside the server what happens in the other chapters. */
export const notifierChapter: DemoChapter = {
  order: 15,
  async open(stage) {
    const { memory, log, running } = stage;
    const port = await memory.port('notifications');
    running.use(await startReceiver({ port, log, secret: () => memory.find('notifications') }));
    return {
      async create(accounts) {
        await createChannels(stage, accounts, `http://127.0.0.1:${port}`);
        return {};
      },
    };
  },
};
