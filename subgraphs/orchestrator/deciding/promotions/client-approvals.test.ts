import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Caller, hasTenant } from '@landfall/kernel/core/caller';
import { recordController } from '@landfall/kernel/identity/client-controllers';
import { caller } from '@landfall/kernel/testing/callers';
import type { Release } from '../../catalogue/releases/releases.store.ts';
import { catalogueApp, refusal } from '../../testing/catalogue-app.ts';
import type { Promotion } from './promotions.store.ts';

const app = await catalogueApp();
after(() => app[Symbol.asyncDispose]());

const { promotions, environments, releases } = app.module;
const operator = app.caller('operator');

let serial = 10;
const client = (): Caller => {
  serial += 1;
  const scopes = ['release:read', 'orch:read', 'orch:operate', 'orch:approve'];
  return caller({ subject: `00000000-0000-7000-8000-0000000001${serial}`, scopes, kind: 'client' });
};

/** Makes `caller` a controller of the client, as registering or changing it or rotating its secret does. */
const control = async (caller: Caller, { subject }: Caller): Promise<void> => {
  assert.ok(hasTenant(caller));
  await app.deps.database.write(caller.tenant, (tx) => recordController(tx, caller, subject));
};

let environment = await app.seed.environment({ orderIndex: 1 });

/** Creates a ready release that one person created and another finalized. */
const releaseOf = async (creator: Caller, finalizer: Caller): Promise<Release> => {
  const { components } = await app.seed.draft();
  const input = components.map(({ name, repository, requestedTag: tag }) => ({
    name,
    repository,
    ...(tag !== null && { tag }),
  }));
  serial += 1;
  const draft = await releases.create(creator, { name: 'portal-made', semver: `1.0.${serial}`, components: input });
  const { id, version } = await releases.finalize(finalizer, { id: draft.id, expectedVersion: draft.version });
  return releases.markReady(operator, { id, expectedVersion: version });
};

/** Creates a pending promotion into an environment where only these clients may approve. */
const pending = async (
  approving: readonly Caller[],
  by: Caller = operator,
  policy: { readonly requiredApprovals?: number; readonly separationOfDuties?: 'off' | 'author' } = {},
  make: () => Promise<Release> = app.seed.ready,
): Promise<Promotion> => {
  const approvingClientIds = approving.map(({ subject }) => subject);
  const { id, version: expectedVersion } = environment;
  const usual = { requiredApprovals: 1, separationOfDuties: 'off', approvingClientIds } as const;
  environment = await environments.update(operator, { id, expectedVersion, ...usual, ...policy });
  const release = await make();
  return promotions.request(by, { releaseId: release.id, targetEnvironmentId: id, reason: 'Ship it.' });
};

/** Caller with a person's token that a client holds and that other clients held before. */
const through = (caller: Caller, { subject: clientId }: Caller, ...earlier: readonly Caller[]): Caller => ({
  ...caller,
  clientId,
  ...(earlier.length > 0 && { earlierHolders: earlier.map(({ subject }) => subject) }),
});

const approve = (by: Caller, { id, gatedDigestSet }: Promotion) =>
  promotions.approve(by, { id, seenGatedDigestSet: gatedDigestSet });

const permission = async (by: Caller, { id }: Promotion) => {
  const source = 'query ($id: ID!) { promotion(id: $id) { viewerCanApprove { allowed code reason } } }';
  const { data, errors } = await app.graph(source, { id }, { as: by });
  assert.equal(errors, undefined);
  return Object(Object(data?.promotion).viewerCanApprove);
};

