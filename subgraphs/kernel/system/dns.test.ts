import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDnsServer } from '../testing/dns-server.ts';
import { createTxtResolver } from './dns.ts';
import { openEgress } from './egress.ts';

test('TXT records come whole, a name without any has none, and a server that fails is no answer', async () => {
  await using server = await startDnsServer();
  const resolve = createTxtResolver({ egress: openEgress, servers: [server.address] });
  const long = 'x'.repeat(600);
  server.txt.set('example.com', ['v=spf1 -all', long]);
  const { records } = { records: [], ...(await resolve('example.com')) };
  assert.deepEqual([...records].toSorted(), ['v=spf1 -all', long].toSorted());
  assert.deepEqual(await resolve('nobody.example'), { kind: 'records', records: [] });
  server.mode = 'failing';
  assert.equal((await resolve('example.com')).kind, 'unanswered');
});

test('a name server that the egress policy refuses is not asked', async () => {
  await using server = await startDnsServer();
  server.txt.set('example.com', ['here']);
  const requests: object[] = [];
  const egress = {
    decide: (destination: object) => {
      requests.push(destination);
      return { allowed: false, reason: 'The environment is sealed.' } as const;
    },
  };
  const answer = await createTxtResolver({ egress, servers: [server.address] })('example.com');
  assert.deepEqual(answer, { kind: 'unanswered', reason: 'The environment is sealed.' });
  const port = Number(server.address.split(':')[1]);
  assert.deepEqual(requests, [{ host: '127.0.0.1', port, transport: 'udp' }]);
});
