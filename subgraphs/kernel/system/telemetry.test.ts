import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, silentLog } from './log.ts';
import { createTelemetry } from './telemetry.ts';

const started = (log = silentLog) => {
  const telemetry = createTelemetry(log);
  return { ...telemetry, [Symbol.asyncDispose]: () => telemetry.close() };
};

test('a counter is written under its own name with its tags', async () => {
  await using telemetry = started();
  const meter = telemetry.meter('notifier');
  const attempts = meter.counter('notify.delivery.attempts', { description: 'Attempts.' });
  const issued = meter.counter('registry_token_issued_total', { description: 'Tokens.' });
  attempts({ tenant: 'acme', status: 'Delivered' });
  attempts({ tenant: 'acme', status: 'Delivered' }, 2);
  issued();
  const text = await telemetry.prometheus();
  assert.match(text, /^# TYPE notify_delivery_attempts_total counter$/m);
  assert.match(text, /^notify_delivery_attempts_total\{tenant="acme",status="Delivered"\} 3$/m);
  assert.match(text, /^registry_token_issued_total 1$/m);
});

test('a histogram has buckets that fit its unit', async () => {
  await using telemetry = started();
  const duration = telemetry.meter('m').histogram('notify.delivery.duration', { description: 'Took.', unit: 'ms' });
  duration(3, { channel: 'slack' });
  duration(70_000, { channel: 'slack' });
  const text = await telemetry.prometheus();
  assert.match(text, /^notify_delivery_duration_bucket\{channel="slack",le="2"\} 0$/m);
  assert.match(text, /^notify_delivery_duration_bucket\{channel="slack",le="5"\} 1$/m);
  assert.match(text, /^notify_delivery_duration_bucket\{channel="slack",le="\+Inf"\} 2$/m);
});

test('a gauge is read when the metrics are', async () => {
  await using telemetry = started();
  let depth = 1;
  const read = () => [[depth, { channel: 'mail' }] as const];
  telemetry.meter('m').gauge('notify.queue.depth', { description: 'Waiting.' }, read);
  assert.match(await telemetry.prometheus(), /^notify_queue_depth\{channel="mail"\} 1$/m);
  depth = 4;
  assert.match(await telemetry.prometheus(), /^notify_queue_depth\{channel="mail"\} 4$/m);
});

test('the process is measured', async () => {
  await using telemetry = started();
  const text = await telemetry.prometheus();
  assert.match(text, /^process_cpu_time\{mode="user"\} \d/m);
  assert.match(text, /^nodejs_eventloop_delay\{quantile="0.99"\} \d/m);
  assert.ok(Number(/^process_memory_usage (\d+)$/m.exec(text)?.[1]) > 1e6);
});

test('two processes in one share nothing', async () => {
  await using one = started();
  await using other = started();
  one.meter('m').counter('only.here', { description: 'x' })();
  assert.doesNotMatch(await other.prometheus(), /only_here/);
});

test('a gauge that cannot be read is logged and hides no other', async () => {
  const lines: string[] = [];
  await using telemetry = started(createLog({ level: 'info' }, { write: (line) => void lines.push(line) }));
  telemetry.meter('m').gauge('broken', { description: 'x' }, () => {
    throw new Error('no such queue');
  });
  telemetry.meter('m').counter('fine', { description: 'x' })();
  assert.match(await telemetry.prometheus(), /^fine_total 1$/m);
  assert.match(lines.join(''), /no such queue/);
});
