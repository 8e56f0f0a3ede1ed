import assert from 'node:assert/strict';
import { test } from 'node:test';
import { privateNetworks } from './settings.ts';

const opens = (settings: Partial<Parameters<typeof privateNetworks>[0]>): readonly string[] => {
  const networks = privateNetworks({ host: '127.0.0.1', baseUrl: undefined, egressPrivate: undefined, ...settings });
  return ['127.0.0.1', '::1', '10.0.0.1', '192.168.0.1'].filter((address) => networks.holds(address));
};

test('tenants reach this machine by default only while Landfall listens and is known on loopback alone', () => {
  assert.deepEqual(opens({}), ['127.0.0.1', '::1']);
  assert.deepEqual(opens({ baseUrl: 'http://localhost:4000' }), ['127.0.0.1', '::1']);
  assert.deepEqual(opens({ baseUrl: 'https://landfall.example' }), []);
  assert.deepEqual(opens({ host: '0.0.0.0' }), []);
});

test('an operator lists the private networks that tenants reach, or none', () => {
  assert.deepEqual(opens({ host: '0.0.0.0', egressPrivate: ['10.0.0.0/8'] }), ['10.0.0.1']);
  assert.deepEqual(opens({ egressPrivate: ['none'] }), []);
  assert.throws(() => opens({ egressPrivate: ['10.0.0.0/8', 'lan'] }), /Egress:Private: lan is neither/);
});
