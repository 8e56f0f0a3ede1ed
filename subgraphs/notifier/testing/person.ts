import { caller } from '@landfall/kernel/testing/callers';
import type { startMailServer } from './mail-server.ts';
import { admin, type notifierApp } from './notifier-app.ts';

type App = Awaited<ReturnType<typeof notifierApp>>;
type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** People of an app who are told by mail. */
export const mailPeople = async ({ module, directory }: Pick<App, 'module' | 'directory'>, mail: MailServer) => {
  const { channel } = await module.channels.create(admin, {
    name: 'mail',
    forPeople: true,
    email: {
      config: {
        host: '127.0.0.1',
        port: mail.port,
        security: 'none',
        from: 'landfall@acme.example',
        to: ['team@acme.example'],
      },
    },
  });
  let serial = 0;

  /** Verifies a contact method by the code of the last mail. */
  const confirm = (as: ReturnType<typeof caller>, id: string) =>
    module.contactMethods.confirm(as, { id, code: /\b\d{6}\b/.exec(mail.mails.at(-1)?.text ?? '')?.[0] });

  return {
    channel,
    confirm,
    /** Adds a person with roles and verified addresses. */
    async add(
      name: string,
      {
        roles = [],
        addresses = [`${name}@acme.example`],
      }: { readonly roles?: readonly string[]; readonly addresses?: readonly string[] } = {},
    ) {
      serial += 1;
      const id = `00000000-0000-7000-8000-0000000002${String(serial).padStart(2, '0')}`;
      const as = caller({ subject: id, scopes: ['orch:read'] });
      const methods: string[] = [];
      for (const address of addresses) {
        const method = await module.contactMethods.add(as, { channelId: channel.id, address });
        await confirm(as, method.id);
        methods.push(method.id);
      }
      return { id, as, methods, listed: directory.add(id, name, ...roles) };
    },
    /** Creates a rule for a kind of events that tells people. */
    rule: (kind: string, recipients: object, action: object = {}) =>
      module.rules.create(admin, {
        name: kind,
        priority: 1,
        matchers: [{ path: 'kind', op: 'eq', values: [kind] }],
        actions: [{ recipients, templateKey: 'generic', ...action }],
      }),
  };
};
