import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Filling, fill, templateProblem } from './analysis-template.ts';

const filling: Filling = {
  deployment: '0198c000-0000-7000-8000-000000000000',
  environment: 'Production',
  release: 'shop 1.2.0+eu',
  digests: 'abc123abc123|def456def456',
};

test('a query is filled with what the deployment is', () => {
  assert.equal(
    fill(`sum(rate(x{digest=~"{{digests}}",env='{{environment}}',r=\`{{release}}\`}[1m])) # {{environment}}`, filling),
    `sum(rate(x{digest=~"abc123abc123|def456def456",env='Production',r=\`shop 1.2.0+eu\`}[1m])) # {{environment}}`,
  );
});

/** Evaluates a PromQL string literal as Prometheus does, with its quotes and escapes. */
const read = (literal: string): string => {
  const quote = literal[0];
  assert.ok(literal.length > 1 && literal.at(-1) === quote, literal);
  const inner = literal.slice(1, -1);
  assert.ok(!/["'\n]/.test(inner), `${literal} ends early`);
  return inner.replace(/\\(?:u([0-9a-f]{4})|U([0-9a-f]{8}))/g, (_, short?: string, long?: string) =>
    String.fromCodePoint(Number.parseInt(short ?? long ?? '', 16)),
  );
};

test('no name breaks out of the string it stands in, and it is read as it was', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...`"'\`\\{}\n#x \u{1f600}`) }),
  );
  fc.assert(
    fc.property(name, fc.constantFrom('"', "'"), (environment, quote) => {
      fc.pre(environment.isWellFormed());
      const filled = fill(`x{env=${quote}{{environment}}${quote}}`, { ...filling, environment });
      const literal = filled.slice('x{env='.length, -1);
      assert.equal(read(literal), environment);
    }),
  );
});

test('in a raw string, which has no escapes, a name still does not break out', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'`"\'\\a') }), (environment) => {
      const filled = fill('x{env=`{{environment}}`}', { ...filling, environment });
      assert.equal(filled.match(/`/g)?.length, 2);
    }),
  );
});

test('a query that cannot be filled in says why', () => {
  const problems: readonly (readonly [string, RegExp])[] = [
    ['x{env={{environment}}}', /inside of quotes/],
    ['{{digests}}', /inside of quotes/],
    ['x{env="{{target}}"}', /no placeholder \{\{target\}\}/],
    ['x{env="{{ environment }}"}', /no placeholder/],
    ['x{env="{{environment}}}', /does not end/],
    ["x{env='a\nb'}", /does not end/],
  ];
  for (const [query, problem] of problems) assert.match(templateProblem(query) ?? '', problem, query);
  for (const query of ['vector(1)', 'x{a="\\"{{digests}}"}', 'x # {{later}} "', 'x{a=\'"\'} or y{b="\'"}'])
    assert.equal(templateProblem(query), undefined, query);
});

test('what has no problem is filled with nothing left over outside of comments', () => {
  const piece = fc.constantFrom('x{a=', '"', "'", '`', '{{digests}}', '{{release}}', '}', '\\', ' # ', '\n', ' or ');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const query = pieces.join('');
      if (templateProblem(query) !== undefined) return;
      const code = fill(query, filling).replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|#[^\n]*/g, (token) =>
        token.startsWith('#') ? '' : token,
      );
      assert.ok(!code.includes('{{'), code);
    }),
  );
});
