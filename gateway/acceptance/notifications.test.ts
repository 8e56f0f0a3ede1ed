import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { authorityModule } from '@landfall/authority';
import { minimalEnvironment, needs } from '@landfall/kernel/testing/programs';
import { until } from '@landfall/kernel/testing/until';
import { AT_ONCE } from '@landfall/notifier/testing/parts';
import { startSink } from '@landfall/notifier/testing/sink';
import { Webhook } from 'standardwebhooks';
import { stringify } from 'yaml';
import { bearer } from '../testing/people.ts';
import { freePorts, type Started, startProcess } from '../testing/processes.ts';
import { startProduct } from '../testing/start.ts';

const TENANT = 'notifications';
const EVENTS = 100;

/** Alertmanager that sends everything at once to the product, as a client of its own. */
const alertmanagerConfig = ({ clientId, secret }: { readonly clientId: string; readonly secret: string }): string =>
  stringify({
    route: {
      receiver: 'landfall',
      group_by: ['alertname'],
      group_wait: '0s',
      group_interval: '1s',
      repeat_interval: '1h',
    },
    receivers: [
      {
        name: 'landfall',
        webhook_configs: [
          {
            url: `${product.baseUrl}/api/v2/notify/alertmanager`,
            send_resolved: true,
            http_config: {
              oauth2: {
                client_id: clientId,
                client_secret: secret,
                token_url: `${product.authUrl}/token`,
                scopes: ['notify.operator'],
              },
            },
          },
        ],
      },
    ],
  });

let product: Awaited<ReturnType<typeof startProduct>>;
/** Process of the product; a killed one has a successor. */
let running: Started;
let headers: Readonly<Record<string, string>>;
before(async () => {
  product = await startProduct('all-in-one', { LANDFALL_EGRESS_PRIVATE: '127.0.0.0/8' });
  running = product.processes[0] ?? assert.fail('there is no process');
  ({ headers } = await bearer(product, TENANT, ['notify.admin', 'notify.operator']));
});
after(async () => {
  await running[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
});

const graph = async (query: string, variables: object = {}) => {
  const response = await fetch(`${product.baseUrl}/graphql`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = JSON.parse(await response.text());
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data;
};

/** Creates a webhook to `url` that gets every event of a producer. @returns its secret */
const subscribe = async (producer: string, url: string, templateKey: string): Promise<string> => {
  const { created } = await graph(
    `mutation ($url: String!, $name: String!) {
      created: createNotificationChannel(input: { name: $name, webhook: { config: { url: $url } } }) { secret channel { id } }
    }`,
    { url, name: producer },
  );
  await graph(
    `mutation ($channel: ID!, $producer: String!, $template: String!) {
      createNotificationRule(input: { name: $producer, priority: 1, matchers: [{ path: "producer", op: EQ, values: [$producer] }]
        actions: [{ channelId: $channel, templateKey: $template }] }) { id }
    }`,
    { channel: created.channel.id, producer, template: templateKey },
  );
  return created.secret;
};

/** Sends an event until it is accepted, as a producer does that outlives the product. */
const produce = async (eventId: string): Promise<void> => {
  const body = { eventId, kind: 'risk.score.changed', tenant: TENANT, payload: {} };
  await until(async () => {
    const sent = await fetch(`${product.baseUrl}/api/v1/events/risk`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, ts: new Date().toISOString() }),
    }).catch(() => undefined);
    await sent?.arrayBuffer().catch(() => undefined);
    return sent?.status === 202;
  });
};

// spec: 2.9/delivery-queue
test('nothing that was accepted is lost when the process is killed, and repetitions have the same id', async () => {
  await using sink = await startSink();
  const secret = await subscribe('risk', sink.url, 'generic');
  // Once is enough here: a benchmark of the notifier kills it a hundred times.
  const killing = (async () => {
    await until(() => sink.received.length >= EVENTS / 4);
    const exited = once(running.child, 'exit');
    running.child.kill('SIGKILL');
    await exited;
    running = await startProcess(['--no-demo'], product.env, product.baseUrl);
  })();
  const events = Array.from({ length: EVENTS }, (_, index) => `event-${index}`);
  const queue = [...events];
  const producer = async (): Promise<void> => {
    for (let eventId = queue.shift(); eventId !== undefined; eventId = queue.shift()) await produce(eventId);
  };
  await Promise.all([killing, ...Array.from({ length: 8 }, producer)]);
  // Attempts of a killed process are repeated once their leases have ended.
  const received = await until(
    () => {
      const ids = Map.groupBy(sink.received, ({ body }) => String(JSON.parse(body).data.event.eventId));
      return ids.size === EVENTS && ids;
    },
    { everyMs: 250 },
  );
  assert.deepEqual([...received.keys()].toSorted(), events.toSorted());
  const verifier = new Webhook(secret);
  for (const [eventId, requests] of received) {
    assert.equal(new Set(requests.map((request) => request.headers['webhook-id'])).size, 1, eventId);
    const [{ headers: sent, body }] = [requests[0] ?? assert.fail()];
    verifier.verify(body, {
      'webhook-id': String(sent['webhook-id']),
      'webhook-timestamp': String(sent['webhook-timestamp']),
      'webhook-signature': String(sent['webhook-signature']),
    });
  }
  const repetitions = sink.received.length - EVENTS;
  assert.ok(repetitions <= AT_ONCE.channel, `${repetitions} repetitions`);
});

test('an Alertmanager opens and resolves a notification', await needs('prometheus-alertmanager'), async () => {
  await using stack = new AsyncDisposableStack();
  const sink = stack.use(await startSink());
  await subscribe('alertmanager', sink.url, 'alertmanager.alert');
  const { bootstrap } = authorityModule.get(product.modules);
  const secret = randomBytes(32).toString('base64url');
  const clientId = await bootstrap.ensureClient({
    tenant: TENANT,
    name: 'alertmanager',
    secret,
    grants: ['client_credentials'],
    scopes: ['notify.operator'],
  });
  const directory = await mkdtemp(join(tmpdir(), 'landfall-alertmanager-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const config = join(directory, 'alertmanager.yml');
  await writeFile(config, alertmanagerConfig({ clientId, secret }));
  const [port] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  const alertmanager = spawn(
    'prometheus-alertmanager',
    [
      `--config.file=${config}`,
      `--storage.path=${directory}`,
      `--web.listen-address=${address}`,
      '--cluster.listen-address=',
    ],
    { env: minimalEnvironment(), stdio: 'ignore' },
  );
  stack.defer(async () => {
    const exited = once(alertmanager, 'exit');
    alertmanager.kill();
    await exited;
  });
  const labels = { alertname: 'InstanceDown', instance: 'db-1:9100', severity: 'critical' };
  const startsAt = new Date().toISOString();
  const alert = { labels, annotations: { summary: 'db-1 is down' }, startsAt };
  const post = (body: object): Promise<boolean> =>
    fetch(`http://${address}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([body]),
    }).then(
      ({ ok }) => ok,
      () => false,
    );
  const summaries = (): string[] => sink.received.map(({ body }) => JSON.parse(body).data.summary);
  await until(() => post({ ...alert, endsAt: new Date(Date.now() + 600_000).toISOString() }));
  await until(() => summaries().length === 1);
  await post({ ...alert, endsAt: new Date().toISOString() });
  await until(() => summaries().length === 2);
  assert.deepEqual(summaries(), ['InstanceDown on db-1:9100', 'Resolved: InstanceDown on db-1:9100']);
});
