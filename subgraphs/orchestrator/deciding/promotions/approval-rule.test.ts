import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { promotionStates } from '../../shared/enums.ts';
import type { Actor } from './actor.ts';
import { type ApprovalCase, approvalRefusal, approvalsOf } from './approval-rule.ts';
import { approveStateRefusal } from './promotion-rules.ts';

const set = 'sha256:gated';
const approved = (actor: string, gatedDigestSet = set) =>
  ({ actor, givenThrough: ['console'], decision: 'approved', gatedDigestSet }) as const;

const ruleCase = (change: Partial<ApprovalCase['promotion']> = {}): ApprovalCase['promotion'] => ({
  id: 'promotion',
  state: 'pending',
  requestedBy: 'requester',
  requestedThrough: ['console'],
  approvalsNeeded: 2,
  gatedDigestSet: set,
  approvals: [],
  ...change,
});

const unknownCaller: Actor['related'] = new Map();

/** Builds relations to these parties: of the approver, or only of the client that holds the approver's token. */
const relatedTo = (parties: readonly string[], isOwn = true, clients: readonly string[] = ['robot']) =>
  new Map(parties.map((party) => [party, { isOwn, clients }]));

const person = (subject: string, related = unknownCaller) =>
  ({ subject, kind: 'user', clientId: 'console', related }) as const;

const environment = (id: string, separationOfDuties: 'off' | 'author', approvingClientIds: readonly string[] = []) => ({
  id,
  name: id,
  separationOfDuties,
  approvingClientIds,
});

const release = {
  createdBy: 'author',
  createdThrough: ['editor'],
  finalizedBy: 'finalizer',
  finalizedThrough: ['console', 'finisher'],
};

const overrides = (change: Partial<ApprovalCase> = {}): ApprovalCase => ({
  promotion: ruleCase(),
  approver: person('approver'),
  release,
  environment: environment('production', 'author'),
  ...change,
});

test('whoever neither requested nor made the release approves', () => {
  assert.equal(approvalRefusal(overrides()), undefined);
  assert.equal(approvalRefusal(overrides({ seen: set })), undefined);
});

test('nobody approves their own request, with duties separated or not', () => {
  for (const separationOfDuties of ['off', 'author'] as const) {
    const production = environment('production', separationOfDuties);
    const refusal = approvalRefusal(overrides({ environment: production, approver: person('requester') }));
    assert.equal(refusal?.code, 'PERM_SELF_APPROVAL');
  }
});

test('where duties are separated, the author and the finalizer of the release do not approve', () => {
  for (const approver of ['author', 'finalizer']) {
    const refusal = approvalRefusal(overrides({ approver: person(approver) }));
    assert.equal(refusal?.code, 'PERM_SOD_VIOLATION');
    assert.deepEqual(refusal?.details, {
      promotion: 'promotion',
      requester: 'requester',
      approver,
      environment: 'production',
    });
    const staging = environment('staging', 'off');
    assert.equal(approvalRefusal(overrides({ approver: person(approver), environment: staging })), undefined);
  }
});

test('an approval of something else than what was seen is refused', () => {
  const refusal = approvalRefusal(overrides({ seen: 'sha256:other' }));
  assert.equal(refusal?.code, 'RES_VERSION_CONFLICT');
  assert.deepEqual(refusal?.details, { expected: 'sha256:other', actual: set });
});

test('the same person approves once; an approval of another set or a rejection is none', () => {
  const repeated = (approvals: ApprovalCase['promotion']['approvals']) =>
    approvalRefusal(overrides({ promotion: ruleCase({ approvals }) }))?.code;
  assert.equal(repeated([approved('approver')]), 'RES_ALREADY_EXISTS');
  assert.equal(repeated([approved('somebody')]), undefined);
  assert.equal(repeated([approved('approver', 'sha256:before')]), undefined);
});

test('in every state the state decides last but for a second approval, and duties decide first', () => {
  for (const state of promotionStates) {
    const promotion = ruleCase({ state, approvals: [approved('approver')] });
    const byState = approveStateRefusal({ state })?.code;
    assert.equal(approvalRefusal(overrides({ promotion }))?.code, byState ?? 'RES_ALREADY_EXISTS');
    assert.equal(approvalRefusal(overrides({ promotion, seen: 'sha256:other' }))?.code, 'RES_VERSION_CONFLICT');
    const self = overrides({ promotion, seen: 'sha256:other', approver: person('requester') });
    assert.equal(approvalRefusal(self)?.code, 'PERM_SELF_APPROVAL');
  }
});

test('approvals are counted for the promotion’s own set only', () => {
  const approvals = [
    approved('one'),
    approved('two', 'sha256:before'),
    { ...approved('three'), decision: 'rejected' as const },
  ];
  assert.deepEqual(
    approvalsOf({ approvals, gatedDigestSet: set }).map(({ actor }) => actor),
    ['one'],
  );
});

