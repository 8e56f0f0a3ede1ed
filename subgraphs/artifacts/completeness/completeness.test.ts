import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { sql } from '@landfall/kernel/db/sql';
import type { EvidenceRequirement } from '@landfall/kernel/module';
import { artifactApp, billOf, ENVIRONMENT, IMAGE, operator, RELEASE, viewer } from '../testing/artifact-app.ts';

const DAY_MS = 86_400_000;
const OTHER = '0197c0de-0000-7000-8000-0000000000a2';
const CART = sha256('cart');

const require = (given: Partial<EvidenceRequirement>): EvidenceRequirement => ({
  evidence: null,
  predicateType: null,
  signer: null,
  maxAgeDays: null,
  ...given,
});

const REQUIREMENTS = [
  require({ evidence: 'sbom', maxAgeDays: 30 }),
  require({ evidence: 'provenance', signer: 'builder' }),
  require({ predicateType: 'https://a.test/review' }),
];

const IMAGES = [
  { releaseId: RELEASE, component: 'cart', digest: CART },
  { releaseId: RELEASE, component: 'shop', digest: IMAGE },
  { releaseId: OTHER, component: 'shop', digest: IMAGE },
];

const statementOf = (digest: string, predicateType: string) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ digest: { sha256: digest.slice('sha256:'.length) } }],
  predicateType,
});

const scenario = async () => {
  const app = await artifactApp({ images: IMAGES, requirements: REQUIREMENTS });
  return {
    ...app,
    /** State and lacking components of each requirement, by release. */
    async states(...releaseIds: string[]) {
      const found = await app.module.completeness.assess(viewer, { environmentId: ENVIRONMENT, releaseIds });
      return found.map(({ requirements }) =>
        requirements.map(({ state, components }) => [state, ...components].join(' ')),
      );
    },
    /** Stores a verdict as the judgement does. */
    judge: (artifactId: string, verdict: string, signer: string | null) =>
      app.deps.database.write(operator.tenant, (tx) =>
        tx.run(sql`update evidence.artifact_index set signature = 'envelope', verdict = ${verdict}, signer = ${signer}
          where artifact_id = ${artifactId}`),
      ),
  };
};

test('a requirement is as good as its best artifact for each image, and as the worst of all images', async () => {
  await using app = await scenario();
  assert.deepEqual(await app.states(RELEASE, OTHER), [
    ['missing cart shop', 'missing cart shop', 'missing cart shop'],
    ['missing shop', 'missing shop', 'missing shop'],
  ]);
  await app.put(billOf());
  const review = await app.put(statementOf(IMAGE, 'https://a.test/review'), { bomRef: 'review' });
  const { artifact } = await app.put(statementOf(IMAGE, 'https://slsa.dev/provenance/v1'), { bomRef: 'build' });
  assert.deepEqual((await app.states(OTHER))[0]?.[2], 'unverified shop', 'a statement that nobody signed');
  await app.judge(review.artifact.artifactId, 'verified', 'somebody');
  assert.deepEqual(await app.states(RELEASE, OTHER), [
    ['missing cart', 'missing cart shop', 'missing cart'],
    ['present', 'unverified shop', 'present'],
  ]);
  await app.judge(artifact.artifactId, 'verified', 'somebody');
  assert.deepEqual((await app.states(OTHER))[0]?.[1], 'unverified shop', 'another signer');
  await app.judge(artifact.artifactId, 'verified', 'builder');
  await app.put({ ...billOf(CART), serialNumber: 'urn:uuid:cart' });
  assert.deepEqual(await app.states(RELEASE, OTHER), [
    ['present', 'missing cart', 'missing cart'],
    ['present', 'present', 'present'],
  ]);
});

test('evidence expires, is renewed by a newer one, and counts no more once its bytes are damaged or its signature is not', async () => {
  await using app = await scenario();
  const { artifact } = await app.put(billOf());
  const stateOf = async () => (await app.states(OTHER))[0]?.[0];
  await app.clock.advance(31 * DAY_MS);
  assert.equal(await stateOf(), 'expired shop');
  await app.put({ ...billOf(), version: 2 });
  assert.equal(await stateOf(), 'present');
  for (const path of await app.files('objects')) await writeFile(path, 'changed');
  await app.clock.advance(31 * DAY_MS);
  await app.module.scrub.scrub();
  assert.equal(await stateOf(), 'unverified shop');
  const renewed = await app.put({ ...billOf(), version: 3 });
  assert.equal(await stateOf(), 'present');
  await app.judge(renewed.artifact.artifactId, 'invalid', null);
  assert.equal(await stateOf(), 'unverified shop');
  assert.ok(artifact.artifactId !== renewed.artifact.artifactId);
});

