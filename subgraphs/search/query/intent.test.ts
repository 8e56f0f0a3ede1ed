import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readIntent } from './intent.ts';

const wishesOf = (question: string) =>
  readIntent(question).refinements.map(({ name, text, filters, isWhole: isComplete }) => [
    name,
    text,
    Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)),
    isComplete,
  ]);

describe('what a question asks for', () => {
  it('is of a severity and an ecosystem where these are what it says of vulnerabilities', () => {
    assert.deepEqual(wishesOf('critical vulnerabilities in npm'), [
      ['severity', '', { severity: ['critical'], ecosystem: ['npm'], entityType: ['vulnerability'] }, true],
    ]);
    assert.deepEqual(wishesOf('High or critical CVEs of lodash?'), [
      ['severity', 'lodash', { severity: ['high', 'critical'] }, false],
    ]);
    assert.deepEqual(wishesOf('jinja in PyPI'), [['ecosystem', 'jinja', { ecosystem: ['PyPI'] }, false]]);
  });

  it('is none where the same words say something else', () => {
    for (const question of ['high load on the server', 'low memory', 'a section that is critical to users', 'medium'])
      assert.deepEqual(
        wishesOf(question).filter(([name]) => name === 'severity' && question !== 'medium'),
        [],
        question,
      );
  });

  it('is what waits for somebody, however people say it', () => {
    for (const question of [
      'what needs approval',
      'what is waiting for approval?',
      'pending',
      'pending promotions',
      'open approvals',
      'promotions awaiting approval',
      'what do I have to approve',
    ])
      assert.deepEqual(
        wishesOf(question),
        [['waiting', 'waiting for approval', { entityType: ['promotion'] }, true]],
        question,
      );
    assert.equal(wishesOf('shop waiting for approval')[0]?.[1], 'shop waiting for approval');
  });

  it('is a release where it is a name and a version, and prefers one that it speaks of', () => {
    assert.deepEqual(readIntent('shop 1.1.0').names, ['shop@1.1.0']);
    assert.deepEqual(readIntent('release shop v1.1.0-rc.1').names, ['shop@1.1.0-rc.1']);
    assert.deepEqual(readIntent('log4j').names, []);
    assert.deepEqual(wishesOf('shop 1.2.0 staging approved'), [
      ['release', 'shop 1.2.0', { entityType: ['release'] }, false],
    ]);
  });

  it('is of the documents where it asks how, or for what is theirs', () => {
    for (const question of [
      'how do I rotate the signing key',
      'How to import',
      'what does GATE_DENIED mean',
      'proxy settings',
    ])
      assert.equal(readIntent(question).isForKnowledge, true, question);
    for (const question of [
      'how is shop',
      'command injection in lodash',
      'why did shop 1.1.0 fail',
      'what runs in prod',
      'log4j',
    ])
      assert.equal(readIntent(question).isForKnowledge, false, question);
  });

  it('is the same however it is capitalised, spaced and ended', () => {
    const words = fc.constantFrom(
      'critical',
      'npm',
      'lodash',
      'pending',
      'what',
      'needs',
      'approval',
      'in',
      'release',
      'how',
      'to',
    );
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 6 }), (questions) => {
        const plain = readIntent(questions.join(' '));
        assert.deepEqual(readIntent(` ${questions.join('  ')}?`), plain);
        const { isForKnowledge, refinements } = readIntent(questions.join(' ').toUpperCase());
        assert.equal(isForKnowledge, plain.isForKnowledge);
        assert.deepEqual(
          refinements.map(({ name, filters }) => [name, filters]),
          plain.refinements.map(({ name, filters }) => [name, filters]),
        );
      }),
    );
  });
});
