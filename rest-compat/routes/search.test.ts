import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Caller } from '@landfall/kernel/core/caller';
import { toTenantId } from '@landfall/kernel/core/ids';
import { type Person, people } from '@landfall/kernel/testing/callers';
import { PATHS, startQueryApp } from '@landfall/search/query/query-app.fixture';
import { RELEASE } from '@landfall/search/query/story.fixture';
import { searchRoutes } from './search.ts';

const SEARCH = `query ($input: SearchInput!) { search(input: $input) {
  query topK
  cards {
    entityKey entityType domain title summary severity ecosystem score chunkIds
    highlights { field text ranges { start end } }
    why { lane rank contribution }
    ref { type id }
    entity { __typename ... on Release { id } }
  }
  facets { name values { value count } }
  synthesis { abstained sentences { text citations } coverage }
  diagnostics { mode usedVector durationMs servedBy coverage debug }
} }`;

const SUGGESTIONS = `query ($suggestions: [String!]!, $filters: SearchFiltersInput) {
  searchSuggestions(suggestions: $suggestions, filters: $filters) { suggestion viable cardCount }
}`;

/** A pinned card's fields, in their order (rulings, "Search card"). */
const CARD = [
  'entityKey',
  'entityType',
  'domain',
  'title',
  'summary',
  'severity',
  'ecosystem',
  'score',
  'chunkIds',
  'highlights',
  'why',
  'ref',
];

