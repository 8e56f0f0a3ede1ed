import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Unreadable } from './reader.ts';
import { indentContinuations } from './yaml-continuation.ts';
import { readYaml } from './yaml-documents.ts';

const singleValue = (text: string): unknown => {
  const [document, ...rest] = readYaml(text);
  if (!document || document instanceof Unreadable || rest.length > 0) throw new Error(JSON.stringify(document));
  return document.value;
};

/** YAML that readers of YAML 1.1 take, and what they make of it. */
const ACCEPTED: readonly (readonly [written: string, value: unknown])[] = [
  ['a:\n  b: "x\n  y"\nc: 1\n', { a: { b: 'x y' }, c: 1 }],
  ["a:\n  b: 'it''s\ny'\n", { a: { b: "it's y" } }],
  ['a: [\nb,\nc\n]\nd: e\n', { a: ['b', 'c'], d: 'e' }],
  ['a: {\nb: c\n}\n', { a: { b: 'c' } }],
  ['a:\n  b: {\n    c: "d",\n  }\n', { a: { b: { c: 'd' } } }],
  ['a: "b"#c\n', { a: 'b' }],
  ['a: 1\na: 2\n', { a: 2 }],
  ["a: don't [\nb: |\n  it's [\n  { \"\nc: [\nd]\n", { a: "don't [", b: 'it\'s [\n{ "\n', c: ['d'] }],
];

test('YAML whose continued lines are not indented is read as other readers read it', () => {
  for (const [text, value] of ACCEPTED) assert.deepEqual(singleValue(text), value, text);
});

test('a template whose list of parameters ends at the margin is a document', () => {
  const template = `apiVersion: templates.gatekeeper.sh/v1
kind: ConstraintTemplate
metadata:
  name: latch
  annotations:
    description: "Gates have
a latch."
spec:
  targets: [
{ target: admission.k8s.gatekeeper.sh }
]
`;
  assert.partialDeepStrictEqual(singleValue(template), {
    metadata: { annotations: { description: 'Gates have a latch.' } },
    spec: { targets: [{ target: 'admission.k8s.gatekeeper.sh' }] },
  });
});

test('YAML that is broken stays refused by its own line', () => {
  const [problem] = readYaml('a: 1\nb: "x\nc: 2\n');
  assert.ok(problem instanceof Unreadable);
  assert.ok((problem.line ?? 0) >= 2);
});

test('lines keep their numbers, and what they say but for its indentation', () =>
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab:-|>"\'[]{}#, \n\t\\') }), (text) => {
      const lines = indentContinuations(text).split('\n');
      assert.deepEqual(
        lines.map((line) => line.trimStart()),
        text.split('\n').map((line) => line.trimStart()),
      );
    }),
  ));
