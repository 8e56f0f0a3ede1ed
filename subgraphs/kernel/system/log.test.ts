import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, logRequest, type Served } from './log.ts';

const capture = (level = 'info') => {
  const lines: string[] = [];
  return { lines, log: createLog({ level, role: 'edge' }, { write: (line) => void lines.push(line) }) };
};

const served: Served = { method: 'GET', route: '/x/:id', status: 200, durationMs: 1.234, correlationId: 'c-1' };

test('secrets are replaced by name, wherever they stand and however they are spelt', () => {
  const { lines, log } = capture();
  const secrets = { authorization: 's3cret', cookie: 's3cret', 'set-cookie': ['s3cret'], client_secret: 's3cret' };
  log.info(
    {
      ...secrets,
      body: [{ password: 's3cret', Token: 's3cret' }],
      req: { url: '/', headers: secrets, at: new Date(0) },
    },
    'x',
  );
  assert.equal(lines.length, 1);
  assert.doesNotMatch(lines.join(''), /s3cret/);
  assert.match(lines.join(''), /"url":"\/".*"at":"1970-01-01T00:00:00.000Z"/);
});

test('a request is one line with its correlation id and who asked', () => {
  const { lines, log } = capture();
  const caller = {
    subject: 'u',
    clientId: 'c',
    scopes: new Set<string>(),
    kind: 'user',
    correlationId: 'c-1',
  } as const;
  logRequest(log, { ...served, caller: { ...caller, assertedTenants: [] } });
  const { time, ...line } = JSON.parse(lines.join(''));
  assert.equal(new Date(time).toISOString(), time);
  assert.deepEqual(line, {
    level: 'info',
    role: 'edge',
    method: 'GET',
    route: '/x/:id',
    status: 200,
    correlationId: 'c-1',
    durationMs: 1.2,
    subject: 'u',
    clientId: 'c',
    msg: 'request',
  });
});

test('a failure of ours is an error with its cause; a failure of the caller is not', () => {
  const { lines, log } = capture();
  logRequest(log, { ...served, status: 500, error: new Error('disk on fire') });
  logRequest(log, { ...served, status: 404, error: new Error('no such thing') });
  logRequest(log, { ...served, status: 501 });
  const [own, other, notOffered] = lines.map((line) => JSON.parse(line));
  assert.equal(own.level, 'error');
  assert.equal(own.err.message, 'disk on fire');
  assert.match(own.err.stack, /log\.test/);
  assert.equal(other.level, 'info');
  assert.equal(other.err, undefined);
  assert.equal(notOffered.level, 'info', 'what is not offered has not failed');
});

test('what machines ask all the time is told where it is refused, and else to whoever debugs', () => {
  const logged = (level?: 'debug') => {
    const { lines, log } = capture(level);
    for (const status of [200, 204, 401, 500]) logRequest(log, { ...served, isBeat: true, status });
    return lines.map((line) => JSON.parse(line)).map((line) => [line.level, line.status]);
  };
  assert.deepEqual(logged(), [
    ['info', 401],
    ['error', 500],
  ]);
  assert.deepEqual(logged('debug').slice(0, 2), [
    ['debug', 200],
    ['debug', 204],
  ]);
});

test('a silent log writes nothing', () => {
  const { lines, log } = capture('silent');
  logRequest(log, { ...served, status: 500 });
  assert.deepEqual(lines, []);
});
