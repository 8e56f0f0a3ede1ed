import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import fc from 'fast-check';
import {
  type ApprovalFacts,
  createStatements,
  type DeploymentFacts,
  type EvidenceFacts,
  type ObservationFacts,
  type ScanFacts,
  type Statement,
  type SummaryFacts,
} from './statements.ts';

const statements = createStatements('landfall.example');

const at = (second: number): Date => new Date(Date.UTC(2026, 10, 20, 9, 0, second, 789));
const uuid = (n: number): string => `01990000-0000-7000-8000-${String(n).padStart(12, '0')}`;

const subjects = [
  { name: 'web', digest: sha256('web') },
  { name: 'api', digest: sha256('api') },
];
const release = { id: uuid(1), name: 'shop', semver: '1.2.0' };
const environment = { id: uuid(2), name: 'staging' };
const observations = [uuid(12), uuid(11)].flatMap((targetId) =>
  subjects.map(({ name, digest }) => ({
    targetId,
    component: name,
    agentSpiffe: `spiffe://landfall.example/acme/agent/${uuid(20)}`,
    gatedDigest: digest,
    observedDigest: digest,
    at: at(30),
  })),
);

const deployment: DeploymentFacts = {
  subjects,
  deploymentId: uuid(3),
  releaseId: release.id,
  environment,
  strategy: 'rolling',
  startedAt: at(10),
  completedAt: at(40),
  targets: observations.map((target) => ({ ...target, reportedDigest: target.gatedDigest })),
  approvals: [
    { actor: 'zoë', at: at(2) },
    { actor: 'amir', at: at(1) },
  ],
  policy: {
    preflightDigest: sha256('preflight'),
    gates: [
      { name: 'preflight', outcome: 'pass' },
      { name: 'approval', outcome: 'pass' },
    ],
  },
  evidence: [
    { type: 'vex', digest: sha256('vex') },
    { type: 'sbom', digest: sha256('sbom') },
  ],
  previousDeploymentId: null,
  agentKeys: ['bb', 'aa', 'bb'],
};
const approval: ApprovalFacts = {
  subjects,
  promotionId: uuid(4),
  requestedBy: 'rosa',
  release,
  environment,
  gatedDigestSet: sha256('set'),
  approvals: [
    { actor: 'zoë', at: at(2), comment: null },
    { actor: 'amir', at: at(1), comment: 'Looks right.' },
  ],
};
const summary: SummaryFacts = {
  subjects,
  releaseId: release.id,
  environmentId: environment.id,
  verifiedAt: at(5),
  rules: { requiredApprovals: 2, requiredEvidence: ['sbom'] },
  inputs: [
    { ref: uuid(6), digest: sha256('b') },
    { ref: uuid(5), digest: sha256('a') },
  ],
};
const evidence: EvidenceFacts = {
  subjects,
  release,
  gatedDigestSet: sha256('set'),
  evidence: [
    { type: 'vex', digest: sha256('vex'), recordedAt: at(1) },
    { type: 'sbom', digest: sha256('sbom'), recordedAt: at(0) },
  ],
};
const observation: ObservationFacts = {
  subjects,
  deploymentId: uuid(3),
  releaseId: release.id,
  environment,
  completedAt: at(40),
  targets: observations,
};

const scan: ScanFacts = {
  subjects,
  release,
  scans: [
    { component: 'web', imageDigest: sha256('web'), scanId: uuid(31), rootHash: sha256('d'), scorePpm: null },
    { component: 'api', imageDigest: sha256('api'), scanId: uuid(30), rootHash: sha256('c'), scorePpm: 482_057 },
  ].map((each) => ({ ...each, completedAt: at(3) })),
};

const created: Readonly<Record<string, Statement>> = {
  deployment: statements.deployment(deployment),
  approval: statements.approval(approval),
  verification_summary: statements.summary(summary),
  evidence: statements.evidence(evidence),
  observation: statements.observation(observation),
  scan: statements.scan(scan),
};

for (const [name, statement] of Object.entries(created))
  test(`the statement of kind ${name} is byte for byte what is recorded`, async () => {
    const recorded = await readFile(new URL(`./golden/${name}.jcs`, import.meta.url), 'utf8');
    assert.equal(statement.payload.toString(), recorded);
    const { _type, predicateType } = JSON.parse(recorded);
    assert.deepEqual([_type, predicateType], ['https://in-toto.io/Statement/v1', statement.predicateType]);
  });

/** Arbitrary with the same facts and every list in another order. */
const shuffled = <T>(facts: T): fc.Arbitrary<T> =>
  fc.infiniteStream(fc.nat()).map((order) => {
    const shuffle = (value: unknown): unknown => {
      if (Array.isArray(value)) {
        const keyed = value.map((item) => ({ key: order.next().value, item: shuffle(item) }));
        return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
      }
      return value;
    };
    return {
      ...facts,
      ...Object.fromEntries(Object.entries(Object(facts)).map(([key, value]) => [key, shuffle(value)])),
    };
  });

const isTheSame = <T>(facts: T, build: (given: T) => Statement): void => {
  const { payload } = build(facts);
  fc.assert(fc.property(shuffled(facts), (other) => build(other).payload.equals(payload)));
};

test('the order in which facts come does not change a byte', () => {
  isTheSame(deployment, statements.deployment);
  isTheSame(approval, statements.approval);
  isTheSame(summary, statements.summary);
  isTheSame(evidence, statements.evidence);
  isTheSame(observation, statements.observation);
  isTheSame(scan, statements.scan);
});

test('subjects come by name, then by digest, in the order of their UTF-8 bytes', () => {
  const digest = fc.nat().map((n) => sha256(String(n)));
  const subject = fc.record({ name: fc.string({ unit: 'grapheme' }), digest });
  fc.assert(
    fc.property(fc.array(subject), (given) => {
      const { payload } = statements.observation({ ...observation, subjects: given });
      const keys: Buffer[] = JSON.parse(payload.toString()).subject.map(
        (each: { name: string; digest: { sha256: string } }) => Buffer.from(`${each.name}\0${each.digest.sha256}`),
      );
      return keys.every((key, i) => i === 0 || Buffer.compare(keys[i - 1] ?? key, key) <= 0);
    }),
  );
});

test('times are whole seconds of UTC', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true }), (completedAt) => {
      const { payload } = statements.deployment({ ...deployment, completedAt });
      const completion: string = JSON.parse(payload.toString()).predicate.completedAt;
      assert.match(completion, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.equal(Date.parse(completion), Math.floor(completedAt.getTime() / 1000) * 1000);
    }),
  );
});
