import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlatform } from '@landfall/attestation/bundle/bundle.fixture';
import { toId } from '@landfall/kernel/core/ids';
import { sha256, sha256Hex } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { json } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { airgapApp, operator, stranger } from '../testing/airgap-app.ts';
import { temporary, testKey, testKit } from '../testing/kits.ts';
import { createAttestationChecks } from './attestation-checks.ts';
import { queueImport } from './import-requests.ts';
import { createImporterMeters } from './importer-meters.ts';
import { kitEvidence } from './kit-evidence.ts';
import { paths, type ReleaseDocument, readRelease } from './release-document.ts';
import { keepStatements, verifyStatements } from './release-statements.ts';

const checks = createAttestationChecks(createImporterMeters(undefined));
const home = createPlatform();
const [WEB, API] = [sha256('web'), sha256('api')];
const STAGE = { id: '01990000-0000-7000-8000-000000000002', name: 'Stage' };
const ORIGIN = '01990000-0000-7000-8000-0000000000aa';
const POLICY = { requiredApprovals: 1, requiredEvidence: ['sbom'] };

const image = (name: string, digest: typeof WEB) => ({
  ...{
    name,
    repository: `registry.example/${name}`,
    digest,
    mediaType: 'application/json',
    dependsOn: [],
    attached: [],
  },
});

const fileOf = (n: number): string => paths.attestation(`01990000-0000-7000-8000-00000000000${n}`);
const [APPROVAL, DECISION] = [fileOf(1), fileOf(2)];

const release: ReleaseDocument = {
  ...{ version: 1, releaseId: ORIGIN, product: 'shop', semver: '1.3.0', notes: null },
  images: [image('web', WEB), image('api', API)],
  approvals: [APPROVAL],
  policies: [{ statement: DECISION, policy: POLICY }],
};

const statement = (predicateType: string, predicate: object, digests: readonly string[] = [WEB, API]) =>
  Buffer.from(
    canonicalJson({
      _type: 'https://in-toto.io/Statement/v1',
      subject: digests.map((digest) => ({ name: 'image', digest: { sha256: digest.slice(7) } })),
      predicateType,
      predicate,
    }),
  );

const approval = (named: object = {}, digests?: readonly string[]) =>
  statement(
    'https://landfall.example/predicates/approval@v1',
    {
      release: { id: ORIGIN, name: 'shop', semver: '1.3.0', ...named },
      environment: STAGE,
      approvals: [{ actor: 'rosa', at: '2026-11-20T09:00:01Z', comment: 'Looks right.' }],
    },
    digests,
  );

const decision = (policy: object = {}, releaseId = ORIGIN) =>
  statement('https://slsa.dev/verification_summary/v1', {
    policy: {
      digest: { sha256: sha256Hex(canonicalJson(POLICY)) },
      content: Buffer.from(canonicalJson(POLICY)).toString('base64'),
      ...policy,
    },
    resourceUri: `https://landfall.example/environments/${STAGE.id}/releases/${releaseId}`,
    ...{ timeVerified: '2026-11-20T09:00:05Z', verificationResult: 'PASSED' },
  });

/** Verifies a kit with an approval and a decision, of which a test replaces some. */
const verify = async (
  files: Readonly<Record<string, string>> = {},
  document: Partial<ReleaseDocument> = {},
  from: ReleaseDocument = release,
): ReturnType<typeof verifyStatements> => {
  const texts: Readonly<Record<string, string>> = {
    [paths.trust]: home.trust,
    [APPROVAL]: await home.bundle(approval()),
    [DECISION]: await home.bundle(decision()),
    ...files,
  };
  const attestations = Object.keys(texts).filter((path) => path !== paths.trust);
  return verifyStatements(checks, {
    components: attestations.map((path) => ({ path, kind: 'attestation' })),
    release: { ...from, ...document },
    subjects: new Set([WEB, API]),
    read: async (path) => texts[path] ?? '',
  });
};

const refused = (message: RegExp) => ({ code: 'kit_attestation_invalid', message });

test('the approvals and policies of a kit are verified, with the environment that another statement names', async () => {
  const found = await verify();
  assert.partialDeepStrictEqual(found, [
    { environment: 'Stage', facts: { kind: 'approval', approvals: [{ actor: 'rosa', comment: 'Looks right.' }] } },
    {
      environment: 'Stage',
      facts: { kind: 'policy', policy: canonicalJson(POLICY), decidedAt: '2026-11-20T09:00:05Z' },
    },
  ]);
});

test('one flipped byte in an approval refuses the kit, wherever it is', async () => {
  const bundle = JSON.parse(await home.bundle(approval()));
  const payload = Buffer.from(bundle.dsseEnvelope.payload, 'base64');
  for (let at = 0; at < payload.length; at += 53) {
    const changed = Buffer.from(payload);
    changed[at] = (changed[at] ?? 0) ^ 1;
    const text = JSON.stringify({
      ...bundle,
      dsseEnvelope: { ...bundle.dsseEnvelope, payload: changed.toString('base64') },
    });
    await assert.rejects(verify({ [APPROVAL]: text }), refused(/does not verify/), `byte ${at}`);
  }
});

test('an approval of another version, or of one image alone, refuses the kit', async () => {
  const other = await home.bundle(approval({ semver: '1.2.0' }));
  await assert.rejects(verify({ [APPROVAL]: other }), refused(/it is about another release/));
  const part = await home.bundle(approval({}, [WEB]));
  await assert.rejects(verify({ [APPROVAL]: part }), refused(/it is about another release/));
  const more = await home.bundle(approval({}, [WEB, API, sha256('more')]));
  await assert.rejects(verify({ [APPROVAL]: more }), refused(/it is about another release/));
});

