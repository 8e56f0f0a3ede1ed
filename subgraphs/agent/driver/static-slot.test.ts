import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildImage, hostPlatform, type Image } from '@landfall/kernel/testing/oci-image';
import type { Task } from '../protocol/messages.ts';
import { failed, landed, onlyLinux, setUp } from '../tasks/apply.fixture.ts';
import { openStaticSlots } from './static-slot.ts';

const page = (text: string): Image => buildImage({ layers: [[{ path: 'index.html', content: text }]] });
const [one, two] = [page('one'), page('two')];

const start = async () => {
  const host = await setUp({
    drivers: async (_releases, directory) => [await openStaticSlots(join(directory, 'slots'), hostPlatform)],
  });
  const component = join(host.directory, 'slots/shop/web');
  return Object.assign(host, {
    link: join(component, 'current'),
    component,
    read: () => readFile(join(component, 'current/index.html'), 'utf8'),
    put: (image: Image, changes: Partial<Task> = {}) =>
      host.apply(host.task(image, { driver: 'static-slot', place: { slot: 'shop' }, ...changes }, { port: null })),
  });
};

const share = (weight: number, retire = false): Partial<Task> => ({ traffic: { weight, retire } });

test('a release is put into its slot by one rename and observed there, without a process', onlyLinux, async () => {
  await using host = await start();
  const { end, steps } = await host.put(one);
  assert.deepEqual(steps, ['resolved', 'pulled', 'verified', 'observed', 'shifted']);
  assert.equal(landed(end).components[0]?.observedDigest, one.digest);
  assert.equal(await host.read(), 'one');
  assert.equal(landed((await host.put(two)).end).components[0]?.observedDigest, two.digest);
  assert.equal(await host.read(), 'two');
  assert.deepEqual(await readdir(host.component), ['current']);
  assert.deepEqual(await host.processes(), []);
  assert.equal(landed((await host.put(two)).end).already, true);
  assert.equal((await stat(join(host.directory, 'slots/.store/rel'))).mode & 0o777, 0o755, 'a web server may read it');
  assert.equal((await stat(join(host.directory, 'slots/.store/blobs'))).mode & 0o777, 0o700);
});

test('it lies ready, is swapped in, and the old is there for the way back until it is retired', onlyLinux, async () => {
  await using host = await start();
  await host.put(one);
  const ready = await host.put(two, share(0));
  assert.equal(landed(ready.end).components[0]?.observedDigest, two.digest);
  assert.equal(await host.read(), 'one');
  await host.put(two, share(100));
  assert.equal(await host.read(), 'two');
  assert.equal((await host.targets.observe())[0]?.digest, two.digest);
  const { end } = await host.put(two, { action: 'withdraw' });
  assert.equal(landed(end).components[0]?.observedDigest, one.digest);
  assert.equal(await host.read(), 'one');
  await host.put(two, share(100));
  await host.put(two, share(100, true));
  assert.equal(await host.read(), 'two');
  assert.equal(host.targets.get(host.targetId).candidate, null);
});

test('a host whose processes are all ended keeps its slots', onlyLinux, async () => {
  await using host = await start();
  await host.put(one);
  await host.targets.stopAll();
  assert.equal(await host.read(), 'one');
});

test('a slot is given a release or not, never a part', onlyLinux, async () => {
  await using host = await start();
  const { end } = await host.put(one, share(10));
  assert.deepEqual([failed(end).code, failed(end).errorClass], ['AGT_CAPABILITY_MISSING', 'driver-unsupported']);
  await assert.rejects(host.read());
});

test(
  'a link that was changed by hand is seen as what it leads to, and the next task puts it right',
  onlyLinux,
  async () => {
    await using host = await start();
    await host.put(one);
    await host.put(two);
    const toTwo = await readlink(host.link);
    const relink = async (to: string) => {
      await rm(host.link);
      await symlink(to, host.link);
      const [observation] = await host.targets.observe();
      return [observation?.running, observation?.digest, observation?.reason];
    };
    assert.deepEqual(await relink(toTwo.replace(two.digest.slice(7), one.digest.slice(7))), [true, one.digest, null]);
    await mkdir(join(host.directory, 'elsewhere'));
    assert.deepEqual(await relink(join(host.directory, 'elsewhere')), [
      true,
      null,
      `it runs outside every release: ${join(host.directory, 'elsewhere')}`,
    ]);
    assert.deepEqual(await relink('nowhere'), [false, null, 'the slot leads nowhere']);
    await host.targets.supervise();
    assert.equal(await readlink(host.link), 'nowhere', 'nobody heals it in silence');
    await host.put(one, share(0));
    assert.equal(await readlink(host.link), 'nowhere', 'nor a release that only lies ready');
    assert.equal(landed((await host.put(two)).end).already, false);
    assert.equal(await host.read(), 'two');
  },
);

test('a file that was changed behind the link makes it another digest', onlyLinux, async () => {
  await using host = await start();
  await host.put(one);
  await writeFile(join(host.link, 'index.html'), 'hacked');
  const [observation] = await host.targets.observe();
  assert.notEqual(observation?.digest, one.digest);
  assert.match(observation?.reason ?? '', /index\.html/);
  await host.put(one);
  assert.equal(await host.read(), 'one');
});

test(
  'what a first candidate leaves is an empty slot, and a component that is no longer there goes',
  onlyLinux,
  async () => {
    await using host = await start();
    await host.put(one, share(100));
    assert.equal(await host.read(), 'one');
    assert.deepEqual(landed((await host.put(one, { action: 'withdraw' })).end).components, []);
    await assert.rejects(host.read());
    await host.put(one);
    const renamed = host.task(two, { driver: 'static-slot', place: { slot: 'shop' } }, { name: 'site', port: null });
    landed((await host.apply(renamed)).end);
    await assert.rejects(host.read());
    assert.equal(await readFile(join(host.directory, 'slots/shop/site/current/index.html'), 'utf8'), 'two');
  },
);

test('a target without a slot is refused', onlyLinux, async () => {
  await using host = await start();
  assert.equal(failed((await host.put(one, { place: null })).end).raw, 'the target names no slot');
});

test('a release that cannot be put into its slot is not recorded there, and the old one stays', onlyLinux, async () => {
  await using host = await start();
  await host.put(one);
  await rm(host.component, { recursive: true });
  await writeFile(host.component, 'in the way');
  failed((await host.put(two)).end);
  assert.deepEqual(
    [host.targets.get(host.targetId).candidate, host.targets.get(host.targetId).current?.components[0]?.platformDigest],
    [null, one.digest],
  );
  await rm(host.component);
  landed((await host.put(two)).end);
  assert.equal(await host.read(), 'two');
});

test('a target that moves to another slot leaves nothing in the old one', onlyLinux, async () => {
  await using host = await start();
  await host.put(one);
  await host.put(one, { place: { slot: 'other' } });
  await assert.rejects(host.read());
  assert.equal(await readFile(join(host.directory, 'slots/other/web/current/index.html'), 'utf8'), 'one');
});
