import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importOne, importText } from '../testing/import-text.ts';

const KYVERNO = `# a manifest that is nobody's policy
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: require-latch
  annotations:
    policies.kyverno.io/title: Require a latch
    policies.kyverno.io/category: Fences
    policies.kyverno.io/severity: medium
    policies.kyverno.io/subject: Pod
    policies.kyverno.io/description: >-
      A gate without a latch is open
      to the wind.
spec:
  validationFailureAction: Audit
  rules:
    - name: has-latch
      match: {any: [{resources: {kinds: [Pod]}}]}
      validate: {message: Every gate needs a latch., pattern: {}}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: [broken
`;

test('policies of Kyverno among other manifests; a document that is no YAML is told by its line', async () => {
  const { chunks, refusals, skipped } = await importText('policies/latch.yaml', KYVERNO, { isGiven: false });
  assert.equal(chunks.length, 1);
  assert.partialDeepStrictEqual(chunks[0], {
    domain: 'policy',
    source: 'kyverno',
    documentKey: 'policies/latch.yaml#require-latch',
    entityType: 'policy',
    entityKey: 'policy:kyverno/require-latch',
    title: 'Require a latch',
    body: 'A gate without a latch is open to the wind.\n\nhas-latch: Every gate needs a latch.',
    severity: 'medium',
    attributes: { category: 'Fences', action: 'Audit', rules: ['has-latch'] },
  });
  assert.equal(skipped, 1);
  assert.equal(refusals.length, 1);
  assert.ok((refusals[0]?.line ?? 0) >= 28);
});

const REGO = `package fence.latch

# METADATA
# title: Latches
# description: Every gate needs a latch.
# custom:
#   severity: HIGH
#   id: FW001

import rego.v1

default allow := false

violation contains {"msg": msg} if {
	not input.gate.latch
	msg := sprintf("gate %v has no latch", [input.gate.name])
}

helper(x) = y { y := x }
`;

test('a Rego module is told by its package, annotations, rules and messages', async () => {
  const chunk = await importOne('latch.rego', REGO);
  assert.partialDeepStrictEqual(chunk, {
    entityKey: 'policy:rego/fence.latch',
    title: 'Latches',
    body: 'Every gate needs a latch.\n\ngate %v has no latch',
    identifiers: ['fence.latch', 'FW001'],
    severity: 'high',
    attributes: { rules: ['allow', 'violation', 'helper'] },
  });
  const { refusals } = await importText('none.rego', 'x = 1');
  assert.equal(refusals[0]?.reason, 'there is no package');
  assert.equal((await importText('latch_test.rego', REGO)).skipped, 1);
});

const GATEKEEPER = `apiVersion: templates.gatekeeper.sh/v1
kind: ConstraintTemplate
metadata:
  name: k8srequirelatch
  annotations:
    description: Requires gates to have a latch.
spec:
  crd: {spec: {names: {kind: K8sRequireLatch}}}
  targets:
    - target: admission.k8s.gatekeeper.sh
      rego: |
        package k8srequirelatch
        violation[{"msg": msg}] { not input.latch; msg := "no latch" }
---
apiVersion: constraints.gatekeeper.sh/v1beta1
kind: K8sRequireLatch
metadata: {name: all-gates}
spec:
  enforcementAction: warn
  match: {kinds: [{apiGroups: [""], kinds: [Pod, Service]}]}
`;

test('templates and constraints of Gatekeeper', async () => {
  const { chunks } = await importText('gate.yaml', GATEKEEPER);
  const [template, constraint] = chunks;
  assert.partialDeepStrictEqual(template, {
    entityKey: 'policy:gatekeeper/k8srequirelatch',
    title: 'K8sRequireLatch',
    body: 'Requires gates to have a latch.\n\nno latch',
    attributes: { constraint: 'K8sRequireLatch', rules: ['violation'] },
  });
  assert.partialDeepStrictEqual(constraint, {
    entityKey: 'policy:gatekeeper/K8sRequireLatch/all-gates',
    body: 'Applies to Pod, Service.',
    attributes: { action: 'warn' },
  });
});

test('a document of aliases of aliases is refused', async () => {
  const levels = Array.from({ length: 12 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]`);
  const expansion = ['kind: ClusterPolicy', 'l0: &l0 [x]', ...levels].join('\n');
  const { chunks, refusals } = await importText('bomb.yaml', expansion, { format: 'kyverno' });
  assert.equal(chunks.length, 0);
  assert.match(refusals[0]?.reason ?? '', /alias/i);
});
