import type { Clock } from '@landfall/kernel/core/clock';
import { authorityDocument, platformDocument } from '@landfall/rest-compat/openapi';
import type { PublishedRoute } from '@landfall/rest-compat/published';
import { isOnAuthority } from '@landfall/rest-compat/route-listener';
import { codes } from '@landfall/schema/codes';
import type { FastifyInstance } from 'fastify';
import { readPriceList } from '../graph/price-list.ts';
import { supergraphSdl } from '../graph/supergraph.ts';
import type { BudgetLimits } from '../http/cost-budget.ts';
import { escaped, HTML_HEADERS, htmlPage } from '../http/html.ts';
import { version } from '../settings/version.ts';
import { graphPage } from './graph-page.ts';

const code = (text: string): string => `<code>${escaped(text)}</code>`;

const row = (cells: readonly string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<table><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>${rows.map(row).join('\n')}</tbody></table>`;

const page = (title: string, content: string): string =>
  htmlPage(
    title,
    `<nav><a href="/docs">Routes</a> · <a href="/docs/graph">Graph</a> · <a href="/docs/scopes">Scopes</a> · <a href="/docs/errors">Errors</a> · <a href="/docs/openapi.json">OpenAPI</a></nav><main><h1>${title}</h1>${content}</main>`,
  );

const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Sunset of a route, and whether that day has passed. */
const deprecation = ({ sunset, successor }: PublishedRoute, now: Date): string => {
  if (sunset === undefined) return '';
  const at = new Date(sunset);
  const day = Number.isNaN(at.getTime()) ? escaped(sunset) : DATE.format(at);
  const when = at < now ? `announced sunset ${day}, still served` : `sunset ${day}`;
  return ` <em>deprecated: ${when}${successor === undefined ? '' : `; use ${code(successor)}`}</em>`;
};

/** Anchor of a route's schemas, by its index in the published list. */
const schemaPath = (index: number): string => `/docs/schemas/${index}`;

/** Name of a route; those of the authority's listener are marked, since paths of two listeners may be equal. */
const nameOf = (route: PublishedRoute): string =>
  `${route.method} ${isOnAuthority(route) ? '{authority}' : ''}${route.path}`;

const routesPage = (routes: readonly PublishedRoute[], now: Date): string =>
  page(
    'Routes',
    table(
      ['Route', 'What it does', 'Any of these scopes', 'Errors of its own', 'JSON Schema'],
      routes.map((route, index) => [
        code(nameOf(route)),
        escaped(route.summary) + deprecation(route, now),
        route.scope.map(code).join(' '),
        route.codes.map((name) => `<a href="/docs/errors#${escaped(name)}">${code(name)}</a>`).join(' '),
        `<a href="${schemaPath(index)}" aria-label="Schemas of ${escaped(nameOf(route))}">schemas</a>`,
      ]),
    ),
  );

const scopesPage = (routes: readonly PublishedRoute[]): string => {
  const scopes = [...new Set(routes.flatMap(({ scope }) => scope))].toSorted();
  return page(
    'Scopes',
    table(
      ['Scope', 'Lets its holder call'],
      scopes.map((name) => [
        code(name),
        routes
          .filter(({ scope }) => scope.includes(name))
          .map((route) => code(nameOf(route)))
          .join('<br>'),
      ]),
    ),
  );
};

const errorsPage = (): string =>
  page(
    'Errors',
    table(
      ['Code', 'Status', 'Category', 'Meaning', 'Again later?'],
      Object.entries(codes).map(([name, { status, category, meaning, retryable }]) => [
        `<a id="${escaped(name)}"></a>${code(name)}`,
        String(status),
        category,
        escaped(meaning),
        retryable ? 'may help' : 'no',
      ]),
    ),
  );

const JSON_TYPE = 'application/json; charset=utf-8';

interface DocsOptions {
  readonly routes: readonly PublishedRoute[];
  readonly budget: BudgetLimits;
  readonly clock: Clock;
  /** Public address of the web listener. */
  readonly baseUrl: string;
}

/**
 * Registers pages about every REST route with its schemas, every scope and every error code, and OpenAPI for programs.
 */
export const registerDocs = (app: FastifyInstance, { routes, budget, clock, baseUrl }: DocsOptions): void => {
  const pages = {
    '/docs': () => routesPage(routes, clock.now()),
    '/docs/graph': () => page('Graph', graphPage(readPriceList(supergraphSdl()), routes, budget)),
    '/docs/scopes': () => scopesPage(routes),
    '/docs/errors': errorsPage,
  };
  for (const [path, text] of Object.entries(pages))
    app.get(path, async (_request, reply) => reply.headers(HTML_HEADERS).send(text()));
  for (const [at, { method, path, schemas }] of routes.entries())
    app.get(schemaPath(at), async (_request, reply) =>
      reply.type(JSON_TYPE).send(JSON.stringify({ method, path, schemas }, null, 2)),
    );
  const document = JSON.stringify(platformDocument(routes, { version, server: baseUrl }), null, 2);
  app.get('/docs/openapi.json', async (_request, reply) => reply.type(JSON_TYPE).send(document));
};

/** Registers the authority's OpenAPI document, beside its OAuth metadata. */
export const registerAuthorityDocument = (
  app: FastifyInstance,
  routes: readonly PublishedRoute[],
  authUrl: string,
): void => {
  const document = JSON.stringify(authorityDocument(routes, authUrl), null, 2);
  app.get('/openapi.json', async (_request, reply) => reply.type(JSON_TYPE).send(document));
};