test('a client approves only where the policy names it, and nothing that its controllers requested', () => {
  const client = { subject: 'robot', kind: 'client', clientId: 'robot', related: unknownCaller } as const;
  const open = environment('production', 'off');
  const named = environment('production', 'off', ['robot']);
  assert.equal(approvalRefusal(overrides({ approver: client, environment: open }))?.code, 'PERM_ACTION_DENIED');
  assert.equal(approvalRefusal(overrides({ approver: client, environment: named })), undefined);
  const owned = { ...client, related: relatedTo(['requester']) };
  assert.equal(approvalRefusal(overrides({ approver: owned, environment: named }))?.code, 'PERM_SELF_APPROVAL');
  for (const kind of ['agent', 'system'] as const)
    assert.equal(
      approvalRefusal(overrides({ approver: { ...client, kind }, environment: open }))?.code,
      'PERM_ACTION_DENIED',
    );
});

const promotionOfClients = ruleCase({
  requestedThrough: ['portal', 'earlier-portal'],
  approvals: [{ ...approved('first'), givenThrough: ['pipeline', 'earlier-pipeline'] }],
});

test('who has a controller in common with another party, or a holder of its token, is refused as that party is', () => {
  const codes = {
    requester: 'PERM_SELF_APPROVAL',
    portal: 'PERM_SELF_APPROVAL',
    'earlier-portal': 'PERM_SELF_APPROVAL',
    author: 'PERM_SOD_VIOLATION',
    finalizer: 'PERM_SOD_VIOLATION',
    editor: 'PERM_SOD_VIOLATION',
    finisher: 'PERM_SOD_VIOLATION',
    first: 'RES_ALREADY_EXISTS',
    pipeline: 'RES_ALREADY_EXISTS',
    'earlier-pipeline': 'RES_ALREADY_EXISTS',
  };
  for (const [party, code] of Object.entries(codes)) {
    for (const isOwn of [true, false]) {
      const approver = person('approver', relatedTo([party], isOwn, ['robot', 'portal']));
      const refusal = approvalRefusal(overrides({ promotion: promotionOfClients, approver }));
      assert.equal(refusal?.code, code, party);
      assert.deepEqual(refusal?.details?.clients, ['portal', 'robot']);
      const advice = isOwn
        ? 'Ask another person to approve.'
        : 'Ask another person to approve, or approve in the console.';
      assert.equal(refusal?.message.slice(refusal.message.indexOf('. ') + 2), advice, party);
    }
  }
  const staging = environment('staging', 'off');
  const author = person('approver', relatedTo(['author', 'finalizer']));
  assert.equal(
    approvalRefusal(overrides({ promotion: promotionOfClients, approver: author, environment: staging })),
    undefined,
  );
});

test('the console is no advice where one of several relations would stay in it, nor to a client', () => {
  const related = new Map([...relatedTo(['author'], false), ...relatedTo(['finisher'], true, ['portal'])]);
  const refusal = approvalRefusal(overrides({ approver: person('approver', related) }));
  assert.match(refusal?.message ?? '', /Ask another person to approve\.$/);
  assert.deepEqual(refusal?.details?.clients, ['portal']);
  const client = {
    subject: 'robot',
    kind: 'client',
    clientId: 'robot',
    related: relatedTo(['requester'], false),
  } as const;
  assert.match(
    approvalRefusal(overrides({ approver: client }))?.message ?? '',
    /in common\. Ask a person to approve\.$/,
  );
});

test('where nothing is to be approved, a relation to the requester refuses as little as being the requester', () => {
  const promotion = ruleCase({ state: 'approved', approvalsNeeded: 0 });
  const ofState = approveStateRefusal({ state: 'approved' })?.code;
  assert.notEqual(ofState, undefined);
  for (const approver of [person('requester'), person('approver', relatedTo(['requester']))])
    assert.equal(approvalRefusal(overrides({ promotion, approver }))?.code, ofState);
});

test('the same client at both ends relates nobody unless somebody controls it', () => {
  const promotion = ruleCase({ approvals: [approved('first')] });
  assert.equal(approvalRefusal(overrides({ promotion, approver: person('approver') })), undefined);
  const controlled = person('approver', relatedTo(['console']));
  assert.equal(approvalRefusal(overrides({ promotion, approver: controlled }))?.code, 'PERM_SELF_APPROVAL');
});

test('a further relation never turns a refusal into an approval, and an unrelated approver is never refused', () => {
  const parties = ['requester', 'earlier-portal', 'author', 'editor', 'finisher', 'first', 'pipeline', 'other'];
  const refuses = (related: readonly string[]) =>
    approvalRefusal(overrides({ promotion: promotionOfClients, approver: person('approver', relatedTo(related)) })) !==
    undefined;
  fc.assert(
    fc.property(fc.subarray(parties), fc.constantFrom(...parties), (related, more) => {
      assert.equal(
        refuses(related),
        related.some((party) => party !== 'other'),
      );
      if (refuses(related)) assert.ok(refuses([...related, more]));
    }),
  );
});
