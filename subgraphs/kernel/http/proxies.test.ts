import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { createAddresses, createProxies } from './proxies.ts';

const from = (peer: string, ...forwarded: readonly string[]): IncomingMessage => {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const request = new IncomingMessage(socket);
  request.rawHeaders = forwarded.flatMap((value) => ['X-Forwarded-For', value]);
  return request;
};

const proxies = createProxies(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);
const addressOf = createAddresses(proxies, 'x-forwarded-for');

test('a trusted proxy says where a request came from; what others say is nothing', () => {
  assert.equal(addressOf(from('10.0.0.1', '203.0.113.9')), '203.0.113.9');
  assert.equal(addressOf(from('::ffff:10.0.0.1', '203.0.113.9')), '203.0.113.9');
  assert.equal(addressOf(from('2001:db8::1', '2001:db9::5')), '2001:db9::5');
  assert.equal(addressOf(from('203.0.113.1', '203.0.113.9')), '203.0.113.1');
  assert.equal(createAddresses(proxies, undefined)(from('10.0.0.1', '203.0.113.9')), '10.0.0.1');
});

test('of several addresses the last counts that is no proxy: what stands before it is the client’s own word', () => {
  assert.equal(addressOf(from('10.0.0.1', '198.51.100.1, 203.0.113.9')), '203.0.113.9');
  assert.equal(addressOf(from('10.0.0.1', '198.51.100.1', '203.0.113.9, 192.0.2.7')), '203.0.113.9');
});

test('an address that is none leaves the proxy’s own', () => {
  for (const value of ['', 'unknown', '203.0.113.9:80', '10.0.0.2', '203.0.113.9, _hidden'])
    assert.equal(addressOf(from('10.0.0.1', value)), '10.0.0.1', value);
  assert.equal(addressOf(from('10.0.0.1')), '10.0.0.1');
});

test('a proxy that is no address is refused at the start', () => {
  for (const proxy of ['proxy.example', '10.0.0.0/33', '10.0.0.0/x', '::1/129', '10.0.0.0/8/8', '/8', ''])
    assert.throws(() => createProxies([proxy]), /Proxies:Trusted/, proxy);
});
