import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { createVexIndex } from '../advisories/vex-index.ts';
import { readVexDocument } from '../advisories/vex-reader.ts';
import { rulingStatement } from '../advisories/vex-ruling.ts';
import { subjectOf } from '../vex/rulings.ts';
import { JUSTIFICATIONS, TRIAGE_STATUSES } from './decision.ts';
import type { TriageDecision } from './decisions.store.ts';
import { openVexDocument, VEX_STATUS, type VexFinding, type VexSubject } from './openvex-document.ts';

/** Numbers below a bound from a fixed seed (mulberry32). */
const createRandom = (seed: number) => {
  let state = seed;
  return (bound: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
};

type Random = ReturnType<typeof createRandom>;

const oneOf = <T>(random: Random, values: readonly [T, ...T[]]): T => values[random(values.length)] ?? values[0];

const DECIDED_AT = Date.UTC(2026, 0, 1);

const decisionOf = (random: Random, n: number): TriageDecision => {
  const status = oneOf(random, TRIAGE_STATUSES);
  const isJustified = status === 'not_affected' && random(2) === 0;
  return {
    id: toId(`01900000-0000-7000-8000-${String(n).padStart(12, '0')}`, 'TriageDecision'),
    scope: 'tenant',
    componentKey: null,
    productId: null,
    vulnerabilityId: `CVE-2026-${1_000 + n}`,
    aliasGroup: BigInt(n),
    status,
    justification: isJustified ? oneOf(random, JUSTIFICATIONS) : null,
    impactStatement: status === 'not_affected' && !isJustified ? 'Nothing calls it. “Ünïcode” too.' : null,
    reason: `Reason ${n} of the person who decided.`,
    expiresAt: status === 'accepted' ? new Date(DECIDED_AT + 86_400_000) : null,
    decidedBy: `user-${random(3)}`,
    decidedAt: new Date(DECIDED_AT + random(1_000) * 1_000),
    revokedBy: null,
    revokedAt: null,
    revocationReason: null,
    supersededBy: null,
    supersededAt: null,
    expiredAt: null,
    version: 1,
  };
};

const PURLS = [
  'pkg:npm/%40scope/gate@1.0.0',
  'pkg:deb/debian/openssl@3.0.1?arch=amd64&distro=debian-12',
  'pkg:golang/github.com/a/b@v1.2.3',
  'pkg:maven/org.a/b@1.0',
  'pkg:pypi/gate@1.0',
] as const;

const IMAGE = sha256('a');
const SUBJECTS: readonly [VexSubject, ...VexSubject[]] = [
  { imageDigest: IMAGE, subjectName: 'registry.example/team/shop:3.0', subjectVersion: null, subjectPurl: null },
  { imageDigest: sha256('b'), subjectName: 'A name with spaces!', subjectVersion: '1', subjectPurl: null },
  { imageDigest: sha256('c'), subjectName: null, subjectVersion: null, subjectPurl: null },
  { imageDigest: null, subjectName: 'shop', subjectVersion: '3', subjectPurl: 'pkg:npm/shop@3.0.0' },
  { imageDigest: null, subjectName: 'shop', subjectVersion: '3', subjectPurl: null },
];

/** Findings of some vulnerabilities in some components, each vulnerability with one decision or two. */
const findingsOf = (random: Random): (VexFinding & { readonly componentHashes: readonly string[] })[] =>
  Array.from({ length: 1 + random(6) }, (_, group) => {
    const decisions = [decisionOf(random, group * 2), decisionOf(random, group * 2 + 1)] as const;
    return PURLS.filter(() => random(2) === 0).map((purl) => ({
      vulnId: `CVE-2026-${1_000 + group}`,
      aliases: random(2) === 0 ? [] : [`GHSA-2c2c-3f3f-4g4${'23456789'[group] ?? '2'}`],
      purl,
      componentHashes: [],
      decision: oneOf(random, decisions),
    }));
  }).flat();

/** Status that our own reader and rules give a finding by a document. */
const statusOf = (text: string, finding: ReturnType<typeof findingsOf>[number], subject: VexSubject) => {
  const { statements, problems } = readVexDocument(Buffer.from(text));
  assert.deepEqual(problems, []);
  const sourced = statements.map((statement) => ({ source: 'own', rank: 1, trust: 'trusted' as const, statement }));
  const named = subjectOf(finding, subject);
  const policy = { vexMinimumTrust: 'trusted' as const };
  return rulingStatement(createVexIndex(sourced).candidates(named), named, policy)?.statement.status;
};

test('a document that our own reader reads gives each finding the status of its decision, for 300 generated scans', () => {
  const random = createRandom(7);
  let compared = 0;
  for (let round = 0; round < 300; round++) {
    const findings = findingsOf(random);
    const subject = oneOf(random, SUBJECTS);
    const text = openVexDocument(subject, findings);
    assert.equal(text === undefined, findings.length === 0);
    for (const finding of findings) {
      assert.equal(statusOf(text ?? '', finding, subject), VEX_STATUS[finding.decision.status], finding.vulnId);
      compared += 1;
    }
  }
  assert.ok(compared > 1_000, `${compared} findings`);
});

test('the bytes do not depend on the order of the findings, and another decision gives another id', () => {
  const random = createRandom(11);
  const findings = findingsOf(random);
  const [subject] = SUBJECTS;
  const text = openVexDocument(subject, findings) ?? '';
  assert.equal(openVexDocument(subject, findings.toReversed()), text);
  const changed = findings.map((each, at) =>
    at === 0 ? { ...each, decision: { ...each.decision, reason: 'x' } } : each,
  );
  assert.notEqual(JSON.parse(openVexDocument(subject, changed) ?? '')['@id'], JSON.parse(text)['@id']);
});

test('a document says who decided, when, and why, in the terms of OpenVEX', () => {
  const decision = { ...decisionOf(createRandom(1), 1), status: 'accepted', justification: null } as const;
  const expiresAt = new Date('2026-06-01T00:00:00Z');
  const findings = [
    { vulnId: 'CVE-2026-1000', aliases: ['GHSA-2c2c-3f3f-4g4g'], purl: PURLS[0], decision: { ...decision, expiresAt } },
  ];
  const document = JSON.parse(openVexDocument(SUBJECTS[0], findings) ?? '');
  assert.match(document['@id'], /^ni:\/\/\/sha-256;[\w-]{43}$/);
  assert.deepEqual(document.statements, [
    {
      vulnerability: { name: 'CVE-2026-1000', aliases: ['GHSA-2c2c-3f3f-4g4g'] },
      timestamp: decision.decidedAt.toISOString(),
      products: [
        {
          '@id': `pkg:oci/shop@${IMAGE}`,
          hashes: { 'sha-256': IMAGE.slice('sha256:'.length) },
          subcomponents: [{ '@id': PURLS[0] }],
        },
      ],
      status: 'affected',
      action_statement: `The risk is accepted until 2026-06-01T00:00:00.000Z: ${decision.reason}`,
    },
  ]);
  assert.deepEqual([document.author, document.timestamp], [decision.decidedBy, decision.decidedAt.toISOString()]);
});
