/** Paths that belong to an interface: what is unknown below them is a 404 of its own, never the console's page. */
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

/** The console's own routes, each with everything below it; a test holds them against the console's router. */
export const CONSOLE_ROUTES = [
  '/inbox',
  '/releases',
  '/deployments',
  '/environments',
  '/estate',
  '/custody',
  '/agents',
  '/integrations',
  '/access',
  '/audit',
  '/search',
  '/settings',
];

export const isConsoleRoute = (path: string): boolean =>
  path === '/' || CONSOLE_ROUTES.some((route) => path === route || path.startsWith(`${route}/`));

/** The path of a request target, without its query. */
export const pathOf = (target: string): string => target.split('?', 1)[0] ?? '/';
