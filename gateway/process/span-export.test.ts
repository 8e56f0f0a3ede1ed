import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { randomIds } from '@landfall/kernel/core/ids';
import { createHttpClient } from '@landfall/kernel/http/client';
import { openEgress } from '@landfall/kernel/system/egress';
import { createLog } from '@landfall/kernel/system/log';
import { loadSettings } from '@landfall/kernel/system/settings';
import { gatewaySettings } from '../settings/settings.ts';
import { startSpanExport } from './span-export.ts';

const startedAt = new Date('2026-11-27T12:00:00.000Z');
const attributes = { tenant: 'acme', 'delivery.attempt': 2 };

/** Collector on loopback that answers with a status and keeps what it got. */
const startCollector = async (status = 200) => {
  const requests: { readonly path: string | undefined; readonly authorization: unknown; readonly body: unknown }[] = [];
  const server = createServer(async (request, reply) => {
    const body: unknown = JSON.parse(await text(request));
    requests.push({ path: request.url, authorization: request.headers.authorization, body });
    reply.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { requests, endpoint: `http://127.0.0.1:${port}/`, [Symbol.asyncDispose]: async () => void server.close() };
};

/** Export with these settings, and the lines of its log. */
const start = async (env: Readonly<Record<string, string>>) => {
  const lines: string[] = [];
  const log = createLog({ level: 'info' }, { write: (line) => void lines.push(line) });
  const http = createHttpClient({ egress: openEgress });
  const settings = loadSettings(gatewaySettings, { env });
  return { tracing: await startSpanExport({ http, ids: randomIds, log }, settings), lines, http };
};

test('without a collector no span is recorded', async () => {
  assert.equal((await start({})).tracing, undefined);
});

test('a span reaches the collector by OTLP in JSON, with its time, attributes and failure', async () => {
  await using collector = await startCollector();
  const { tracing, http } = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20secret',
  });
  tracing?.tracer('notifier').span('notify.delivery', { startedAt, durationMs: 25, attributes, error: 'refused' });
  await tracing?.close();
  await http.close();
  const [request, ...others] = collector.requests;
  assert.deepEqual([request?.path, request?.authorization, others], ['/v1/traces', 'Bearer secret', []]);
  const { resourceSpans } = Object(request?.body);
  const [{ resource, scopeSpans }] = resourceSpans;
  assert.deepEqual(resource.attributes[0], { key: 'service.name', value: { stringValue: 'landfall' } });
  const [{ scope, spans }] = scopeSpans;
  assert.equal(scope.name, 'notifier');
  const [{ traceId, spanId, ...span }] = spans;
  assert.match(`${traceId} ${spanId}`, /^[0-9a-f]{32} [0-9a-f]{16}$/);
  assert.equal(span.name, 'notify.delivery');
  assert.equal(BigInt(span.startTimeUnixNano), BigInt(startedAt.getTime()) * 1_000_000n);
  assert.equal(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano), 25_000_000n);
  assert.deepEqual(span.attributes, [
    { key: 'tenant', value: { stringValue: 'acme' } },
    { key: 'delivery.attempt', value: { intValue: 2 } },
  ]);
  assert.deepEqual(span.status, { code: 2, message: 'refused' });
});

test('a collector that refuses is told once in the log, without the headers', async () => {
  await using collector = await startCollector(503);
  const { tracing, lines, http } = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secret',
  });
  tracing?.tracer('notifier').span('notify.delivery', { startedAt, durationMs: 1, attributes, error: null });
  await tracing?.close();
  await http.close();
  const [line, ...others] = lines;
  assert.deepEqual(others, []);
  assert.match(line ?? '', /spans are not exported/);
  assert.match(line ?? '', /The collector answered 503/);
  assert.doesNotMatch(line ?? '', /secret/);
});

test('headers that are none are refused by the name of their setting', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_EXPORTER_OTLP_HEADERS: 'authorization' };
  await assert.rejects(start(env), /Telemetry:OtlpHeaders \(OTEL_EXPORTER_OTLP_HEADERS\)/);
});
