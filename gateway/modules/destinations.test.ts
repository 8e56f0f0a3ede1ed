import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSettings } from '@landfall/kernel/system/settings';
import { gatewaySettings } from '../settings/settings.ts';
import { settingsDestinations } from './destinations.ts';

test('a seal’s preflight knows the addresses that settings name, of the cache too, and leaves out the installation’s own', () => {
  const settings = loadSettings(gatewaySettings, {
    env: {
      CALLGRAPHCACHE__URL: 'rediss://user:password@cache.outside.example:6380/1',
      ARTIFACTS__S3__ENDPOINT: 'https://s3.site.example',
      ARTIFACTS__S3__BUCKET: 'evidence',
      ARTIFACTS__S3__ACCESSKEYID: 'key',
      ARTIFACTS__S3__SECRETACCESSKEY: 'secret',
    },
  });

  const found = settingsDestinations(settings);

  assert.deepEqual(
    found.filter(({ host }) => host.endsWith('.example')),
    [
      {
        feature: 'platform',
        source: 'setting CallGraphCache:Url',
        host: 'cache.outside.example',
        port: 6380,
        transport: 'tcp',
        isPlatform: true,
      },
    ],
  );
});
