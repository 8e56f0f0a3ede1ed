import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { buildImage, type Image, type TarEntry } from '@landfall/kernel/testing/oci-image';
import type { Task } from '../protocol/messages.ts';
import { failed, landed, setUp } from '../tasks/apply.fixture.ts';
import { runVariable } from './process-driver.ts';
import { findMarked, isAlive } from './process-reference.ts';
import { findSandbox } from './sandbox-driver.ts';

const hasSandbox = await setUp().then(async (setup) => {
  await using host = setup;
  return (await findSandbox(host.releases)) !== undefined;
});
const onlySandboxed = hasSandbox ? {} : { skip: 'bubblewrap does not work here' };

/** Lists a program of this host and its libraries as files of an image. */
const withLibraries = (program: string): readonly TarEntry[] => {
  const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g);
  return [program, ...[...libraries].map(([, path = '']) => path)].map((path) => ({
    path: path.slice(1),
    content: readFileSync(realpathSync(path)),
    mode: 0o755,
  }));
};

const perl = hasSandbox ? withLibraries('/usr/bin/perl') : [];

/** Source of a web server without dependencies that reports what it sees of its environment. */
const server = (version: string): string => `
$| = 1;
$SIG{TERM} = sub { exit 0 };
socket(my $listener, 2, 1, 6) or die "socket: $!";
setsockopt($listener, 1, 2, pack('l', 1));
bind($listener, pack('S n a4 x8', 2, $ENV{PORT}, "\\x7f\\0\\0\\1")) or die "bind: $!";
listen($listener, 64) or die "listen: $!";
print "version ${version} on port $ENV{PORT}\\n";
sub slurp { open(my $file, '<', $_[0]) or return "no $_[0]"; local $/; return scalar <$file> }
while (accept(my $client, $listener)) {
  my ($path) = (<$client> // '') =~ m{^GET (\\S+)};
  while (my $line = <$client>) { last if $line eq "\\r\\n" }
  my $text = '${version}';
  if ($path eq '/env') { $text = join "\\n", map { "$_=$ENV{$_}" } sort keys %ENV }
  if ($path eq '/write') { $text = open(my $file, '>', '/srv/new') ? 'written' : "$!" }
  if ($path eq '/tmp') { $text = open(my $file, '>', '/tmp/new') ? 'written' : "$!" }
  if ($path eq '/caps') { ($text) = slurp('/proc/self/status') =~ /^CapEff:\\s*(\\S+)/m }
  if ($path eq '/pids') { opendir(my $d, '/proc'); $text = scalar grep { /^\\d+$/ } readdir $d }
  if ($path eq '/outside') { $text = -e '/etc/passwd' ? 'seen' : 'not there' }
  print $client "HTTP/1.1 200 OK\\r\\nContent-Length: " . length($text) . "\\r\\nConnection: close\\r\\n\\r\\n$text";
  close $client;
}
`;

const imageOf = (version: string, more: readonly TarEntry[] = []): Image =>
  buildImage({
    layers: [perl, [{ path: 'srv/server.pl', content: server(version) }, ...more]],
    config: { Cmd: ['/usr/bin/perl', 'server.pl'], WorkingDir: '/srv', Env: ['OWN=image'] },
  });

const start = () =>
  setUp({
    drivers: async (releases) => {
      const driver = await findSandbox(releases);
      return driver ? [driver] : [];
    },
  });

const sandboxed = (changes: Partial<Task> = {}): Partial<Task> => ({ driver: 'sandbox', ...changes });

const count = async (directory: string): Promise<number> =>
  new Set((await findMarked(runVariable)).map(({ value }) => value).filter((value) => value.startsWith(directory)))
    .size;