test('statements of the platform about a release count for each of its images', async () => {
  await using app = await scenario();
  await app.module.putDocument(operator, {
    bomRef: 'landfall:release',
    serialNumber: 'one',
    content: Buffer.from(JSON.stringify(statementOf(sha256('else'), 'https://a.test/review'))),
    references: [{ kind: 'Release', id: RELEASE }],
  });
  const [statement] = (await app.module.artifacts.list(viewer, { bomRef: 'landfall:release' })).items;
  await app.judge(String(statement?.artifactId), 'verified', 'landfall');
  assert.equal((await app.states(RELEASE))[0]?.[2], 'present');
});

test('the word of a sender makes no evidence: neither a type nor an unsigned predicate', async () => {
  const kinds = ['sbom', 'vex', 'provenance', 'score_proof'] as const;
  const requirements = kinds.map((evidence) => require({ evidence }));
  await using app = await artifactApp({ images: IMAGES, requirements });
  const statesOf = async () => {
    const input = { environmentId: ENVIRONMENT, releaseIds: [OTHER] };
    const [found] = await app.module.completeness.assess(viewer, input);
    return found?.requirements.map(({ state }) => state);
  };
  const refused = { code: 'VAL_INVALID_VALUE' };
  const statement = statementOf(IMAGE, 'https://a.test/review');
  for (const type of ['Sbom', 'Vex', 'Verdict'])
    await assert.rejects(app.put(statement, { bomRef: 'x', type }), refused);
  await assert.rejects(app.put(billOf(), { type: 'Vex' }), refused);
  const predicates = ['cyclonedx.org/bom', 'openvex.dev/ns', 'slsa.dev/provenance/v1', 'a.test/predicates/scan@v1'];
  for (const predicate of predicates)
    await app.put(statementOf(IMAGE, `https://${predicate}`), { bomRef: predicate, type: 'Other' });
  assert.deepEqual(await statesOf(), ['unverified', 'unverified', 'unverified', 'unverified']);
  const { artifact } = await app.put({ is: 'unknown' }, { bomRef: 'unknown', type: 'Sbom' });
  assert.equal(artifact.artifactType, 'Sbom');
  await app.module.putDocument(operator, {
    bomRef: 'unknown',
    serialNumber: artifact.serialNumber,
    content: Buffer.from(JSON.stringify({ is: 'unknown' })),
    references: [{ kind: 'Release', id: OTHER }],
  });
  assert.equal((await statesOf())?.[0], 'unverified', 'content of no known form');
  await app.put(billOf());
  assert.equal((await statesOf())?.[0], 'present');
});

test('the graph answers a list of releases with one statement, and an environment that is none with its fault', async () => {
  await using app = await scenario();
  const { artifact } = await app.put(billOf());
  const query = `query ($of: ID!) { _entities(representations: [
      { __typename: "Release", id: "${RELEASE}" }, { __typename: "Release", id: "${OTHER}" }]) {
    ... on Release { evidenceCompleteness(environmentId: $of) { isComplete environment { id }
      requirements { evidence predicateType state components artifact { id } } } } } }`;
  app.statements.length = 0;
  const result = await app.graph(query, { of: ENVIRONMENT }, { as: 'evidence-viewer' });
  const [, second] = JSON.parse(JSON.stringify(result.data))._entities;
  assert.deepEqual(second.evidenceCompleteness.requirements[0], {
    evidence: 'SBOM',
    predicateType: null,
    state: 'PRESENT',
    components: [],
    artifact: { id: artifact.artifactId },
  });
  assert.deepEqual(
    [second.evidenceCompleteness.isComplete, second.evidenceCompleteness.environment.id],
    [false, ENVIRONMENT],
  );
  assert.equal(app.statements.filter((name) => name?.includes('assess')).length, 1);
  const { errors } = await app.graph(query, { of: OTHER }, { as: 'evidence-viewer' });
  assert.equal(errors?.[0]?.extensions?.code, 'RES_NOT_FOUND');
});