for (const path of PATHS)
  describe(`search through both doors, answered by the ${path}`, () => {
    let app: Awaited<ReturnType<typeof startQueryApp>>;
    before(async () => {
      app = await startQueryApp({ path, routes: searchRoutes });
    });
    after(() => app[Symbol.asyncDispose]());

    const post = (body: unknown, as: Person = 'searcher') => app.rest('POST', '/v1/search/query', { as, body });
    const keys = async (body: object, as: Person = 'searcher'): Promise<string[]> => {
      const { status, text, body: answer } = await post(body, as);
      assert.equal(status, 200, text);
      return answer.cards.map(({ entityKey }: { entityKey: string }) => entityKey);
    };
    const refused = async (body: unknown, code: string) => {
      const rest = await post(body);
      assert.deepEqual([rest.status, rest.text], [400, JSON.stringify({ error: code })]);
    };
    /** Refused with a code, in a text that names the field. */
    const refusedAt = async (body: unknown, code: string, field: string) => {
      const rest = await post(body);
      assert.equal(rest.status, 400);
      assert.deepEqual(Object.keys(rest.body), ['error']);
      assert.match(rest.body.error, new RegExp(`^${code}: ${field && `${field} `}\\S`));
    };

    // spec: 4.7/query, 2.8/diagnostics
    it('tells the pinned answer, its fields in their order', async () => {
      const { status, body } = await post({ q: 'denial of service lodestar', k: 3, sessionId: 's', unheardOf: 1 });
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(body), ['query', 'topK', 'cards', 'facets', 'diagnostics']);
      assert.deepEqual(Object.keys(body.diagnostics), ['mode', 'usedVector', 'durationMs', 'servedBy', 'coverage']);
      const { mode, usedVector, servedBy } = body.diagnostics;
      assert.deepEqual([body.topK, mode, usedVector, servedBy], [3, 'fts-only', false, path]);
      for (const card of body.cards) assert.deepEqual(Object.keys(card), CARD);
      const [first] = body.cards;
      assert.equal(first.entityKey, 'vulnerability:CVE-2031-1001');
      assert.deepEqual([first.domain, first.severity, first.ecosystem], ['findings', 'high', 'npm']);
      assert.equal(first.chunkIds[0], 'test:CVE-2031-1001');
      assert.ok(first.why.some(({ lane }: { lane: string }) => lane === 'fts:findings'));
    });

    it('gives the same through the graph, whose cards lead to what they are about', async () => {
      const { body } = await post({ q: 'lodestar checkout', includeDebug: true, includeSynthesis: true });
      const input = { q: 'lodestar checkout', includeDebug: true, includeSynthesis: true };
      const { data, errors } = await app.graph(SEARCH, { input }, { as: 'searcher' });
      assert.equal(errors, undefined);
      const { search } = JSON.parse(JSON.stringify(data));
      assert.deepEqual(
        search.cards.map(({ entityKey, score }: Record<string, unknown>) => [entityKey, score]),
        body.cards.map(({ entityKey, score }: Record<string, unknown>) => [entityKey, score]),
      );
      assert.deepEqual(search.facets, body.facets);
      assert.deepEqual(search.synthesis, body.synthesis);
      assert.equal(search.cards[0].domain, search.cards[0].domain.toUpperCase());
      assert.deepEqual(
        search.cards[0].highlights[0].ranges.map(({ start, end }: Record<string, number>) => [start, end]),
        body.cards[0].highlights[0].ranges,
      );
      const release = search.cards.find(({ entityType }: { entityType: string }) => entityType === 'release');
      assert.deepEqual(
        [release.ref, release.entity],
        [
          { type: 'Release', id: RELEASE },
          { __typename: 'Release', id: RELEASE },
        ],
      );
      assert.ok(JSON.parse(search.diagnostics.debug).words.length > 0);
      const policy = await app.graph(SEARCH, { input: { q: 'tag latest' } }, { as: 'searcher' });
      const [card] = JSON.parse(JSON.stringify(policy.data)).search.cards;
      assert.deepEqual([card.entityKey, card.entity], ['policy:kyverno/disallow-latest', null]);
    });

    // spec: 1/cards
    it('puts what is named exactly first, one card of all that speaks of it', async () => {
      for (const q of ['CVE-2031-1001', 'cve-2031-1001 denial of service']) {
        const { body } = await post({ q });
        const [first] = body.cards;
        assert.equal(first.entityKey, 'vulnerability:CVE-2031-1001');
        assert.equal(first.why[0].lane, 'identifier');
        const lanes = first.why.map(({ lane }: { lane: string }) => lane);
        assert.deepEqual([...new Set(lanes)], lanes, 'each lane once');
        assert.ok(first.chunkIds.includes('vexhub:vex-1'));
        const sum = first.why.reduce(
          (total: number, { contribution }: { contribution: number }) => total + contribution,
          0,
        );
        assert.ok(Math.abs(sum - first.score) < 1e-5);
      }
    });

    it('highlights what matched, in units of the text that is told', async () => {
      const { body } = await post({ q: 'digest שלום latest' });
      const [card] = body.cards;
      assert.equal(card.entityKey, 'policy:kyverno/disallow-latest');
      const visible = card.highlights.flatMap(({ text, ranges }: { text: string; ranges: [number, number][] }) =>
        ranges.map(([start, end]) => text.slice(start, end)),
      );
      for (const word of ['latest', 'digest', 'שלום']) assert.ok(visible.includes(word), `${word} of ${visible}`);
    });

    it('is narrowed by filters, however they are capitalised, and counts what it found', async () => {
      assert.deepEqual(await keys({ q: 'flagstone lodestar', filters: { severity: ['CRITICAL'] } }), [
        'vulnerability:CVE-2031-1002',
      ]);
      assert.deepEqual(await keys({ q: 'lodestar', filters: { domains: ['Release'] } }), [`release:${RELEASE}`]);
      // By the facet's own name, too.
      assert.deepEqual(await keys({ q: 'lodestar', filters: { domain: ['release'] } }), [`release:${RELEASE}`]);
      assert.deepEqual(await keys({ q: 'lodestar', filters: { entityType: ['release'], ecosystem: [] } }), [
        `release:${RELEASE}`,
      ]);
      assert.deepEqual(await keys({ q: 'lodestar', filters: { ecosystem: ['PyPI'] } }), []);
      const { body } = await post({ q: 'flagstone' });
      const facets = Object.fromEntries(
        body.facets.map(({ name, values }: { name: string; values: unknown }) => [name, values]),
      );
      assert.deepEqual(Object.keys(facets), ['domain', 'severity', 'ecosystem', 'entityType']);
      assert.deepEqual(facets.domain, [{ value: 'findings', count: 1 }]);
      assert.deepEqual(facets.entityType, [{ value: 'vulnerability', count: 1 }]);
      // One entity in two domains is counted in both, and once by its type.
      const byName = (await post({ q: 'CVE-2031-1001', filters: { domains: ['vex', 'findings'] } })).body.facets;
      assert.deepEqual(byName[0].values, [
        { value: 'findings', count: 1 },
        { value: 'vex', count: 1 },
      ]);
      assert.deepEqual(byName[3].values, [{ value: 'vulnerability', count: 1 }]);
    });

    // spec: 4.7/query
    it('leaves everybody’s documents out where `tenantScoped` says so, through both doors', async () => {
      const chunkIds = async (filters: object, as: Person = 'searcher') => {
        const { status, text, body } = await post({ q: 'flagstone', filters }, as);
        assert.equal(status, 200, text);
        const { data, errors } = await app.graph(SEARCH, { input: { q: 'flagstone', filters } }, { as });
        assert.equal(errors, undefined);
        const { search } = JSON.parse(JSON.stringify(data));
        const cards = body.cards.map((card: { chunkIds: string[] }) => card.chunkIds);
        assert.deepEqual(
          search.cards.map((card: { chunkIds: string[] }) => card.chunkIds),
          cards,
        );
        return cards.flat().sort();
      };
      assert.deepEqual(await chunkIds({ tenantScoped: true }), ['test:CVE-2031-1002']);
      assert.deepEqual(await chunkIds({ tenantScoped: false }), ['kev:KEV-7', 'test:CVE-2031-1002']);
      assert.deepEqual(await chunkIds({ tenantScoped: null }), ['kev:KEV-7', 'test:CVE-2031-1002']);
      assert.deepEqual(await chunkIds({ tenantScoped: true }, 'other-searcher'), []);
      const body = { suggestions: ['exploited', 'flagstone'], filters: { tenantScoped: true } };
      const suggested = await app.rest('POST', '/v1/search/suggestions/evaluate', { as: 'other-searcher', body });
      assert.deepEqual(
        suggested.body.results.map(({ viable }: { viable: boolean }) => viable),
        [false, false],
      );
      await refusedAt(
        { q: 'flagstone', filters: { tenantScoped: 'yes' } },
        'VAL_SCHEMA_MISMATCH',
        'filters.tenantScoped',
      );
    });

    it('never returns, counts or suggests another tenant’s documents', async () => {
      for (const q of ['CVE-2031-9009', 'globexonly', 'denial of service lodestar templates globex']) {
        const { text, body } = await post({ q, k: 50, includeDebug: true, includeSynthesis: true });
        assert.ok(!text.includes('vulnerability:CVE-2031-9009') && !text.includes('as globex has it'), q);
        const [domains] = body.facets;
        const total = domains.values.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
        assert.ok(total <= 6, `${total} counted`);
      }
      const evaluated = await app.rest('POST', '/v1/search/suggestions/evaluate', {
        as: 'searcher',
        body: { suggestions: ['globexonly', 'CVE-2031-9009'] },
      });
      assert.deepEqual(evaluated.body.results, [
        { suggestion: 'globexonly', viable: false, cardCount: 0 },
        { suggestion: 'CVE-2031-9009', viable: false, cardCount: 0 },
      ]);
      assert.deepEqual(await keys({ q: 'CVE-2031-9009' }, 'other-searcher'), ['vulnerability:CVE-2031-9009']);
      // Another tenant finds shared documents, but not this tenant's.
      assert.deepEqual(await keys({ q: 'flagstone' }, 'other-searcher'), ['vulnerability:CVE-2031-1002']);
      const { body } = await post({ q: 'CVE-2031-1002' }, 'other-searcher');
      assert.deepEqual(body.cards[0].chunkIds, ['kev:KEV-7']);
    });

    it('refuses what is no query, in the words of the module and through both doors', async () => {
      const none = ['', '   ', '\u0000\u0007\n\t', '\u200b\u200e', '\ud800', '\u2028'];
      for (const q of none) {
        await refused({ q }, 'advisoryai.validation.query_required');
        const { errors } = await app.graph(SEARCH, { input: { q } }, { as: 'searcher' });
        assert.equal(errors?.[0]?.extensions?.code, 'advisoryai.validation.query_required');
      }
      for (const body of [{}, undefined, { q: null }, { q: '', k: 99 }])
        await refused(body, 'advisoryai.validation.query_required');
      for (const q of ['x'.repeat(1_001), 'word '.repeat(20_000)])
        await refused({ q }, 'advisoryai.validation.query_too_long');
      assert.equal((await post({ q: `${' '.repeat(300)}${'😀'.repeat(1_000)}${' '.repeat(300)}` })).status, 200);
      await refusedAt({ q: ['x'] }, 'VAL_SCHEMA_MISMATCH', 'q');
      await refusedAt([], 'VAL_SCHEMA_MISMATCH', '');
    });

    it('refuses counts out of range and domains that there are not', async () => {
      for (const k of [0, 51, -1, 1e9]) await refusedAt({ q: 'x', k }, 'VAL_INVALID_VALUE', 'k');
      for (const filters of [{ domains: ['nowhere'] }, { severity: ['grave'] }, { entityType: ['ghost'] }])
        await refusedAt({ q: 'x', filters }, 'VAL_INVALID_VALUE', `filters.${Object.keys(filters)[0]}.0`);
      const { errors } = await app.graph(SEARCH, { input: { q: 'x', k: 51 } }, { as: 'searcher' });
      assert.equal(errors?.[0]?.extensions?.code, 'VAL_INVALID_VALUE');
    });

    // spec: rulings/74
    it('ignores filters that it does not know, and takes words of ours whatever their capitals', async () => {
      const filters = { domains: ['VEX', 'Findings'], severity: ['CRITICAL'], entityType: ['Vulnerability'] };
      for (const unknown of [{ type: ['policy'] }, { __typename: 'x' }, { toString: 1 }, { domains: [], x: 1 }])
        assert.equal((await post({ q: 'x', filters: { ...filters, ...unknown } })).status, 200);
    });

    it('takes signs, other scripts and broken characters for what they are', async () => {
      const unknown = [
        '*',
        '%',
        '\\',
        "'",
        '"',
        '& | ! :*',
        '(',
        '<->',
        '?',
        '.*',
        '%_%',
        '../../etc/passwd',
        '🚢',
        '\u202eabc',
      ];
      for (const q of unknown) assert.equal((await post({ q })).status, 200, q);
      for (const q of ['*', '%', '& | !']) assert.deepEqual(await keys({ q }), [], q);
      for (const q of ['lodestar\u0000', '\ud800 lodestar \udfff', "'lodestar' | flask:* %", 'lodestar\u0007\u001b[2J'])
        assert.ok((await keys({ q })).includes('vulnerability:CVE-2031-1001'), JSON.stringify(q));
      const { body } = await post({ q: ' \u0007denial\u0000of \ud800service ' });
      assert.equal(body.query, 'denial of  service');
    });

    it('is for who may operate it, whose tenant is known', async () => {
      for (const as of ['nobody', 'search-reader'] as const) {
        const { status, text } = await post({ q: '' }, as);
        assert.deepEqual([status, text], [403, '{"error":"Missing required scope: advisory-ai:operate"}']);
      }
      assert.equal((await post({ q: 'lodestar' }, 'search-admin')).status, 200);
    });

    // spec: 5/tenant-claims, 7.3/tenant-required
    it('takes the tenant from any of its claims, refuses who names none, and asks for the scope first', async () => {
      const { tenant: _, ...nameless } = people.searcher;
      const ask = (as: Caller) => app.graph(SEARCH, { input: { q: 'CVE-2031-9009' } }, { as });
      const code = async (as: Caller) => (await ask(as)).errors?.[0]?.extensions?.code;
      assert.equal(await code(nameless), 'advisoryai.validation.tenant_required');
      assert.equal(await code({ ...nameless, scopes: new Set() }), 'PERM_SCOPE_DENIED');
      const { data, errors } = await ask({ ...nameless, claimedTenant: toTenantId('globex') });
      assert.equal(errors, undefined);
      assert.equal(JSON.parse(JSON.stringify(data)).search.cards[0].entityKey, 'vulnerability:CVE-2031-9009');
    });

    // spec: 4.7/suggestions
    it('evaluates suggestions through both doors and leaves nothing behind', async () => {
      const suggestions = ['lodestar', 'lodestar', '', 'zzyzxqqq', 'x'.repeat(2_000), '\ud800'];
      const expected = [
        { suggestion: 'lodestar', viable: true, cardCount: 2 },
        { suggestion: 'lodestar', viable: true, cardCount: 2 },
        { suggestion: '', viable: false, cardCount: 0 },
        { suggestion: 'zzyzxqqq', viable: false, cardCount: 0 },
        { suggestion: 'x'.repeat(2_000), viable: false, cardCount: 0 },
        { suggestion: '', viable: false, cardCount: 0 },
      ];
      await app.module.quality.recorder.flush();
      const before = await app.rest('GET', '/v1/search/query', { as: 'searcher' });
      assert.equal(before.status, 404);
      const rest = await app.rest('POST', '/v1/search/suggestions/evaluate', { as: 'searcher', body: { suggestions } });
      assert.deepEqual([rest.status, rest.body], [200, { results: expected }]);
      const graph = await app.graph(SUGGESTIONS, { suggestions }, { as: 'searcher' });
      assert.deepEqual(JSON.parse(JSON.stringify(graph.data?.searchSuggestions)), expected);
      const many = { suggestions: Array.from({ length: 21 }, () => 'x') };
      const refusal = await app.rest('POST', '/v1/search/suggestions/evaluate', { as: 'searcher', body: many });
      assert.deepEqual([refusal.status, refusal.body], [400, { error: 'advisoryai.validation.batch_too_large' }]);
      assert.equal(
        (await app.rest('POST', '/v1/search/suggestions/evaluate', { as: 'searcher', body: { suggestions: [] } })).text,
        '{"results":[]}',
      );
    });

    it('hides no bug', () => {
      assert.deepEqual(app.bugs, []);
    });
  });