test('any statement about another release with the same images refuses the kit', async () => {
  const names = { id: ORIGIN, name: 'shop', semver: '1.3.0' };
  const typed = (kind: string, predicate: object, digests?: readonly string[]) =>
    home.bundle(statement(`https://landfall.example/predicates/${kind}@v1`, predicate, digests));
  const another = refused(/it is about another release/);
  const other = await home.bundle(decision({}, STAGE.id));
  await assert.rejects(verify({ [DECISION]: other }), another);
  for (const [kind, predicate, digests] of [
    ['evidence', { release: { ...names, name: 'other' } }],
    ['scan', { release: { ...names, semver: '1.2.0' } }],
    ['scan', { release: { ...names, id: STAGE.id } }],
    ['scan', { release: names }, [WEB]],
    ['deployment', { releaseId: STAGE.id }],
    ['observation', {}],
  ] as const)
    await assert.rejects(verify({ [fileOf(3)]: await typed(kind, predicate, digests) }), another, kind);
  assert.equal((await verify({ [fileOf(3)]: await typed('observation', { releaseId: ORIGIN }) })).length, 3);
});

test('an approval or a decision that the lists of the release do not name refuses the kit', async () => {
  await assert.rejects(verify({}, { approvals: [] }), refused(/is not in its list/));
  await assert.rejects(verify({ [fileOf(3)]: await home.bundle(decision()) }), refused(/is not in its list/));
});

test('a statement that an unknown key signed refuses the kit', async () => {
  const foreign = await createPlatform().bundle(approval());
  await assert.rejects(verify({ [APPROVAL]: foreign }), refused(/does not verify/));
});

test('a policy that is not the one of its statement refuses the kit', async () => {
  const altered = await home.bundle(decision({ content: Buffer.from('{"requiredApprovals":0}').toString('base64') }));
  await assert.rejects(verify({ [DECISION]: altered }), refused(/another hash/));
  const policies = [{ statement: DECISION, policy: { ...POLICY, requiredApprovals: 0 } }];
  await assert.rejects(verify({}, { policies }), refused(/not the one that its statement names/));
  await assert.rejects(verify({}, { approvals: [DECISION] }), refused(/is no approval of the kit/));
  await assert.rejects(verify({}, { approvals: [fileOf(9)] }), refused(/is no approval of the kit/));
});

test('a kit that was built without the lists, and a statement with the hash of its policy alone, are taken', async () => {
  const { approvals: _approvals, policies: _policies, releaseId: _id, ...old } = release;
  assert.equal(readRelease(JSON.stringify(old)).approvals, undefined);
  const bare = { [DECISION]: await home.bundle(decision({ content: undefined })) };
  assert.equal((await verify(bare, {}, old))[1]?.facts.policy, null);
  const policies = [{ statement: DECISION, policy: null }];
  assert.equal((await verify(bare, { policies }))[1]?.facts.policy, null);
});

const events = table('kernel.events trail', { data: json(Type.Record(Type.String(), Type.Unknown())) });
const RELEASE = toId('01990000-0000-7000-8000-000000000001', 'Release');
const STATEMENTS = `query ($them: [_Any!]!) { _entities(representations: $them) { ... on Release {
  kitStatements { kind environment policy approvals { actor comment } } } } }`;

test('the site shows what came with the release to its tenant, and announces each statement as evidence once', async () => {
  await using app = await airgapApp();
  await using at = await temporary();
  const kit = await testKit(at.path, { signers: [testKey()], files: { 'one.json': '{}' } });
  const { database, ids } = app.deps;
  const statements = await verify();
  const request = { kit, source: null, registry: null, isDryRun: false, failOn: null };
  const row = await database.write(operator.tenant, (tx) => queueImport(tx, operator, ids, request));
  for (const _again of [1, 2])
    await database.write(operator.tenant, (tx) =>
      keepStatements(tx, operator, ids, { run: { row }, releaseId: RELEASE, statements }),
    );

  const shown = async (as: typeof operator) => {
    const { data, errors } = await app.graph(STATEMENTS, { them: [{ __typename: 'Release', id: RELEASE }] }, { as });
    assert.equal(errors, undefined);
    return JSON.parse(JSON.stringify(data))._entities[0].kitStatements;
  };
  assert.deepEqual(await shown(operator), [
    {
      ...{ kind: 'APPROVAL', environment: 'Stage', policy: null },
      approvals: [{ actor: 'rosa', comment: 'Looks right.' }],
    },
    { kind: 'POLICY', environment: 'Stage', policy: canonicalJson(POLICY), approvals: [] },
  ]);
  assert.deepEqual(await shown(stranger), []);

  const announced = await app.rows(
    events,
    sql`select data from kernel.events where type = 'kit.carryStatement' order by id`,
  );
  const read = kitEvidence.get('kit.carryStatement');
  const documents = await Promise.all(
    announced.map(({ data }) =>
      database.read(operator.tenant, async (query) => read?.(query, operator.tenant, { entityId: row.id, data })),
    ),
  );
  assert.deepEqual(
    documents.map((each) => [Buffer.from(each?.content ?? []).toString(), each?.references]),
    statements.map(({ text }) => [text, [{ kind: 'Release', id: RELEASE }]]),
  );
});