test(
  'a release runs with its own tree as the whole world, no argument shows its variables, and it lands verified',
  onlySandboxed,
  async () => {
    await using host = await start();
    const image = imageOf('one');
    const env = { spec: { env: { GREETING: 'servus' }, agentSecrets: {}, stopTimeoutMs: 2_000 } };
    const { end, steps } = await host.apply(host.task(image, sandboxed(env)));
    assert.equal(landed(end).components[0]?.observedDigest, image.digest);
    assert.deepEqual(steps, ['resolved', 'pulled', 'verified', 'started', 'probed', 'observed']);
    assert.match(landed(end).log, /version one on port/);
    assert.equal(await host.get(), 'one');
    assert.match(
      await host.get('/env'),
      /^GREETING=servus\nHOME=\/\nLANDFALL_RUN=\S+\nOWN=image\nPATH=\S+\nPORT=\d+\nPWD=\/srv$/,
    );
    assert.equal(await host.get('/write'), 'Read-only file system');
    assert.equal(await host.get('/tmp'), 'written');
    assert.match(await host.get('/caps'), /^0+$/);
    assert.equal(await host.get('/pids'), '2', 'it sees its own processes alone');
    assert.equal(await host.get('/outside'), 'not there');
    for (const pid of await host.processes())
      assert.doesNotMatch(await readFile(`/proc/${pid}/cmdline`, 'utf8'), /servus/);
  },
);

test(
  'the next release takes its place, a candidate stands beside it, and nothing is left of what ended',
  onlySandboxed,
  async () => {
    await using host = await start();
    await host.apply(host.task(imageOf('one'), sandboxed()));
    await host.apply(host.task(imageOf('two'), sandboxed({ traffic: { weight: 50, retire: false } })));
    assert.deepEqual([await host.get(), await host.get()].toSorted(), ['one', 'two']);
    const old = host.targets.get(host.targetId).current?.components[0]?.process;
    await host.apply(host.task(imageOf('two'), sandboxed()));
    assert.equal(await host.get(), 'two');
    assert.equal(await count(host.directory), 1);
    assert.ok(old && !(await isAlive(old)));
  },
);

test('it goes on without its agent and is started again when it dies', onlySandboxed, async (t: TestContext) => {
  await using host = await start();
  await host.apply(host.task(imageOf('one'), sandboxed()));
  const before = await host.processes();
  await host.restart();
  assert.deepEqual(await host.processes(), before);
  const pid = () => host.targets.get(host.targetId).current?.components[0]?.process?.pid;
  const killed = pid() ?? assert.fail();
  process.kill(killed, 'SIGKILL');
  // The inner process may answer for a moment after the killed outer one.
  await t.waitFor(
    async () => {
      await host.targets.supervise();
      assert.notEqual(pid(), killed);
      assert.equal(await host.get(), 'one');
      assert.equal(await count(host.directory), 1);
    },
    { timeout: 10_000, interval: 50 },
  );
});

test('a tree that is changed from outside is no longer the digest it was', onlySandboxed, async () => {
  await using host = await start();
  const image = imageOf('one');
  await host.apply(host.task(image, sandboxed()));
  const release = await host.releases.read(image.digest);
  await writeFile(join(await realpath(release?.root ?? ''), 'srv/server.pl'), 'exit 1');
  const [observation] = await host.targets.observe();
  assert.notEqual(observation?.digest, image.digest);
  assert.match(observation?.reason ?? '', /server\.pl/);
});

test('an image that would mount outside itself, and one without its program, are refused', onlySandboxed, async () => {
  await using host = await start();
  await host.apply(host.task(imageOf('one'), sandboxed()));
  const escaping = await host.apply(host.task(imageOf('two', [{ path: 'tmp', linkTo: '/srv' }]), sandboxed()));
  assert.deepEqual(
    [failed(escaping.end).errorClass, failed(escaping.end).raw],
    ['start-failed', '/tmp of the image is no directory'],
  );
  const probe = { path: '/healthz', timeoutMs: 3_000, intervalMs: 10 };
  const empty = buildImage({ layers: [[{ path: 'srv/' }]], config: { Cmd: ['/bin/none'] } });
  const { end } = await host.apply(host.task(empty, sandboxed({ probe })));
  assert.equal(failed(end).errorClass, 'probe-failed');
  assert.match(failed(end).log, /execvp \/bin\/none: No such file/);
  assert.equal(await host.get(), 'one');
});
