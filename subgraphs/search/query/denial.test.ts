import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { abstentionApp } from './abstention.fixture.ts';

const RELEASES = ['shop 1.0.0', 'shop 1.1.0', 'shop 1.2.0'];
const OWN_NAMES = ['prod', 'staging', 'dev', 'prod-1', 'harbour-1', 'rosa', 'amir'];
const OTHERS = [
  ...['CVE-2021-44228', 'CVE-2024-45296', 'GHSA-jfh8-c2jp-5v3q', 'lodash', 'minimist', 'jinja2', 'path-to-regexp'],
  ...['log4j-core', 'golang.org/x/net'],
];
const UNKNOWN = ['payments 3.1', 'shop 9.9.9', 'log4j 2.14.1', 'narnia', 'zanzibar', 'CVE-2099-12345', '9.9'];
const FUNCTION_WORDS = [
  'is',
  'was',
  'the',
  'does',
  'did',
  'who',
  'where',
  'has',
  'a',
  'with',
  'on',
  'when',
  'and',
  'what',
];
const VERBS = [
  'run',
  'running',
  'live',
  'approved',
  'fail',
  'halted',
  'tested',
  'rolled back',
  'have',
  'use',
  'vs',
  'need',
];

/** On record as what the platform has and did. */
const OWN = [...RELEASES, ...OWN_NAMES, 'shop', ...RELEASES.flatMap((each) => each.split(' '))];

const DENIAL = /^(?:There is no|No document names) /;
/** Denies that there is something of the platform's own: a package or a CVE may be called so. */
const OWN_DENIAL = /^No release, deployment or environment names /;

/** Subjects that an answer says are not on record. */
const deniedIn = (sentences: readonly { readonly text: string }[], denial: RegExp): string[] =>
  sentences
    .filter(({ text }) => denial.test(text))
    .flatMap(({ text }) => [...text.matchAll(/“([^”]*)”/gu)].map(([, name = '']) => name.toLowerCase()));

/** The ways in which people write a release. */
const written = fc
  .tuple(fc.constantFrom(...RELEASES), fc.constantFrom(' ', '@', ' v', ' version '), fc.boolean())
  .map(([name, sign, isUpper]) => {
    const text = name.replace(' ', sign);
    return isUpper ? text.replace('shop', 'Shop') : text;
  });
const subject = fc.oneof(
  { weight: 3, arbitrary: written },
  { weight: 2, arbitrary: fc.constantFrom(...OWN_NAMES, ...OTHERS) },
  { weight: 2, arbitrary: fc.constantFrom(...UNKNOWN) },
);
const filler = fc.constantFrom(...FUNCTION_WORDS, ...VERBS);
const question = fc
  .tuple(fc.array(fc.tuple(filler, subject), { minLength: 1, maxLength: 3 }), filler, fc.constantFrom('', '?', '.'))
  .map(([parts, last, end]) => `${parts.map((part) => part.join(' ')).join(' ')} ${last}${end}`);

describe('what an answer says is not on record', () => {
  let app: Awaited<ReturnType<typeof abstentionApp>>;
  before(async () => {
    app = await abstentionApp();
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
  });

  const answerTo = async (text: string): Promise<string> => (await app.ask(text)).sentences[0]?.text ?? '';

  it('is never a subject that is, however the question is put together', async () => {
    await fc.assert(
      fc.asyncProperty(question, async (text) => {
        const { sentences } = await app.ask(text);
        const denied = deniedIn(sentences, DENIAL);
        const deniedOfOwn = deniedIn(sentences, OWN_DENIAL);
        for (const name of [...OWN, ...OTHERS].map((each) => each.toLowerCase()))
          assert.ok(!denied.includes(name), `“${name}” is on record: ${text}`);
        for (const name of OWN)
          assert.ok(!deniedOfOwn.includes(name), `“${name}” is on the platform's record: ${text}`);
        for (const name of [...denied, ...deniedOfOwn])
          assert.ok(
            !FUNCTION_WORDS.includes(name.split(' ')[0] ?? ''),
            `“${name}” begins with a word that asks: ${text}`,
          );
      }),
      { numRuns: 400 },
    );
  });

  it('is the one subject of several that is not', async () => {
    assert.equal(await answerTo('shop 1.1.0 vs payments 3.1'), 'There is no “payments 3.1” on record.');
    assert.equal(await answerTo('does shop 1.1.0 have log4j 2.14.1'), 'There is no “log4j 2.14.1” on record.');
    assert.equal(await answerTo('is 9.9 live'), 'No document names “9.9”.');
    assert.equal(await answerTo('is shop 1.0.0 live in narnia'), 'No document names “narnia”.');
    assert.equal(await answerTo('was shop 1.0.0 halted with payments 3.1.'), 'There is no “payments 3.1” on record.');
  });

  it('is no package either: of one that no release is called, the record of releases alone is spoken of', async () => {
    assert.equal(await answerTo('is payments live in prod'), 'No release, deployment or environment names “payments”.');
  });

  it('is nothing where every release of the question is there: its own record answers', async () => {
    const questions = ['where does shop 1.0.0 run', 'who approved shop 1.2.0 in prod', 'where is Shop v1.1.0.'];
    for (const text of questions) {
      const { abstained, sentences } = await app.ask(text);
      assert.equal(abstained, false, text);
      const [, name = ''] = /shop v?([\d.]+\d)/i.exec(text) ?? [];
      assert.ok(sentences.every(({ citations }) => citations.length > 0));
      assert.ok(sentences[0]?.text.includes(name), `${text}: ${sentences[0]?.text}`);
    }
  });
});
