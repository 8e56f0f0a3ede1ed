import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { silentLog } from '@landfall/kernel/system/log';
import { createTelemetry } from '@landfall/kernel/system/telemetry';
import type { Tracer } from '@landfall/kernel/system/tracing';
import { until } from '@landfall/kernel/testing/until';
import { admin, notifierApp } from '../testing/notifier-app.ts';
import { startSink } from '../testing/sink.ts';

const telemetry = createTelemetry(silentLog);
after(() => telemetry.close());
const spans: Parameters<Tracer['span']>[] = [];
const tracer: Tracer = { span: (...span) => void spans.push(span) };
const app = await notifierApp({ meter: telemetry.meter('notifier'), tracer });
after(() => app[Symbol.asyncDispose]());
const { module } = app;

/** Lines of the metrics of the notifier. */
const metrics = async (): Promise<readonly string[]> => (await telemetry.prometheus()).split('\n');

// spec: 6/notifier-meters
test('attempts, their results, dead letters, suppressions and the queue are counted by tenant and channel', async () => {
  await using good = await startSink();
  await using bad = await startSink(() => ({ status: 404 }));
  const [{ channel }, { channel: broken }, { channel: waiting }] = await Promise.all([
    app.webhook(good.url),
    app.webhook(bad.url),
    app.webhook(good.url),
  ]);
  await app.rule(channel.id, { throttle: { key: [], max: 1, windowSeconds: 60 } });
  const rules = await module.rules.list(admin, {});
  for (const { id } of rules) await module.rules.update(admin, { id, continues: true });
  await app.rule(broken.id);
  await app.accept();
  await app.accept();
  await module.route();
  await app.send();
  const lines = await metrics();
  const has = (pattern: string): void =>
    assert.ok(
      lines.some((line) => new RegExp(`^${pattern}$`).test(line)),
      `${pattern}\n${lines.filter((line) => line.startsWith('noti')).join('\n')}`,
    );
  const [sent, lost] = [`tenant="acme",channel="${channel.id}"`, `tenant="acme",channel="${broken.id}"`];
  has(`notify_delivery_attempts_total\\{${sent},status="delivered"\\} 1`);
  has(`notify_delivery_attempts_total\\{${lost},status="dead-lettered"\\} 2`);
  has(`notify_delivery_duration_count\\{${sent},status="delivered"\\} 1`);
  has(`notifier_delivery_attempts_total\\{${sent}\\} 1`);
  has(`notifier_delivery_successes_total\\{${sent}\\} 1`);
  has(`notifier_delivery_failures_total\\{${lost}\\} 2`);
  has(`notifier_delivery_latency_count\\{${sent}\\} 1`);
  has(`notify_rule_evaluations_total\\{tenant="acme"\\} 2`);
  has(`notify_rule_evaluation_duration_count\\{tenant="acme"\\} 2`);
  has(`notify_template_renders_total\\{tenant="acme"\\} 3`);
  has(`notify_template_render_duration_count\\{tenant="acme"\\} 3`);
  has(`notifier_suppression_count_total\\{tenant="acme",policy="throttle"\\} 1`);
  has(`notify_deadletter_entries_total\\{${lost},cause="http_status"\\} 2`);
  has(`notifier_deadletter_count_total\\{${lost},cause="http_status"\\} 2`);
  await app.rule(waiting.id, { templateKey: 'test' });
  await app.accept({ kind: 'risk.other' });
  await module.route();
  const worker = module.workers.find(({ name }) => name === 'notifier.queue-depth');
  await using _running = worker?.start();
  await until(async () => (await metrics()).includes(`notify_queue_depth{tenant="acme",channel="${broken.id}"} 1`));
});

test('each attempt is a span with its tenant, channel, delivery and result', async () => {
  await using good = await startSink();
  await using bad = await startSink(() => ({ status: 404 }));
  const [{ channel }, { channel: broken }] = await Promise.all([app.webhook(good.url), app.webhook(bad.url)]);
  for (const { id } of [channel, broken]) await app.rule(id);
  for (const { id } of await module.rules.list(admin, {})) await module.rules.update(admin, { id, continues: true });
  spans.length = 0;
  await app.accept({ kind: 'risk.traced' });
  await module.route();
  await app.send();
  const told = spans
    .filter(([, { attributes }]) => attributes.channel === channel.id || attributes.channel === broken.id)
    .map(([name, { error, attributes }]) => {
      const { 'channel.type': type, 'delivery.attempt': attempt, 'delivery.status': status } = attributes;
      return {
        name,
        type,
        attempt,
        status,
        answer: attributes['http.response.status_code'],
        hasFailed: error !== null,
      };
    });
  const common = { name: 'notify.delivery', type: 'webhook', attempt: 1 };
  assert.deepEqual(
    told.toSorted((a, b) => Number(a.hasFailed) - Number(b.hasFailed)),
    [
      { ...common, status: 'delivered', answer: 200, hasFailed: false },
      { ...common, status: 'dead-lettered', answer: 404, hasFailed: true },
    ],
  );
});
