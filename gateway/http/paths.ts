/** Path prefixes of interfaces: unknown paths below them give a 404, never the console's page. */
const OWNED = [
  '/api',
  '/v1',
  '/system',
  '/token',
  '/oauth',
  '/scim',
  '/graphql',
  '/changes',
  '/session',
  '/docs',
  '/assets',
  '/tlog',
  '/healthz',
  '/readyz',
];

export const isOwned = (path: string): boolean =>
  OWNED.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));

/** Routes of the console, each with everything below it; a test compares them with the console's router. */
export const CONSOLE_ROUTES = [
  '/inbox',
  '/products',
  '/releases',
  '/deployments',
  '/environments',
  '/estate',
  '/custody',
  '/evidence',
  '/scans',
  '/drift',
  '/airgap',
  '/agents',
  '/notify',
  '/integrations',
  '/access',
  '/audit',
  '/search',
  '/settings',
];

export const isConsoleRoute = (path: string): boolean =>
  path === '/' || CONSOLE_ROUTES.some((route) => path === route || path.startsWith(`${route}/`));

/** Path of a request target without its query. */
export const pathOf = (target: string): string => target.split('?', 1)[0] ?? '/';
