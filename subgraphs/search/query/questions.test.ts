import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { people } from '@landfall/kernel/testing/callers';
import type { Card } from './card.ts';
import { questionsApp } from './questions.fixture.ts';

const { searcher } = people;

const LOG4J = 'vulnerability:CVE-2021-44228';

/** Questions to a release manager's search, and the expected first card: its key, or a part of its title. */
const FIRST: readonly (readonly [question: string, first: string | RegExp])[] = [
  ['shop 1.1.0', /^Release shop 1\.1\.0$/],
  ['release shop v1.0.0', /^Release shop 1\.0\.0$/],
  ['shop@1.2.0', /^Release shop 1\.2\.0$/],
  ['why did shop 1.1.0 fail', /^shop 1\.1\.0 in prod: failed/],
  ['failed deployment', /^(?:shop 1\.1\.0 in prod: failed|Deployment of shop 1\.1\.0 to prod)/],
  ['who approved shop 1.0.0', /^shop 1\.0\.0 into prod was approved by amir/],
  ['shop 1.2.0 staging', /shop 1\.2\.0/],
  ['what needs approval', /^Promotion of shop 1\.2\.0 to staging, waiting for approval$/],
  ['waiting for approval', /^Promotion of shop 1\.2\.0 to staging, waiting for approval$/],
  ['shop 1.2.0 waiting for approval', /^Promotion of shop 1\.2\.0 to staging, waiting for approval$/],
  ['pending', /^Promotion of shop 1\.2\.0 to staging, waiting for approval$/],
  ['pending promotions', /^Promotion of shop 1\.2\.0 to staging, waiting for approval$/],
  ['promotion approved', /^shop .* was approved by/],
  ['releases', /^Release shop/],
  ['what runs in prod', /^Environment prod$/],
  ['is shop affected by log4j', LOG4J],
  ['log4j', LOG4J],
  ['CVE-2024-45296', 'vulnerability:CVE-2024-45296'],
  ['GHSA-jfh8-c2jp-5v3q', LOG4J],
  ['prototipe polution', /^Prototype pollution in /],
  ['rapid reset', 'vulnerability:CVE-2023-44487'],
  ['critical lodash', 'vulnerability:CVE-2019-10744'],
  ['high severity lodash', 'vulnerability:CVE-2021-23337'],
  ['vulnerabilities in PyPI', 'vulnerability:CVE-2024-22195'],
  ['known exploited log4j', LOG4J],
  ['images by digest', /^Images by digest$/],
  ['image policy', /^Images by digest$/],
  ['how do I rotate the signing key', /^Keys that sign › Rotating$/],
  ['how is a promotion approved', /approv/],
  ['how do I approve a promotion', /^Approvals › /],
  ['LANDFALL_DRAIN', /^LANDFALL_DRAIN/],
  ['disk full', /disk-space/],
];

/** Questions that consist of filters alone. */
const ALL: readonly (readonly [question: string, keys: readonly string[]])[] = [
  ['critical vulnerability', ['CVE-2019-10744', 'CVE-2021-44228', 'CVE-2021-44906']],
  ['critical vulnerabilities in npm', ['CVE-2019-10744', 'CVE-2021-44906']],
  ['high and critical npm advisories', ['CVE-2019-10744', 'CVE-2021-23337', 'CVE-2021-44906', 'CVE-2024-45296']],
  ['which vulnerabilities are known exploited?', ['CVE-2021-44228', 'CVE-2023-4863']],
  ['known exploited', ['CVE-2021-44228', 'CVE-2023-4863']],
];

describe('people’s questions', () => {
  let app: Awaited<ReturnType<typeof questionsApp>>;
  before(async () => {
    app = await questionsApp();
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
  });

  const ask = async (q: string, filters = {}): Promise<readonly Card[]> =>
    (await app.query.search(searcher, { q, filters })).cards;

  for (const [question, expected] of FIRST)
    it(`‘${question}’ leads with what is asked for`, async () => {
      const [first] = await ask(question);
      if (typeof expected === 'string') assert.equal(first?.entityKey, expected);
      else assert.match(first?.title ?? '', expected);
    });

  for (const [question, ids] of ALL)
    it(`‘${question}’ finds all that is so, and a suggestion of it promises as many`, async () => {
      const cards = await ask(question);
      assert.deepEqual(
        cards.map(({ entityKey }) => entityKey).toSorted(),
        ids.map((id) => `vulnerability:${id}`),
      );
      const [suggestion] = await app.query.suggestions(searcher, { suggestions: [question] });
      assert.equal(suggestion?.cardCount, ids.length);
    });

  it('everybody’s documents stand below what the tenant has, and cut none of it', async () => {
    for (const question of [
      'shop 1.2.0 staging approved',
      'log4j',
      'shop 1.2.0 into staging',
      'who approved shop 1.0.0',
    ]) {
      const cards = await ask(question);
      assert.ok(cards.length > 1 && cards[0]?.domain !== 'knowledge', question);
    }
    const types = (await ask('shop 1.2.0 staging approved')).map(({ entityType }) => entityType);
    for (const type of ['release', 'promotion', 'environment'] as const) assert.ok(types.includes(type), type);
    const [query] = await ask('log4j', { domains: ['knowledge'] });
    assert.equal(query?.domain, 'knowledge');
  });

  it('a reader’s own filter goes before what the words say', async () => {
    const keys = (await ask('critical lodash', { severity: ['high'] })).map(({ entityKey }) => entityKey);
    assert.deepEqual(keys, ['vulnerability:CVE-2021-23337']);
  });

  it('says what a card was preferred for', async () => {
    const [first] = await ask('critical lodash');
    assert.ok(first?.why.some(({ lane }) => lane === 'severity'));
  });
});
