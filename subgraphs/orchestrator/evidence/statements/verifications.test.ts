import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Editing, flipped } from '@landfall/attestation/bundle/mutations.fixture';
import { isAttested } from '@landfall/attestation/statements/attestations.store';
import { sha256 } from '@landfall/kernel/crypto/digest';
import type { As } from '@landfall/kernel/testing/app';
import pg from 'pg';
import { startAttestedApp } from './landing.fixture.ts';

/** spec: 4.9/rekor-verify */

const app = await startAttestedApp();
after(() => app[Symbol.asyncDispose]());

const { verifications, transparencyLog } = app.module;

/** Runs a statement as the owner of the database, past every rule of the product. */
const tamper = async (statement: string, values: readonly unknown[] = []) => {
  const superuser = new pg.Client(app.connection);
  await superuser.connect();
  const { rows } = await superuser.query(statement, [...values]);
  await superuser.end();
  return rows;
};

/** Creates an attested landing with everything stored about it. */
const attested = async () => {
  const { release, deployment } = await app.landed(await app.stage());
  await app.attestAll();
  const found = await app.statement('deployment', deployment.id);
  assert(found && isAttested(found));
  const { bundle, logBody } = await app.whole(found.id);
  assert(bundle && logBody);
  return { release, deployment, ref: found.id, bundle, logIndex: String(found.logIndex), bodyHash: sha256(logBody) };
};

type Landed = Awaited<ReturnType<typeof attested>>;

const verifiedAt = async ({ ref }: Landed): Promise<Date | null> => (await app.whole(ref)).verifiedAt;

// spec: 3/attestation-custody
test('a reference, a bundle and an entry are each verified, and each moves the custody of our own', async () => {
  for (const form of ['reference', 'bundle', 'entry'] as const) {
    const landed = await attested();
    const { ref, bundle, logIndex, bodyHash } = landed;
    const request = { reference: { attestationRef: ref }, bundle: { bundle }, entry: { logIndex, bodyHash } }[form];
    const answer = await verifications.verify(app.operator, request);
    assert.equal(answer.found.errorMessage, undefined, form);
    assert.deepEqual([answer.found.verified, answer.form, answer.own], [true, form, ref]);
    assert.equal(answer.found.checks.consistency, 'pass');
    assert.deepEqual(await verifiedAt(landed), answer.verifiedAt);
  }
});

test('the tree of an older bundle is the beginning of the newest', async () => {
  const landed = await attested();
  await attested();
  const { found } = await verifications.verify(app.operator, { bundle: landed.bundle });
  assert.equal(found.checks.consistency, 'pass');
  const newest = await app.module.transparencyLog.newest();
  assert((newest?.size ?? 0) > (found.log?.treeSize ?? 0));
});

test('a bundle that was changed moves nothing, and says what is wrong with it', async () => {
  const landed = await attested();
  const bundle = new Editing(landed.bundle);
  bundle.write('dsseEnvelope.signatures.0.sig', flipped);
  const { found, own } = await verifications.verify(app.operator, { bundle: bundle.text });
  assert.deepEqual([found.verified, found.checks.signature, own], [false, 'fail', undefined]);
  assert.match(found.errorMessage ?? '', /^signature-invalid: /);
  assert.equal(await verifiedAt(landed), null);
});

test('what is expected has to be so, whatever was recorded', async () => {
  const landed = await attested();
  const wrong = {
    subjectDigest: `sha256:${'0'.repeat(64)}`,
    predicateType: 'https://example.com/x',
    deploymentId: landed.ref,
  };
  for (const [name, check] of [
    ['subjectDigest', 'subject'],
    ['predicateType', 'predicate'],
    ['deploymentId', 'predicate'],
  ] as const) {
    const { found } = await verifications.verify(app.operator, {
      attestationRef: landed.ref,
      expected: { [name]: wrong[name] },
    });
    assert.deepEqual([found.verified, found.checks[check]], [false, 'fail'], name);
  }
  assert.equal(await verifiedAt(landed), null);
});

