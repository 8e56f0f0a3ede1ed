import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { createMetrics, serveMetrics } from './metrics.ts';

const labels = { target: 't', component: 'web', role: 'current', digest: 'abc' } as const;

test('requests and their durations are told in the text format, buckets cumulative', () => {
  const metrics = createMetrics();
  const series = metrics.series(labels);
  for (const [status, seconds] of [
    [200, 0.004],
    [200, 0.2],
    [503, 60],
    [299, 0.005],
    [499, 1],
  ] as const)
    series.note(status, seconds);
  const text = metrics.text();
  const of = (role: string) => `target="t",component="web",role="${role}",digest="abc"`;
  for (const line of [
    '# TYPE landfall_agent_requests_total counter',
    `landfall_agent_requests_total{${of('current')},code="200"} 2`,
    `landfall_agent_requests_total{${of('current')},code="2xx"} 1`,
    `landfall_agent_requests_total{${of('current')},code="499"} 1`,
    '# TYPE landfall_agent_request_duration_seconds histogram',
    `landfall_agent_request_duration_seconds_bucket{${of('current')},le="0.005"} 2`,
    `landfall_agent_request_duration_seconds_bucket{${of('current')},le="0.25"} 3`,
    `landfall_agent_request_duration_seconds_bucket{${of('current')},le="10"} 4`,
    `landfall_agent_request_duration_seconds_bucket{${of('current')},le="+Inf"} 5`,
    `landfall_agent_request_duration_seconds_count{${of('current')}} 5`,
  ])
    assert.ok(text.split('\n').includes(line), line);
  assert.ok(text.endsWith('\n'));
});

test('a release that never failed has a count of failures, and it is 0', () => {
  const metrics = createMetrics();
  metrics.series(labels);
  assert.match(metrics.text(), /^landfall_agent_requests_total\{.*,code="500"\} 0$/m);
});

test('a label’s value can break out of nothing', () => {
  const metrics = createMetrics();
  metrics.series({ ...labels, component: 'a"\\\nb' }).note(200, 0);
  assert.match(metrics.text(), /component="a\\"\\\\\\nb"/);
});

test('a release that is gone is forgotten, and a request that began with it brings it back for nobody', () => {
  const metrics = createMetrics();
  const old = metrics.series(labels);
  metrics.series({ ...labels, digest: 'def' }).note(200, 0);
  metrics.series({ ...labels, component: 'api' }).note(200, 0);
  metrics.keep('t', 'web', ['def']);
  old.note(200, 0);
  assert.doesNotMatch(metrics.text(), /component="web",role="current",digest="abc"/);
  assert.match(metrics.text(), /component="web",role="current",digest="def"/);
  assert.match(metrics.text(), /component="api"/);
});

const promtool = async (text: string): Promise<string | undefined> => {
  const child = spawn('promtool', ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const failed = once(child, 'error').then(() => true);
  const spawned = once(child, 'spawn').then(() => false);
  if (await Promise.race([failed, spawned])) return undefined;
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: unknown) => {
      output += String(chunk);
    });
  child.stdin.end(text);
  const [code] = await once(child, 'close');
  return `${code} ${output}`;
};

test('Prometheus’ own tool finds nothing to say against it, where it is installed', async () => {
  const metrics = createMetrics();
  metrics.series(labels).note(200, 0.1);
  metrics.series({ ...labels, role: 'candidate', digest: 'd"ef' }).note(500, 3);
  const output = await promtool(metrics.text());
  assert.ok(output === undefined || output === '0 ', `promtool: ${output}`);
});

test('they are served on the loopback port, and nothing else is', async () => {
  const metrics = createMetrics();
  await using server = await serveMetrics(metrics, 0);
  const at = `http://127.0.0.1:${server.port}`;
  const answer = await fetch(`${at}/metrics`);
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  assert.equal(await answer.text(), metrics.text());
  assert.equal((await fetch(`${at}/`)).status, 404);
  assert.equal((await fetch(`${at}/metrics`, { method: 'POST' })).status, 405);
  await assert.rejects(serveMetrics(metrics, server.port), /cannot serve metrics/);
});
