import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operator } from '@landfall/airgap/testing/airgap-app';
import { testRoot, trustRoot } from '@landfall/airgap/testing/kits';
import { holders, kitSite, osv } from './offline-kits.fixture.ts';

const LATER = { expiresAt: '2099-01-01T00:00:00Z' };

/** A site with two kits in force, and its check of the first. */
const site = async () => {
  const home = await kitSite();
  const { folder, kit } = await home.deliver({ 'one.json': osv('GHSA-1') });
  await home.importFolder(folder);
  const other = await home.deliver({ 'two.json': osv('GHSA-2') }, { channel: 'other' });
  await home.importFolder(other.folder);
  const verify = async () => {
    const { valid, checks } = await home.module.verify(operator, {});
    return { valid, check: checks.find(({ name }) => name === 'kit main'), checks };
  };
  return { ...home, kit, verify };
};

test('the integrity check hashes every kit in force again, and changes nothing', async () => {
  await using home = await site();
  const { valid, check, checks } = await home.verify();
  assert.equal(valid, true);
  assert.deepEqual(
    checks.map(({ name }) => name),
    ['policy', 'anchor', 'kit main', 'kit other'],
  );
  assert.deepEqual([check?.expected, check?.actual], [home.kit.digest, home.kit.digest]);
});

test('one flipped bit in what is stored of a kit is found', async () => {
  await using home = await site();
  const flips = {
    envelope: 'overlay(envelope placing chr(ascii(substr(envelope, 60, 1)) # 1) from 60 for 1)',
    receipt: 'overlay(receipt placing chr(ascii(substr(receipt, 60, 1)) # 1) from 60 for 1)',
    sequence: 'sequence # 2',
    kit_id: "overlay(kit_id::text placing 'f' from 3 for 1)::uuid",
    kind: "'release'",
    changes: `changes || '{"added": 0}'`,
  };
  for (const [column, flipped] of Object.entries(flips)) {
    const row = "where tenant = 'acme' and channel = 'main'";
    await home.tamper('create table if not exists public.before as select * from airgap.kits');
    assert.equal(await home.tamper(`update airgap.kits set ${column} = ${flipped} ${row}`), 1);
    const { valid, check, checks } = await home.verify();
    assert.deepEqual([valid, check?.valid], [false, false], column);
    assert.equal(checks.find(({ name }) => name === 'kit other')?.valid, true);
    await home.tamper(`update airgap.kits set ${column} = (select ${column} from public.before ${row}) ${row}`);
    assert.equal((await home.verify()).valid, true, column);
  }
  const [component] = home.kit.value.components;
  const changed = `sha256:${'0'.repeat(64)}`;
  await home.tamper('update airgap.kit_contents set hash = $1 where hash = $2', [changed, component?.hash]);
  const { check } = await home.verify();
  assert.deepEqual([check?.valid, check?.message], [false, `The component ${changed} is not of this kit.`]);
});

test('a kit that a later root revokes, or whose keys it revokes, is installed and said to be revoked', async () => {
  await using home = await site();
  await trustRoot(home.deps, await testRoot(holders, { ...LATER, version: 2 }));
  assert.equal((await home.verify()).valid, true, 'a root that revokes nothing leaves kits in force');
  await trustRoot(home.deps, await testRoot(holders, { ...LATER, version: 3, revokedKits: [home.kit.digest] }));
  const { valid, check } = await home.verify();
  assert.deepEqual([valid, check?.message], [false, 'Root 3 revokes the kit.']);
  const revocations = async () => (await home.module.kits.list(operator, {})).map(({ revocation }) => revocation);
  assert.deepEqual(await revocations(), ['Root 3 revokes the kit.', null]);
  const [first, second] = holders;
  const revoking = { ...LATER, threshold: 1, revokedKits: [home.kit.digest], revokedKeys: [first.keyId] };
  await trustRoot(home.deps, await testRoot([second], { ...revoking, version: 4 }, [first]));
  assert.match((await revocations())[1] ?? '', /lacks signatures of keys that root 4 does not revoke: it has 1 of 2/);
});