test('another tenant finds no reference, and verifies our bundle without moving our custody', async () => {
  const landed = await attested();
  const { ref, bundle, release, logIndex, bodyHash, deployment } = landed;
  const otherCaller = app.caller('other-tenant');
  await assert.rejects(verifications.verify(otherCaller, { attestationRef: ref }), { code: 'RES_NOT_FOUND' });
  await assert.rejects(verifications.prove(otherCaller, { deploymentId: deployment.id }), { code: 'RES_NOT_FOUND' });

  const alone = await verifications.verify(otherCaller, { bundle });
  assert.deepEqual([alone.found.verified, alone.found.checks.subject], [false, 'skipped']);
  const expected = { subjectDigest: release.components[0]?.digest, deploymentId: deployment.id };
  const informed = await verifications.verify(otherCaller, { bundle, expected });
  assert.deepEqual([informed.found.verified, informed.own], [true, undefined]);
  const entry = await verifications.verify(otherCaller, { logIndex, bodyHash });
  const { signature, body, inclusion, subject } = entry.found.checks;
  assert.deepEqual([signature, body, inclusion, subject], ['pass', 'pass', 'pass', 'skipped']);
  assert.equal(entry.found.verified, false);
  assert.equal(await verifiedAt(landed), null);
});

test('an entry with another hash than its body is refused, and one beyond the tree is not there', async () => {
  const { logIndex } = await attested();
  const { found } = await verifications.verify(app.operator, { logIndex, bodyHash: sha256('another') });
  assert.deepEqual([found.verified, found.checks.body], [false, 'fail']);
  const beyond = { logIndex: '999999', bodyHash: sha256('another') };
  await assert.rejects(verifications.verify(app.operator, beyond), { code: 'RES_NOT_FOUND' });
});

test('the entry of our own is refused where its bundle is, and moves nothing by itself', async () => {
  const landed = await attested();
  const { ref, logIndex, bodyHash, bundle } = landed;
  const changed = new Editing(bundle);
  changed.write('dsseEnvelope.signatures.0.sig', flipped);
  await tamper('update orchestrator.attestations set bundle = $1 where id = $2', [changed.text, ref]);
  const { found, own } = await verifications.verify(app.operator, { logIndex, bodyHash });
  assert.deepEqual([found.verified, found.checks.signature, own], [false, 'fail', ref]);
  assert.equal(await verifiedAt(landed), null);
});

const withTampering = [
  [
    'a component of the release',
    'update orchestrator.release_components set digest = $1 where release_id = $2',
    'release',
    'subject',
  ],
  [
    'what a target ran',
    `update orchestrator.deployment_targets set landing = jsonb_set(landing, '{components,0,observedDigest}', to_jsonb($1::text)) where deployment_id = $2`,
    'deployment',
    'predicate',
  ],
] as const;

for (const [name, statement, row, check] of withTampering)
  test(`a statement that says something else than the record of ${name} is not verified`, async () => {
    const landed = await attested();
    const { ref, bundle, logIndex, bodyHash } = landed;
    await tamper(statement, [sha256('another'), landed[row].id]);
    for (const request of [{ attestationRef: ref }, { bundle }, { logIndex, bodyHash }]) {
      const { found } = await verifications.verify(app.operator, request);
      assert.deepEqual([found.verified, found.checks[check]], [false, 'fail'], JSON.stringify(found.details));
    }
    assert.equal(await verifiedAt(landed), null);
  });

const eventsOf = ({ ref }: Landed) =>
  tamper(
    `select type, version, data ->> 'reason' as reason from kernel.events
    where entity_id = $1 and type <> 'attestation.log' order by xid, id`,
    [ref],
  );

/**
 * Creates a landing whose verification passed and whose stored bundle was changed afterwards, and a function that
 * restores the bundle.
 */
const broken = async (change: (bundle: string) => string) => {
  const landed = await attested();
  await verifications.verify(app.operator, { attestationRef: landed.ref });
  assert.ok(await verifiedAt(landed));
  const store = (bundle: string) =>
    tamper('update orchestrator.attestations set bundle = $1 where id = $2', [bundle, landed.ref]);
  await store(change(landed.bundle));
  return { landed, mend: () => store(landed.bundle) };
};

