import type { Authority } from '@landfall/authority';
import type { Route } from '@landfall/kernel/routes/route';
import { accountPages } from './authority-account.ts';
import { endpointRoutes } from './authority-endpoints.ts';
import { authorityPages } from './authority-pages.ts';

/** {auth_url}: the endpoints of the protocols (spec 4.1) and the pages for people. */
export const authorityRoutes = (authority: Authority): Route[] => [
  ...endpointRoutes(authority),
  ...authorityPages(authority),
  ...accountPages(authority),
];
