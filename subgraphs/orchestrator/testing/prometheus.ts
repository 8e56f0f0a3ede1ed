import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@landfall/agent/testing/free-port';
import { until } from '@landfall/kernel/testing/until';

/** Starts a Prometheus that scrapes these loopback ports four times a second. */
export const startPrometheus = async (ports: readonly number[]) => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-prometheus-'));
  const port = await freePort();
  const targets = ports.map((each) => `'127.0.0.1:${each}'`).join(', ');
  await writeFile(
    join(directory, 'prometheus.yml'),
    [
      'global: { scrape_interval: 250ms, scrape_timeout: 250ms }',
      'scrape_configs:',
      '  - job_name: agents',
      `    static_configs: [{ targets: [${targets}] }]`,
      '',
    ].join('\n'),
  );
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(directory, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += String(chunk);
  });
  const exited = once(child, 'exit');
  const origin = `http://127.0.0.1:${port}`;
  const isReady = async (): Promise<boolean> =>
    (await fetch(`${origin}/-/ready`).catch(() => undefined))?.status === 200;
  await until(() => {
    if (child.exitCode !== null) throw new Error(`prometheus ended: ${output}`);
    return isReady();
  });
  return {
    origin,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
};