const unsigned = (bundle: string): string => {
  const changed = new Editing(bundle);
  changed.write('dsseEnvelope.signatures.0.sig', flipped);
  return changed.text;
};

test('a proof that fails takes away what was proven, is an event, and a later one that passes gives it back', async () => {
  const { landed, mend: repair } = await broken(unsigned);
  const refuted = await verifications.prove(app.operator, { deploymentId: landed.deployment.id });
  assert.equal(refuted.found.verified, false);
  const fallen = await app.whole(landed.ref);
  assert.deepEqual([fallen.verifiedAt, fallen.refutedAt], [null, refuted.verifiedAt]);
  assert.equal(fallen.refutedReason, refuted.found.errorMessage);
  assert.match(fallen.refutedReason ?? '', /^signature-invalid: /);
  const step = async () =>
    (await app.module.custody.get(app.operator, { releaseId: landed.release.id })).steps.find(
      ({ step: name }) => name === 'deploy',
    );
  const { state, reason } = (await step()) ?? {};
  assert.deepEqual([state, reason], ['missing', `its verification failed: ${fallen.refutedReason}`]);

  await repair();
  await verifications.verify(app.operator, { attestationRef: landed.ref });
  const { verifiedAt: repeated, refutedAt, refutedReason } = await app.whole(landed.ref);
  assert.deepEqual([repeated === null, refutedAt, refutedReason], [false, null, null]);
  assert.equal((await step())?.state, 'proven');
  assert.deepEqual(
    (await eventsOf(landed)).map(({ type, reason: reasonText }) => [type, reasonText]),
    [
      ['attestation.verify', null],
      ['attestation.verify', null],
      ['attestation.refute', fallen.refutedReason],
      ['attestation.verify', null],
    ],
  );
});

test('a stored bundle that nobody can read is refuted by each way of asking, and not by a copy that somebody kept', async () => {
  const { landed } = await broken((bundle) => bundle.slice(1));
  const { ref, logIndex, bodyHash, deployment, bundle } = landed;
  const answers = [
    await verifications.verify(app.operator, { attestationRef: ref }),
    await verifications.verify(app.operator, { logIndex, bodyHash }),
    await verifications.prove(app.operator, { deploymentId: deployment.id }),
  ];
  for (const { found } of answers) assert.match(found.errorMessage ?? '', /^bundle-malformed: /);
  const copy = await verifications.verify(app.operator, { bundle });
  assert.equal(copy.found.verified, true);
  const { verifiedAt: verified, refutedReason } = await app.whole(ref);
  assert.deepEqual([verified, refutedReason?.startsWith('bundle-malformed: ')], [null, true]);
});

test('what only the caller expects, and what somebody else sends, refutes nothing', async () => {
  const landed = await attested();
  const { ref, bundle, logIndex } = landed;
  await verifications.verify(app.operator, { attestationRef: ref });
  const subjectDigest = sha256('another');
  const request = [
    { attestationRef: ref, expected: { subjectDigest } },
    { attestationRef: ref, expected: { predicateType: 'https://example.com/x' } },
    { logIndex, bodyHash: subjectDigest },
    { bundle: unsigned(bundle) },
    { bundle, expected: { subjectDigest } },
  ];
  for (const input of request) assert.equal((await verifications.verify(app.operator, input)).found.verified, false);
  const { verifiedAt: verified, refutedAt } = await app.whole(ref);
  assert.deepEqual([verified === null, refutedAt], [false, null]);
});

const malformed: readonly (readonly [input: object, field: string])[] = [
  [{}, 'attestationRef'],
  [{ attestationRef: 'x' }, 'attestationRef'],
  [{ bundle: '{}' }, 'bundle'],
  [{ bundle: '{"a":1,"a":1}' }, 'bundle'],
  [{ bundle: '{}', logIndex: '1', bodyHash: sha256('x') }, 'bundle'],
  [{ logIndex: '1' }, 'bodyHash'],
  [{ bodyHash: sha256('x') }, 'logIndex'],
  [{ logIndex: '-1', bodyHash: sha256('x') }, 'logIndex'],
  [{ logIndex: '1', bodyHash: 'x' }, 'bodyHash'],
  [{ bundle: '{}', expected: { subjectDigest: 'x' } }, 'expected.subjectDigest'],
];

