import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { authoritySettings } from '@landfall/authority';
import { loadSettings, type SettingsTable } from '@landfall/kernel/system/settings';
import { readComposeFile } from '../testing/compose-file.ts';
import {
  processSettings,
  publicUrls,
  refuseExposure,
  settingsSource,
  withDatabasePassword,
} from './process-settings.ts';

const load = (env: Record<string, string>) => loadSettings(processSettings, { env });

// spec: rulings/62
test('the defaults listen on this machine only and give the lifetimes of ruling 62', () => {
  const settings = load({});
  assert.deepEqual(
    [settings.host, settings.webPort, settings.authPort, settings.agentPort, settings.adminPort],
    ['127.0.0.1', 4000, 4001, 4002, 4003],
  );
  const lifetimes = loadSettings(authoritySettings, { env: {} });
  assert.deepEqual(
    [
      lifetimes.accessTokenMs,
      lifetimes.codeMs,
      lifetimes.deviceCodeMs,
      lifetimes.devicePollMs,
      lifetimes.refreshIdleMs,
    ],
    [900_000, 60_000, 600_000, 5_000, 30 * 86_400_000],
  );
  assert.equal(settings.audience, 'landfall');
});

test('every setting can be set, and no two share a name', () => {
  const table: SettingsTable = processSettings;
  const predecessors = Object.values(table).flatMap(({ env, name }) => [env, name?.toLowerCase()].filter(Boolean));
  assert.equal(new Set(predecessors).size, predecessors.length);
  for (const [key, { env, name }] of Object.entries(table)) assert.ok(env ?? name, key);
});

test('an authority that is off is refused where others can reach it, unless that is meant', () => {
  const off = { LANDFALL_AUTHORITY_ENABLED: 'false' };
  assert.throws(() => refuseExposure(load({ ...off, LANDFALL_HOST: '0.0.0.0' })), /--insecure/);
  refuseExposure(load({ ...off, LANDFALL_HOST: '0.0.0.0', LANDFALL_INSECURE: 'true' }));
  refuseExposure(load(off));
  refuseExposure(load({ LANDFALL_HOST: '0.0.0.0' }));
});

test('public addresses follow host and port unless they are set', () => {
  const { baseUrl, authUrl, agentUrl } = publicUrls(load({}));
  assert.deepEqual(
    [baseUrl, authUrl, agentUrl],
    ['http://localhost:4000', 'http://localhost:4001', 'https://127.0.0.1:4002'],
  );
  assert.equal(publicUrls(load({ LANDFALL_HOST: '::1' })).baseUrl, 'http://[::1]:4000');
  assert.equal(publicUrls(load({ LANDFALL_HOST: '0.0.0.0' })).agentUrl, 'https://localhost:4002');
  assert.equal(publicUrls(load({ LANDFALL_BASE_URL: 'https://ops.example.com/' })).baseUrl, 'https://ops.example.com');
});

test('without LANDFALL_CONFIG there is no file, and a file that is missing is an error', async () => {
  assert.deepEqual(await settingsSource({}), { env: {} });
  await assert.rejects(settingsSource({ LANDFALL_CONFIG: '/nonexistent/landfall.json' }), {
    message:
      'LANDFALL_CONFIG: /nonexistent/landfall.json cannot be read (ENOENT); name a settings file in JSON, or unset it.',
  });
  await assert.rejects(settingsSource({ LANDFALL_CONFIG: import.meta.filename }), /LANDFALL_CONFIG: .* is not JSON; /);
});

test('a password that is given apart is part of both addresses, whatever characters it has', () => {
  const settings = loadSettings(processSettings, {
    env: {
      DATABASE_URL: 'postgresql://landfall@db:5432/landfall?sslmode=require',
      DATABASE_DIRECT_URL: 'postgresql://landfall@db:5433/landfall',
      DATABASE_PASSWORD: 'p%41/@: ß',
    },
  });
  const { databaseUrl = '', databaseDirectUrl = '' } = withDatabasePassword(settings);
  for (const url of [databaseUrl, databaseDirectUrl])
    assert.equal(decodeURIComponent(new URL(url).password), 'p%41/@: ß');
  assert.match(databaseUrl, /^postgresql:\/\/landfall:.*@db:5432\/landfall\?sslmode=require$/);
});

test('a password that is given twice is refused', () => {
  const env = { DATABASE_URL: 'postgresql://landfall:a@db/landfall', DATABASE_PASSWORD: 'b' };
  assert.throws(
    () => withDatabasePassword(loadSettings(processSettings, { env })),
    /DATABASE_URL has a password and DATABASE_PASSWORD is set/,
  );
});

test('a drain ends within the time that docker-compose.yml gives a service to stop', async () => {
  const { services } = await readComposeFile(join(import.meta.dirname, '../../docker-compose.yml'), {});
  for (const { command, stop_grace_period: grace } of Object.values(services))
    if (command) assert.ok(Number.parseInt(grace ?? '', 10) * 1_000 > 2 * load({}).drainMs, command.join(' '));
});
