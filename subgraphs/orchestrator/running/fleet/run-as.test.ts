import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, copyFile, mkdtempDisposable, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { resolveRunAs } from '@landfall/agent/run-as';
import { postgresAccount } from '@landfall/kernel/db/postgres-account';
import { buildImage } from '@landfall/kernel/testing/oci-image';
import { agentWire, unprivilegedAccount } from './agent-network.fixture.ts';

const onlyRoot = process.getuid?.() === 0 && process.platform === 'linux' ? {} : { skip: 'needs root and /proc' };

/** Program of a hostile release: reports its account and which files of its agent it could read or change. */
const PROBING_PROGRAM = `
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
const state = resolve(process.cwd(), '../../../..');
const outcome = (act) => { try { act(); return 'done'; } catch (error) { return error.code; } };
const report = {
  uid: process.getuid(), gid: process.getgid(), groups: process.getgroups(), state,
  ownFile: outcome(() => readFileSync('server.mjs')),
  key: outcome(() => readFileSync(state + '/agent.key')),
  identity: outcome(() => readFileSync(state + '/identity.json')),
  list: outcome(() => readdirSync(state)),
  targets: outcome(() => readdirSync(state + '/targets')),
  journal: outcome(() => readdirSync(state + '/journal')),
  blobs: outcome(() => readdirSync(state + '/blobs')),
  change: outcome(() => writeFileSync('server.mjs', 'changed')),
  add: outcome(() => writeFileSync(state + '/rel/added', 'x')),
  agentEnvironment: outcome(() => readFileSync('/proc/' + process.ppid + '/environ')),
};
createServer((request, response) => response.end(request.url === '/healthz' ? 'ok' : JSON.stringify(report)))
  .listen(Number(process.env.PORT), '127.0.0.1');
console.log('curious');
`;

const inspector = buildImage({
  layers: [[{ path: 'app/' }, { path: 'app/server.mjs', content: PROBING_PROGRAM }]],
  config: { Cmd: ['node', 'server.mjs'], WorkingDir: '/app' },
});

test(
  'under a root agent a release is another user, who cannot read the agent’s key or change a release',
  onlyRoot,
  async () => {
    await using wire = await agentWire();
    await chmod(wire.directory, 0o711);
    const child = wire.start('one', { token: await wire.token(), isolates: true });
    const agentId = await wire.agentId(child);
    const end = await wire.endOf(await wire.enqueue(agentId, randomUUID(), inspector, wire.port));
    assert.equal(end.step === 'done' && end.components[0]?.observedDigest, inspector.digest, JSON.stringify(end));
    const report = await (await fetch(`http://127.0.0.1:${wire.port}/`)).json();
    const account = await resolveRunAs(unprivilegedAccount);
    assert.ok(account && account.uid !== 0);
    assert.deepEqual(report, {
      uid: account.uid,
      gid: account.gid,
      groups: [account.gid],
      state: join(wire.directory, 'one'),
      ownFile: 'done',
      key: 'EACCES',
      identity: 'EACCES',
      list: 'EACCES',
      targets: 'EACCES',
      journal: 'EACCES',
      blobs: 'EACCES',
      change: 'EACCES',
      add: 'EACCES',
      agentEnvironment: 'EACCES',
    });
    const [pid] = await wire.processes('one');
    assert.equal((await stat(`/proc/${pid}`)).uid, account.uid);
  },
);

test(
  'an agent whose releases could not be reached by their account refuses to start and says what to do',
  onlyRoot,
  async () => {
    await using wire = await agentWire();
    await chmod(wire.directory, 0o700);
    const child = wire.start('one', { token: await wire.token(), isolates: true });
    const output = child.stderr ? text(child.stderr) : '';
    await once(child, 'exit');
    assert.equal(child.exitCode, 1);
    assert.match(await output, /agent\.refused.*cannot enter .*\/rel or run .*chmod o\+x.*--run-as self/);
  },
);

const uidOf = (name: string): number => Number(execFileSync('id', ['-u', name], { encoding: 'utf8' }));

test('the account is the one that is named, and never root', onlyRoot, async () => {
  assert.equal((await resolveRunAs(unprivilegedAccount))?.uid, uidOf(unprivilegedAccount));
  assert.equal(await resolveRunAs('self'), undefined);
  await assert.rejects(resolveRunAs('root'), /this is root itself/);
  await assert.rejects(
    resolveRunAs('no-such-account'),
    /there is no account no-such-account.*useradd --system .*no-such-account/,
  );
});

test('unless one is named, only the account made for releases will do', onlyRoot, async () => {
  const created = await resolveRunAs('landfall-run').catch(() => undefined);
  if (created) assert.deepEqual(await resolveRunAs(undefined), created);
  else await assert.rejects(resolveRunAs(undefined), /no account landfall-run.*useradd --system .*landfall-run/);
});

test('an account that PostgreSQL of ours may run as is none for releases, running or not', onlyRoot, async () => {
  const lent = await postgresAccount();
  const name = execFileSync('id', ['-un', String(lent?.uid)], { encoding: 'utf8' }).trim();
  for (const each of ['nobody', name])
    await assert.rejects(resolveRunAs(each), /PostgreSQL runs as this account.*read its files.*useradd --system/);
});

test('an account that PostgreSQL runs as is none for releases, whatever it is called', onlyRoot, async () => {
  const name = 'games';
  assert.equal((await resolveRunAs(name))?.uid, uidOf(name));
  await using directory = await mkdtempDisposable(join(tmpdir(), 'landfall-run-as-'));
  await chmod(directory.path, 0o755);
  const program = join(directory.path, 'postgres');
  await copyFile('/bin/sleep', program);
  const running = spawn(program, ['60'], { uid: uidOf(name), cwd: '/', stdio: 'ignore' });
  await once(running, 'spawn');
  try {
    await assert.rejects(resolveRunAs(name), /PostgreSQL runs as this account/);
  } finally {
    running.kill('SIGKILL');
    await once(running, 'exit');
  }
  assert.equal((await resolveRunAs(name))?.uid, uidOf(name));
});

test('an agent that is not root has only its own account to give', async () => {
  assert.equal(await resolveRunAs(undefined, false), undefined);
  await assert.rejects(resolveRunAs('nobody', false), /only an agent that runs as root/);
});