test('a malformed request is refused with the field that is wrong', async () => {
  for (const [input, field] of malformed)
    await assert.rejects(verifications.verify(app.operator, input), (error) => {
      const { status, fields } = Object(error);
      assert.deepEqual([status, fields[0]?.field], [400, field], JSON.stringify(input));
      return true;
    });
});

const PROVE = `mutation ($input: ProveDeploymentInput!) { proveDeployment(input: $input) {
  verified checks { name result detail } log { origin index } errorMessage attestation { ref verifiedAt } } }`;

const VERIFY = `mutation ($input: VerifyAttestationInput!) { verifyAttestation(input: $input) {
  verified log { rootHash } attestation { ref } } }`;

test('the graph proves a deployment, and its statement says when', async () => {
  const landed = await attested();
  const { data, errors } = await app.graph(PROVE, { input: { deploymentId: landed.deployment.id } });
  assert.equal(errors, undefined);
  const { proveDeployment: proof } = Object(data);
  assert.deepEqual([proof.verified, proof.errorMessage, proof.attestation.ref], [true, null, landed.ref]);
  assert.equal(proof.attestation.verifiedAt, (await verifiedAt(landed))?.toISOString());
  assert.deepEqual(
    proof.checks.map(({ name, result }: { name: string; result: string }) => `${name} ${result}`),
    [
      'SIGNATURE PASS',
      'BODY PASS',
      'INCLUSION PASS',
      'CHECKPOINT PASS',
      'CONSISTENCY PASS',
      'TIMESTAMP PASS',
      'SUBJECT PASS',
      'PREDICATE PASS',
    ],
  );
  const verified = await app.graph(VERIFY, { input: { bundle: landed.bundle } });
  assert.equal(Object(verified.data).verifyAttestation.attestation.ref, landed.ref);
});

test('who only reads may not verify, and a deployment without a statement in the log is a conflict', async () => {
  const { deployment } = await app.landed(await app.stage());
  const input = { deploymentId: deployment.id };
  const as: As = { as: 'viewer' };
  const denied = await app.graph(PROVE, { input }, as);
  assert.equal(denied.errors?.[0]?.extensions?.code, 'PERM_SCOPE_DENIED');
  await assert.rejects(verifications.prove(app.operator, input), { code: 'RES_CONFLICT' });
  await app.attestAll();
});

test('the same key verifies once: the record and the event are one', async () => {
  const { ref } = await attested();
  const key = { idempotencyKey: 'prove-1' };
  const first = await verifications.verify(app.operator, { attestationRef: ref }, key);
  const second = await verifications.verify(app.operator, { attestationRef: ref }, key);
  assert.deepEqual(second.verifiedAt, first.verifiedAt);
});

test('a log whose rows contradict what it signed is an answer that is kept, and no failure of ours', async () => {
  const landed = await attested();
  const body = Buffer.from('{"entry":1}');
  const { index } = await transparencyLog.append(body);
  const [{ hashes }] = await tamper('select hashes from tlog.tiles where level = 0');
  await tamper('update tlog.tiles set hashes = set_byte(hashes, 0, get_byte(hashes, 0) # 1) where level = 0');
  const entry = { logIndex: String(index), bodyHash: sha256(body) };
  const answers = [
    await verifications.verify(app.operator, entry),
    await verifications.verify(app.operator, { attestationRef: landed.ref }),
  ];
  await tamper('update tlog.tiles set hashes = $1 where level = 0', [hashes]);
  assert.deepEqual(
    answers.map(({ found: { verified, checks } }) => [verified, checks.inclusion, checks.consistency]),
    [
      [false, 'fail', 'skipped'],
      [false, 'pass', 'fail'],
    ],
  );
  for (const { found } of answers) assert.match(found.errorMessage ?? '', /^log-forked: /);
  const recorded = await tamper(
    "select error_message from orchestrator.verifications where error_message like 'log-forked: %'",
  );
  assert.deepEqual(
    recorded.map(({ error_message: words }) => words).toSorted(),
    answers.map(({ found }) => found.errorMessage).toSorted(),
  );
});
