import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopback, reachOf } from './address.ts';

test('this machine is loopback in every spelling', () => {
  for (const host of ['localhost', 'a.localhost', '127.0.0.1', '127.9.8.7', '::1', '[::1]', '::ffff:127.0.0.1'])
    assert.equal(isLoopback(host), true, host);
});

test('what listens to or reaches others is not', () => {
  for (const host of [
    '0.0.0.0',
    '::',
    '10.0.0.1',
    'example.com',
    'localhost.example.com',
    '128.0.0.1',
    '',
    'xlocalhost',
  ])
    assert.equal(isLoopback(host), false, host);
});

test('no registry is at an address that is link-local, multicast, reserved or the metadata of a cloud', () => {
  for (const address of [
    '169.254.169.254',
    '169.254.255.255',
    '224.0.0.1',
    '255.255.255.255',
    'fd00:ec2::254',
    'fe80::1',
  ])
    assert.equal(reachOf(address), 'never', address);
  for (const address of ['10.255.0.1', '172.31.255.255', '192.168.9.9', '100.127.0.1', 'fd00::1', '2002:a00:1::'])
    assert.equal(reachOf(address), 'private', address);
  for (const address of ['169.253.255.255', '172.32.0.0', '100.128.0.1', '2606:4700::1111'])
    assert.equal(reachOf(address), 'public', address);
});