// spec: 7.2/PERM_ACTION_DENIED, rulings/70
test('a client that the policy does not name is refused, and told so before it tries', async () => {
  const machineClient = client();
  const promotion = await pending([]);
  await assert.rejects(
    approve(machineClient, promotion),
    refusal('PERM_ACTION_DENIED', { approver: machineClient.subject }),
  );
  const permissionOfRobot = await permission(machineClient, promotion);
  assert.deepEqual([permissionOfRobot.allowed, permissionOfRobot.code], [false, 'PERM_ACTION_DENIED']);
  assert.match(permissionOfRobot.reason, /only when the environment's policy names it/);
  assert.deepEqual((await promotions.today(machineClient, {})).waiting, []);
  assert.equal((await approve(app.caller('approver'), promotion)).state, 'approved');
});

// spec: rulings/70
test('a client that the policy names approves what others requested', async () => {
  const machineClient = client();
  await control(app.caller('approver'), machineClient);
  const promotion = await pending([machineClient]);
  assert.equal((await permission(machineClient, promotion)).allowed, true);
  assert.ok((await promotions.today(machineClient, {})).waiting.some(({ id }) => id === promotion.id));
  assert.equal((await approve(machineClient, promotion)).state, 'approved');
});

// spec: rulings/70
test('a named client approves nothing that its creator requested, nor through a chain of clients', async () => {
  const [first, second] = [client(), client()];
  await control(operator, first);
  await control(first, second);
  for (const client of [first, second]) {
    const promotion = await pending([client]);
    await assert.rejects(approve(client, promotion), refusal('PERM_SELF_APPROVAL', { approver: client.subject }));
    assert.equal((await permission(client, promotion)).code, 'PERM_SELF_APPROVAL');
  }
});

test('two clients of one person do not request and approve in turn', async () => {
  const [requester, approver] = [client(), client()];
  for (const each of [requester, approver]) await control(app.caller('second-approver'), each);
  const promotion = await pending([approver], requester);
  await assert.rejects(approve(approver, promotion), refusal('PERM_SELF_APPROVAL'));
  const other = client();
  await control(app.caller('approver'), other);
  const { id, version: expectedVersion } = environment;
  environment = await environments.update(operator, { id, expectedVersion, approvingClientIds: [other.subject] });
  assert.equal((await approve(other, promotion)).state, 'approved');
});

test('a person does not approve what a client of theirs requested', async () => {
  const machineClient = client();
  const approver = app.caller('approver');
  await control(approver, machineClient);
  const promotion = await pending([], machineClient);
  await assert.rejects(approve(approver, promotion), refusal('PERM_SELF_APPROVAL', { approver: approver.subject }));
  assert.equal((await permission(approver, promotion)).code, 'PERM_SELF_APPROVAL');
  assert.ok((await promotions.today(approver, {})).waiting.every(({ id }) => id !== promotion.id));
  assert.equal((await approve(app.caller('second-approver'), promotion)).state, 'approved');
});

test('a person’s token that the requester’s client holds approves nothing for the requester', async () => {
  const machineClient = client();
  await control(operator, machineClient);
  const promotion = await pending([]);
  const approver = app.caller('approver');
  const byClient = through(approver, machineClient);
  await assert.rejects(approve(byClient, promotion), refusal('PERM_SELF_APPROVAL', { approver: approver.subject }));
  assert.equal((await permission(byClient, promotion)).code, 'PERM_SELF_APPROVAL');
  assert.ok((await promotions.today(byClient, {})).waiting.every(({ id }) => id !== promotion.id));
  assert.equal((await approve(approver, promotion)).state, 'approved');
});

test('what a client requested for a person is approved neither by its controllers nor through it', async () => {
  const portal = client();
  const [approver, second] = [app.caller('approver'), app.caller('second-approver')];
  await control(approver, portal);
  const promotion = await pending([portal], through(operator, portal));
  for (const by of [approver, portal, through(second, portal)]) {
    await assert.rejects(approve(by, promotion), refusal('PERM_SELF_APPROVAL', { approver: by.subject }));
    assert.equal((await permission(by, promotion)).code, 'PERM_SELF_APPROVAL');
    assert.ok((await promotions.today(by, {})).waiting.every(({ id }) => id !== promotion.id));
  }
  assert.equal((await approve(second, promotion)).state, 'approved');
});

test('people who request and approve with the console have nothing in common by that', async () => {
  const promotion = await pending([], operator, { requiredApprovals: 2, separationOfDuties: 'author' });
  await approve(app.caller('approver'), promotion);
  assert.equal((await approve(app.caller('second-approver'), promotion)).state, 'approved');
});

// spec: 7.2/PERM_SOD_VIOLATION
test('where duties are separated, a client of the release’s author does not approve, nor anybody through it', async () => {
  const machineClient = client();
  await control(operator, machineClient);
  const requester = app.caller('approver');
  const author = await pending([machineClient], requester, { separationOfDuties: 'author' });
  const byClient = through(app.caller('second-approver'), machineClient);
  for (const by of [machineClient, byClient]) {
    await assert.rejects(approve(by, author), refusal('PERM_SOD_VIOLATION', { approver: by.subject }));
    assert.equal((await permission(by, author)).code, 'PERM_SOD_VIOLATION');
  }
  assert.equal((await approve(app.caller('second-approver'), author)).state, 'approved');
  const off = await pending([machineClient], requester, { separationOfDuties: 'off' });
  assert.equal((await approve(machineClient, off)).state, 'approved');
});

test('a person and a client of theirs count as one approval, in either order, and so do two clients', async () => {
  const [first, second] = [client(), client()];
  const approver = app.caller('approver');
  for (const each of [first, second]) await control(approver, each);
  const pairs = [
    [approver, first],
    [first, approver],
    [first, second],
    [through(app.caller('viewer'), first), approver],
  ] as const;
  for (const [one, other] of pairs) {
    const promotion = await pending([first, second], operator, { requiredApprovals: 2 });
    const by = { ...one, scopes: operator.scopes };
    assert.equal((await approve(by, promotion)).state, 'pending');
    await assert.rejects(approve(other, promotion), refusal('RES_ALREADY_EXISTS', { approver: other.subject }));
    assert.equal((await permission(other, promotion)).code, 'RES_ALREADY_EXISTS');
    assert.equal((await approve(app.caller('second-approver'), promotion)).state, 'approved');
  }
});

test('a client that held the token before an exchange counts like the one that holds it now', async () => {
  const [portal, service] = [client(), client()];
  const [approver, second] = [app.caller('approver'), app.caller('second-approver')];
  await control(approver, portal);
  const own = await pending([], approver);
  const requested = await pending([], through(operator, service, portal));
  for (const [by, promotion] of [
    [through(second, service, portal), own],
    [approver, requested],
    [through(second, portal), requested],
  ] as const) {
    await assert.rejects(approve(by, promotion), refusal('PERM_SELF_APPROVAL', { clients: [portal.subject] }));
    assert.equal((await permission(by, promotion)).code, 'PERM_SELF_APPROVAL');
  }
  const duplicated = await pending([], operator, { requiredApprovals: 2 });
  await approve(through(second, service, portal), duplicated);
  await assert.rejects(approve(approver, duplicated), refusal('RES_ALREADY_EXISTS', { clients: [portal.subject] }));
});

// spec: 7.2/PERM_SOD_VIOLATION
test('where duties are separated, a client that held the author’s token makes its controllers authors too', async () => {
  const portal = client();
  const [approver, second] = [app.caller('approver'), app.caller('second-approver')];
  await control(approver, portal);
  const service = client();
  const byClient = through(second, service, portal);
  for (const [creator, finalizer] of [
    [byClient, second],
    [second, byClient],
  ] as const) {
    const promotion = await pending([], operator, { separationOfDuties: 'author' }, () =>
      releaseOf(creator, finalizer),
    );
    await assert.rejects(approve(approver, promotion), refusal('PERM_SOD_VIOLATION', { clients: [portal.subject] }));
    assert.equal((await permission(approver, promotion)).code, 'PERM_SOD_VIOLATION');
  }
});

test('the advice names the console to those alone whom it would help', async () => {
  const portal = client();
  const [approver, second] = [app.caller('approver'), app.caller('second-approver')];
  await control(approver, portal);
  const requested = await pending([], through(operator, portal));
  assert.match((await permission(approver, requested)).reason, /Ask another person to approve\.$/);
  assert.match((await permission(through(second, portal), requested)).reason, /, or approve in the console\.$/);
  assert.equal((await permission(second, requested)).allowed, true);
});
