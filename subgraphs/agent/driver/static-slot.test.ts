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
  const at = await setUp({
    drivers: async (_releases, directory) => [await openStaticSlots(join(directory, 'slots'), hostPlatform)],
  });
  const component = join(at.directory, 'slots/shop/web');
  return Object.assign(at, {
    link: join(component, 'current'),
    component,
    read: () => readFile(join(component, 'current/index.html'), 'utf8'),
    put: (image: Image, changes: Partial<Task> = {}) =>
      at.apply(at.task(image, { driver: 'static-slot', place: { slot: 'shop' }, ...changes }, { port: null })),
  });
};

const share = (weight: number, retire = false): Partial<Task> => ({ traffic: { weight, retire } });

test('a release is put into its slot by one rename and observed there, without a process', onlyLinux, async () => {
  await using at = await start();
  const { end, steps } = await at.put(one);
  assert.deepEqual(steps, ['resolved', 'pulled', 'verified', 'observed', 'shifted']);
  assert.equal(landed(end).components[0]?.observedDigest, one.digest);
  assert.equal(await at.read(), 'one');
  assert.equal(landed((await at.put(two)).end).components[0]?.observedDigest, two.digest);
  assert.equal(await at.read(), 'two');
  assert.deepEqual(await readdir(at.component), ['current']);
  assert.deepEqual(await at.processes(), []);
  assert.equal(landed((await at.put(two)).end).already, true);
  assert.equal((await stat(join(at.directory, 'slots/.store/rel'))).mode & 0o777, 0o755, 'a web server may read it');
  assert.equal((await stat(join(at.directory, 'slots/.store/blobs'))).mode & 0o777, 0o700);
});

test('it lies ready, is swapped in, and the old is there for the way back until it is retired', onlyLinux, async () => {
  await using at = await start();
  await at.put(one);
  const ready = await at.put(two, share(0));
  assert.equal(landed(ready.end).components[0]?.observedDigest, two.digest);
  assert.equal(await at.read(), 'one');
  await at.put(two, share(100));
  assert.equal(await at.read(), 'two');
  assert.equal((await at.targets.observe())[0]?.digest, two.digest);
  const { end } = await at.put(two, { action: 'withdraw' });
  assert.equal(landed(end).components[0]?.observedDigest, one.digest);
  assert.equal(await at.read(), 'one');
  await at.put(two, share(100));
  await at.put(two, share(100, true));
  assert.equal(await at.read(), 'two');
  assert.equal(at.targets.get(at.targetId).candidate, null);
});

test('a host whose processes are all ended keeps its slots', onlyLinux, async () => {
  await using at = await start();
  await at.put(one);
  await at.targets.stopAll();
  assert.equal(await at.read(), 'one');
});

test('a slot is given a release or not, never a part', onlyLinux, async () => {
  await using at = await start();
  const { end } = await at.put(one, share(10));
  assert.deepEqual([failed(end).code, failed(end).errorClass], ['AGT_CAPABILITY_MISSING', 'driver-unsupported']);
  await assert.rejects(at.read());
});

test(
  'a link that was changed by hand is seen as what it leads to, and the next task puts it right',
  onlyLinux,
  async () => {
    await using at = await start();
    await at.put(one);
    await at.put(two);
    const toTwo = await readlink(at.link);
    const relink = async (to: string) => {
      await rm(at.link);
      await symlink(to, at.link);
      const [seen] = await at.targets.observe();
      return [seen?.running, seen?.digest, seen?.reason];
    };
    assert.deepEqual(await relink(toTwo.replace(two.digest.slice(7), one.digest.slice(7))), [true, one.digest, null]);
    await mkdir(join(at.directory, 'elsewhere'));
    assert.deepEqual(await relink(join(at.directory, 'elsewhere')), [
      true,
      null,
      `it runs outside every release: ${join(at.directory, 'elsewhere')}`,
    ]);
    assert.deepEqual(await relink('nowhere'), [false, null, 'the slot leads nowhere']);
    await at.targets.supervise();
    assert.equal(await readlink(at.link), 'nowhere', 'nobody heals it in silence');
    await at.put(one, share(0));
    assert.equal(await readlink(at.link), 'nowhere', 'nor a release that only lies ready');
    assert.equal(landed((await at.put(two)).end).already, false);
    assert.equal(await at.read(), 'two');
  },
);

test('a file that was changed behind the link makes it another digest', onlyLinux, async () => {
  await using at = await start();
  await at.put(one);
  await writeFile(join(at.link, 'index.html'), 'hacked');
  const [seen] = await at.targets.observe();
  assert.notEqual(seen?.digest, one.digest);
  assert.match(seen?.reason ?? '', /index\.html/);
  await at.put(one);
  assert.equal(await at.read(), 'one');
});

test(
  'what a first candidate leaves is an empty slot, and a component that is no longer there goes',
  onlyLinux,
  async () => {
    await using at = await start();
    await at.put(one, share(100));
    assert.equal(await at.read(), 'one');
    assert.deepEqual(landed((await at.put(one, { action: 'withdraw' })).end).components, []);
    await assert.rejects(at.read());
    await at.put(one);
    const renamed = at.task(two, { driver: 'static-slot', place: { slot: 'shop' } }, { name: 'site', port: null });
    landed((await at.apply(renamed)).end);
    await assert.rejects(at.read());
    assert.equal(await readFile(join(at.directory, 'slots/shop/site/current/index.html'), 'utf8'), 'two');
  },
);

test('a target without a slot is refused', onlyLinux, async () => {
  await using at = await start();
  assert.equal(failed((await at.put(one, { place: null })).end).raw, 'the target names no slot');
});

test('a release that cannot be put into its slot is not recorded there, and the old one stays', onlyLinux, async () => {
  await using at = await start();
  await at.put(one);
  await rm(at.component, { recursive: true });
  await writeFile(at.component, 'in the way');
  failed((await at.put(two)).end);
  assert.deepEqual(
    [at.targets.get(at.targetId).candidate, at.targets.get(at.targetId).current?.components[0]?.platformDigest],
    [null, one.digest],
  );
  await rm(at.component);
  landed((await at.put(two)).end);
  assert.equal(await at.read(), 'two');
});

test('a target that moves to another slot leaves nothing in the old one', onlyLinux, async () => {
  await using at = await start();
  await at.put(one);
  await at.put(one, { place: { slot: 'other' } });
  await assert.rejects(at.read());
  assert.equal(await readFile(join(at.directory, 'slots/other/web/current/index.html'), 'utf8'), 'one');
});
