import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import en from '../messages/en.json' with { type: 'json' };
import { createLabelOr, createLabels, labelOr, pseudo, setMessages, t } from './i18n.ts';

afterEach(() => setMessages(en, 'en-GB'));

test('a parameter takes its place', () => {
  assert.equal(t('queue.to', { where: 'prod' }), '→ prod');
});

test('a plural takes the form of its number, and # is the number in the reader’s language', () => {
  assert.equal(t('targets', { n: 1 }), '1 target');
  assert.equal(t('targets', { n: 1204 }), '1,204 targets');
});

test('an exact form wins over the language’s own', () => {
  const own = createLabels({ needs: '{n, plural, =0 {None is needed.} one {One is.} other {# are.}}' });
  assert.equal(own('needs', { n: 0 }), 'None is needed.');
  assert.equal(own('needs', { n: 3 }), '3 are.');
});

test('two plurals in one message are independent', () => {
  const own = createLabels({
    causes: '{targets, plural, one {# target} other {# targets}}, {n, plural, one {# cause} other {# causes}}',
  });
  assert.equal(own('causes', { targets: 6, n: 1 }), '6 targets, 1 cause');
});

test('the plural rules are those of the language', () => {
  setMessages({ ...en, targets: '{n, plural, one {# cel} few {# cele} many {# celów} other {# celu}}' }, 'pl');
  assert.deepEqual(
    [1, 2, 5, 22].map((n) => t('targets', { n })),
    ['1 cel', '2 cele', '5 celów', '22 cele'],
  );
});

test('a message without its parameter is a bug and says which', () => {
  assert.throws(() => t('queue.to'), /where/);
});

test('a word that does not exist here is shown as the server spelt it', () => {
  assert.equal(labelOr('phase.canary', 'canary'), 'Canary');
  assert.equal(labelOr('phase.teleport', 'teleport'), 'teleport');
});

test('the pseudo-locale is longer in every message and keeps its arguments', () => {
  setMessages(pseudo(en), 'en-GB');
  assert.match(t('targets', { n: 2 }), /^\[2 tárgéts·+\]$/);
  assert.match(t('queue.to', { where: 'prod' }), /^\[→ prod·+\]$/);
  for (const text of Object.values(en)) assert.ok(text.length > 0);
});

test('a part’s own words come before everybody’s, and both can be asked for', () => {
  const own = createLabels({ cancel: 'Never mind', 'lead.of.part': 'For {name}' });
  assert.equal(own('cancel'), 'Never mind');
  assert.equal(own('lead.of.part', { name: 'Nora' }), 'For Nora');
  assert.equal(own('close'), t('close'));
});

test('a part’s own word for what a server sends comes first, everybody’s next, and then its spelling', () => {
  const own = createLabelOr({ 'step.pull': 'Pulling' });
  assert.equal(own('step.pull', 'pull'), 'Pulling');
  assert.equal(own('phase.canary', 'canary'), 'Canary');
  assert.equal(own('step.teleport', 'teleport'), 'teleport');
});
