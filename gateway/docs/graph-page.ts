import type { PublishedRoute } from '@landfall/rest-compat/published';
import { limits, MAX_TOKENS } from '../graph/limits.ts';
import { type PriceList, USUAL_LIST } from '../graph/price-list.ts';
import { MAX_BRACKET_DEPTH } from '../graph/request.ts';
import type { BudgetLimits } from '../http/cost-budget.ts';
import { escaped } from '../http/html.ts';

/** Field that costs more than the objects it returns. */
interface Costly {
  readonly field: string;
  readonly weight: number;
}

/** Lists fields with a weight above 1, most expensive first. */
const costlyFields = (prices: PriceList): readonly Costly[] =>
  [...prices]
    .flatMap(([type, fields]) =>
      [...fields].flatMap(([name, { weight }]) => (weight > 1 ? [{ field: `${type}.${name}`, weight }] : [])),
    )
    .toSorted((one, other) => other.weight - one.weight || one.field.localeCompare(other.field));

const number = new Intl.NumberFormat('en-GB');

const rows = (cells: readonly (readonly [string, number])[]): string =>
  cells
    .map(([name, value]) => `<tr><td><code>${escaped(name)}</code></td><td>${number.format(value)}</td></tr>`)
    .join('');

const table = (head: string, cells: readonly (readonly [string, number])[]): string =>
  `<table><thead><tr><th scope="col">${head}</th><th scope="col">Cost</th></tr></thead><tbody>${rows(cells)}</tbody></table>`;

const EXAMPLE = JSON.stringify(
  {
    errors: [
      {
        message:
          'The request costs 15000; 10000 are allowed for one. Ask for fewer fields or smaller pages, in several requests.',
        extensions: { code: 'cost_limit_exceeded', status: 400, details: { cost: 15_000, allowed: 10_000 } },
      },
    ],
  },
  undefined,
  2,
);

/** Page about the graph's limits, costs and errors. */
export const graphPage = (
  prices: PriceList,
  routes: readonly PublishedRoute[],
  { perRequest, perSecond, burst }: BudgetLimits,
): string => `
<p><code>POST /graphql</code> takes JSON: <code>query</code>, <code>variables</code>, <code>operationName</code>, and
<code>extensions.persistedQuery</code> (version 1). Whatever is wrong with a request is 400 with a code.</p>
<h2>What an operation may be</h2>
<p>Fields ${limits.depth} deep, ${limits.lists} lists inside each other, ${limits.aliases} aliases, ${limits.rootFields} fields of the query
or mutation itself, ${number.format(limits.fields)} fields in all, brackets ${MAX_BRACKET_DEPTH} deep, ${number.format(MAX_TOKENS)} tokens. More is
400 <code>VAL_TOO_LONG</code>; <code>details</code> say which limit, how much is allowed and how much was asked for.</p>
<h2>What an operation costs</h2>
<p>An object costs 1, a value nothing; a list costs its objects as often as there may be of them: as often as
<code>first</code> says, otherwise ${USUAL_LIST} times. The sum is known before anything runs; aliases count each. The weights stand in
the SDL as <code>@cost</code> and <code>@listSize</code>. These fields cost more than 1 by themselves:</p>
${table(
  'Field',
  costlyFields(prices).map(({ field, weight }) => [field, weight]),
)}
<p>REST routes that do the same draw on the same budget:</p>
${table(
  'Route',
  routes.flatMap(({ method, path, cost }) => (cost === undefined ? [] : [[`${method} ${path}`, cost]])),
)}
<h2>What a caller may spend</h2>
<p>One request at most ${number.format(perRequest)}; each caller, a client or a person of a tenant, ${number.format(perSecond)} a second, and up to
${number.format(burst)} after a pause. Accounts are kept in memory by each process that answers callers: behind several, a caller has
as many accounts. What costs takes turns by tenant, so that nobody waits for all that another sent.</p>
<h2>How a refusal reads</h2>
<p>Too dear is 400 <code>cost_limit_exceeded</code>: ask for less at once. Spent is 429 <code>cost_budget_exhausted</code> with
<code>Retry-After</code> in seconds; <code>details</code> say <code>cost</code>, <code>left</code>, <code>perSecond</code>, <code>burst</code>. Nothing of a
refused request ran.</p>
<pre>${escaped(EXAMPLE)}</pre>`;
