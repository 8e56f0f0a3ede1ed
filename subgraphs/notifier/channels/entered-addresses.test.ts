import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parseSubnets } from '@landfall/kernel/system/address';
import { guarded } from '@landfall/kernel/system/egress';
import { caller } from '@landfall/kernel/testing/callers';
import { admin, notifierApp } from '../testing/notifier-app.ts';

const egress = guarded({
  ownPorts: new Set(),
  privateNetworks: parseSubnets('Egress:Private', []),
  allowPrivate: false,
});
const app = await notifierApp({ egress });
after(() => app[Symbol.asyncDispose]());
const { module } = app;

const webhook = (name: string, url: string) => module.channels.create(admin, { name, webhook: { config: { url } } });

test('an address that egress refuses whatever its name resolves to is refused when it is entered', async () => {
  const refused = (field: string, message: RegExp) => (error: unknown) => {
    const { code, fields } = Object(error);
    assert.deepEqual([code, fields[0].field], ['VAL_INVALID_VALUE', field]);
    assert.match(fields[0].message, message);
    return true;
  };
  const url = 'webhook.config.url';
  await assert.rejects(webhook('a', 'https://10.0.0.1/hook'), refused(url, /private network/));
  await assert.rejects(webhook('b', 'https://localhost/hook'), refused(url, /private network/));
  await assert.rejects(webhook('c', 'https://[fe80::1]/hook'), refused(url, /Link-local/));
  await assert.rejects(webhook('d', 'http://hooks.example/hook'), refused(url, /needs https/));
  const slack = { credential: { webhookUrl: 'https://169.254.169.254/' } };
  await assert.rejects(
    module.channels.create(admin, { name: 'e', slack }),
    refused('slack.credential.webhookUrl', /Link-local/),
  );
  const mail = { port: 25, security: 'none', from: 'a@acme.example', to: ['b@acme.example'] };
  await assert.rejects(
    module.channels.create(admin, { name: 'f', email: { config: { ...mail, host: '127.0.0.1' } } }),
    refused('email.config.host', /private network/),
  );
  const { channel } = await webhook('g', 'https://hooks.example/hook');
  await assert.rejects(
    module.channels.update(admin, { id: channel.id, webhook: { config: { url: 'https://127.0.0.1/' } } }),
    refused(url, /private network/),
  );
});

test('the webhook of a person is an HTTPS address of bounded length outside of private networks', async () => {
  const { channel } = await module.channels.create(admin, {
    name: 'people',
    forPeople: true,
    webhook: { config: { url: 'https://hooks.example/people' } },
  });
  const ana = caller({ subject: '00000000-0000-7000-8000-000000000301', scopes: ['orch:read'] });
  const add = (address: string) => module.contactMethods.add(ana, { channelId: channel.id, address });
  for (const address of ['http://hooks.example/ana', 'https://127.0.0.1/ana', 'https://10.0.0.1/ana'])
    await assert.rejects(add(address), { code: 'VAL_INVALID_VALUE' }, address);
  for (const address of [
    `https://hooks.example/${'a'.repeat(1_100)}`,
    'https://hooks.example/\u00e4',
    'ftp://a.example',
  ])
    await assert.rejects(add(address), { code: 'VAL_INVALID_FORMAT' }, address);
});
