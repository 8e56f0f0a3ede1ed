import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { shares } from './lib/canary-steps.ts';
import { CUSTODY_LINKS } from './lib/custody-links.ts';
import {
  ARTIFACT_TYPES,
  ESTATE_STATES,
  EVIDENCE_VERDICTS,
  GATES,
  RELEASE_STATUSES,
  STRATEGIES,
  SYNC_JOB_STATES,
} from './lib/enums.ts';
import { t } from './lib/i18n.ts';
import { parseLabels } from './lib/label-text.ts';
import { SEARCH_DOMAINS, SEARCH_SEVERITIES, urlSpelling } from './lib/search-filters.ts';
import { TARGET_FILTERS } from './lib/target-counts.ts';
import { flag, integer, oneOf, type Param, type Search, someOf, textParam, type View, view } from './lib/url-state.ts';
import { Layout } from './shell/Layout.tsx';
import { NotFoundPage } from './shell/NotFoundPage.tsx';
import { PageError } from './shell/PageError.tsx';
import { toast } from './ui/Toast.tsx';

/** Search parameters of a route; invalid ones are dropped with a notice. */
const validated =
  <T extends object>(read: (raw: Readonly<Record<string, unknown>>) => View<T>) =>
  (raw: Readonly<Record<string, unknown>>): Search<T> => {
    const { search, unread } = read(raw);
    // Routes are matched while React renders: the notice waits until it is done.
    if (unread.length > 0) queueMicrotask(() => toast(t('url.invalid', { names: unread.join(', ') })));
    return search;
  };

const root = createRootRoute({ component: Layout, notFoundComponent: NotFoundPage });

/** Labels, `region=eu`; a text that is none is invalid. */
const labels: Param<string> = {
  read: (raw) => {
    const text = textParam.read(raw);
    return text !== undefined && parseLabels(text) !== undefined ? text : undefined;
  },
};

/** Page in the layout, with its code loaded on demand. */
const page = <
  const Path extends string,
  Name extends string,
  Code extends Record<Name, RouteComponent>,
  T extends object,
>(
  path: Path,
  load: () => Promise<Code>,
  name: Name,
  params: { readonly [K in keyof T]: Param<T[K]> },
) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: validated(view<T>(params)),
    component: lazyRouteComponent(load, name),
  });

export const router = createRouter({
  routeTree: root.addChildren([
    page('/', () => import('./features/today/TodayPage.tsx'), 'TodayPage', {}),
    page('/inbox', () => import('./features/inbox/InboxPage.tsx'), 'InboxPage', { item: textParam }),
    page('/products', () => import('./features/products/ProductsPage.tsx'), 'ProductsPage', {
      state: oneOf(['FAILED', 'DRIFT', 'UNOBSERVED', 'WAITING', 'UNDER_WAY', 'IN_SYNC'] as const),
      owner: textParam,
      label: labels,
      after: integer(1, 10_000),
      ask: oneOf(['create'] as const),
    }),
    page('/products/$id', () => import('./features/products/ProductPage.tsx'), 'ProductPage', {
      step: textParam,
      days: integer(1, 365),
      ask: oneOf(['edit', 'path', 'remove', 'source', 'tickets'] as const),
    }),
    page('/releases', () => import('./features/releases/ReleasesPage.tsx'), 'ReleasesPage', {
      product: textParam,
      status: oneOf(RELEASE_STATUSES),
      name: textParam,
      after: textParam,
    }),
    page('/releases/$id', () => import('./features/releases/ReleasePage.tsx'), 'ReleasePage', {}),
    page('/releases/$id/compare/$other', () => import('./features/releases/ComparePage.tsx'), 'ComparePage', {}),
    page('/releases/$id/deploy', () => import('./features/deploy/DeployPage.tsx'), 'DeployPage', {
      env: textParam,
      strategy: oneOf(STRATEGIES),
      batch: integer(1, 100),
      steps: shares,
      gate: oneOf(GATES),
    }),
    page('/deployments', () => import('./features/deployments/DeploymentsPage.tsx'), 'DeploymentsPage', {
      product: textParam,
      status: oneOf([
        'QUEUED',
        'PREFLIGHT',
        'PLANNING',
        'IN_PROGRESS',
        'PAUSED',
        'VERIFYING',
        'COMPLETED',
        'FAILED',
        'CANCELLING',
        'CANCELLED',
        'ROLLBACK_IN_PROGRESS',
        'ROLLED_BACK',
        'ROLLBACK_FAILED',
      ] as const),
      env: textParam,
      after: textParam,
    }),
    page('/deployments/$id', () => import('./features/deployments/DeploymentPage.tsx'), 'DeploymentPage', {
      target: textParam,
      only: oneOf(TARGET_FILTERS),
      ask: oneOf(['halt', 'cancel', 'rollback', 'retry'] as const),
    }),
    page('/environments', () => import('./features/environments/EnvironmentsPage.tsx'), 'EnvironmentsPage', {
      ask: oneOf(['create'] as const),
    }),
    page('/environments/$id', () => import('./features/environments/EnvironmentPage.tsx'), 'EnvironmentPage', {
      target: textParam,
      product: textParam,
      ask: oneOf(['rollback', 'edit', 'target', 'variables', 'remove'] as const),
    }),
    page('/estate', () => import('./features/estate/EstatePage.tsx'), 'EstatePage', {
      state: oneOf(ESTATE_STATES),
      product: textParam,
      env: textParam,
      component: textParam,
      after: textParam,
    }),
    page('/estate/$digest', () => import('./features/estate/DigestPage.tsx'), 'DigestPage', {}),
    page('/custody', () => import('./features/custody/CustodyListPage.tsx'), 'CustodyListPage', {
      product: textParam,
      status: oneOf(RELEASE_STATUSES),
      name: textParam,
      after: textParam,
    }),
    page('/custody/$releaseId', () => import('./features/custody/CustodyPage.tsx'), 'CustodyPage', {
      link: oneOf(CUSTODY_LINKS),
      statement: textParam,
    }),
    page('/evidence', () => import('./features/evidence/ArtifactsPage.tsx'), 'ArtifactsPage', {
      about: textParam,
      type: oneOf(ARTIFACT_TYPES),
      verdict: oneOf(EVIDENCE_VERDICTS),
      after: textParam,
    }),
    page('/evidence/bundles', () => import('./features/evidence/BundlesPage.tsx'), 'BundlesPage', { after: textParam }),
    page('/evidence/bundles/$id', () => import('./features/evidence/BundlePage.tsx'), 'BundlePage', {}),
    page('/evidence/holds', () => import('./features/evidence/HoldsPage.tsx'), 'HoldsPage', {
      ended: flag,
      after: textParam,
    }),
    page('/evidence/retention', () => import('./features/evidence/RetentionPage.tsx'), 'RetentionPage', {
      after: textParam,
    }),
    page('/evidence/$id', () => import('./features/evidence/ArtifactPage.tsx'), 'ArtifactPage', {
      ask: oneOf(['hold', 'retain', 'delete'] as const),
    }),
    page('/scans', () => import('./features/scans/ScansPage.tsx'), 'ScansPage', {
      image: textParam,
      after: textParam,
    }),
    page('/scans/triage', () => import('./features/triage/DecisionsPage.tsx'), 'DecisionsPage', {
      vulnerability: textParam,
      state: oneOf(['force', 'ended'] as const),
      decision: textParam,
      after: textParam,
    }),
    page('/scans/vex', () => import('./features/vex/SourcesPage.tsx'), 'SourcesPage', {
      ask: oneOf(['register'] as const),
    }),
    page('/scans/vex/$id', () => import('./features/vex/SourcePage.tsx'), 'SourcePage', {
      document: textParam,
      after: textParam,
      ask: oneOf(['document', 'edit', 'remove'] as const),
    }),
    page('/scans/policies', () => import('./features/policies/PoliciesPage.tsx'), 'PoliciesPage', {
      version: textParam,
      ask: oneOf(['publish'] as const),
    }),
    page('/scans/$id', () => import('./features/scans/ScanPage.tsx'), 'ScanPage', {
      severity: someOf(urlSpelling(SEARCH_SEVERITIES)),
      kev: flag,
      reachable: flag,
      triage: oneOf(['open', 'suppressed'] as const),
      text: textParam,
      finding: textParam,
      after: textParam,
    }),
    page('/drift/$id', () => import('./features/scans/DriftPage.tsx'), 'DriftPage', {
      direction: oneOf(['BECAME_REACHABLE', 'BECAME_UNREACHABLE'] as const),
      full: flag,
      after: textParam,
    }),
    page('/airgap', () => import('./features/airgap/AirGapPage.tsx'), 'AirGapPage', {
      only: oneOf(['blocked'] as const),
      ask: oneOf(['seal', 'unseal', 'policy', 'anchor'] as const),
    }),
    page('/airgap/kits', () => import('./features/airgap/KitsPage.tsx'), 'KitsPage', {
      kit: textParam,
      import: textParam,
      after: textParam,
      ask: oneOf(['mirror'] as const),
    }),
    page('/airgap/sites', () => import('./features/airgap/SyncPage.tsx'), 'SyncPage', {
      state: oneOf(SYNC_JOB_STATES),
      resolved: flag,
      after: textParam,
      ask: oneOf(['export', 'import', 'site'] as const),
    }),
    page('/agents', () => import('./features/agents/AgentsPage.tsx'), 'AgentsPage', {}),
    page('/agents/$id', () => import('./features/agents/AgentPage.tsx'), 'AgentPage', {
      ask: oneOf(['revoke'] as const),
    }),
    page('/integrations', () => import('./features/integrations/IntegrationsPage.tsx'), 'IntegrationsPage', {
      ask: oneOf(['integration', 'provider', 'secret', 'signer', 'image', 'tickets'] as const),
    }),
    page('/access', () => import('./features/access/PeoplePage.tsx'), 'PeoplePage', {
      text: textParam,
      active: oneOf(['yes', 'no'] as const),
      after: textParam,
      ask: oneOf(['invite', 'create'] as const),
    }),
    page('/access/people/$id', () => import('./features/access/PersonPage.tsx'), 'PersonPage', {
      ask: oneOf(['edit', 'reset', 'deactivate', 'reactivate'] as const),
    }),
    page('/access/clients', () => import('./features/access/ClientsPage.tsx'), 'ClientsPage', {
      text: textParam,
      active: oneOf(['yes', 'no'] as const),
      after: textParam,
      ask: oneOf(['register'] as const),
    }),
    page('/access/clients/$id', () => import('./features/access/ClientPage.tsx'), 'ClientPage', {
      ask: oneOf(['edit', 'rotate', 'deactivate'] as const),
    }),
    page('/access/groups', () => import('./features/access/GroupsPage.tsx'), 'GroupsPage', {
      after: textParam,
      ask: oneOf(['create'] as const),
    }),
    page('/access/sign-on', () => import('./features/access/SignOnPage.tsx'), 'SignOnPage', {
      ask: oneOf(['create'] as const),
    }),
    page('/access/sessions', () => import('./features/access/SessionsPage.tsx'), 'SessionsPage', {
      after: textParam,
      apps: textParam,
      ended: flag,
    }),
    page('/access/keys', () => import('./features/access/KeysPage.tsx'), 'KeysPage', {}),
    page('/access/registry', () => import('./features/access/RegistryPage.tsx'), 'RegistryPage', {
      scope: textParam,
      service: textParam,
      plan: textParam,
      license: textParam,
      outcome: oneOf(['ISSUED', 'REFUSED'] as const),
      repository: textParam,
      subject: textParam,
      after: textParam,
    }),
    page('/audit', () => import('./features/audit/AuditPage.tsx'), 'AuditPage', {
      type: textParam,
      entity: textParam,
      id: textParam,
      actor: textParam,
      from: textParam,
      to: textParam,
      correlation: textParam,
      after: textParam,
    }),
    page('/search', () => import('./features/search/SearchPage.tsx'), 'SearchPage', {
      q: textParam,
      domain: someOf(urlSpelling(SEARCH_DOMAINS)),
      severity: someOf(urlSpelling(SEARCH_SEVERITIES)),
      ecosystem: textParam,
      type: textParam,
      k: integer(1, 50),
      card: textParam,
    }),
    page('/search/quality', () => import('./features/search/QualityPage.tsx'), 'QualityPage', {
      period: oneOf(['24h', '7d', '30d'] as const),
      alerts: oneOf(['OPEN', 'ACKNOWLEDGED', 'RESOLVED', 'ALL'] as const),
      ask: oneOf(['rebuild', 'import'] as const),
    }),
    page(
      '/settings/notifications',
      () => import('./features/settings/MyNotificationsPage.tsx'),
      'MyNotificationsPage',
      {},
    ),
    page('/notify', () => import('./features/notify/DeliveriesPage.tsx'), 'DeliveriesPage', {
      status: oneOf(['pending', 'failed', 'sent', 'delivered', 'dead-lettered', 'cancelled'] as const),
      channel: textParam,
      after: textParam,
    }),
    page('/notify/deliveries/$id', () => import('./features/notify/DeliveryPage.tsx'), 'DeliveryPage', {
      ask: oneOf(['retry'] as const),
    }),
    page('/notify/dead-letters', () => import('./features/notify/DeadLettersPage.tsx'), 'DeadLettersPage', {
      status: oneOf(['OPEN', 'RETRIED', 'DISCARDED'] as const),
      channel: textParam,
      cause: textParam,
      after: textParam,
      ask: oneOf(['retry'] as const),
    }),
    page('/notify/events', () => import('./features/notify/EventsPage.tsx'), 'EventsPage', {
      kind: textParam,
      about: textParam,
      after: textParam,
    }),
    page('/notify/explain/$eventId', () => import('./features/notify/ExplainPage.tsx'), 'ExplainPage', {
      ask: oneOf(['silence'] as const),
    }),
    page('/notify/channels', () => import('./features/notify/ChannelsPage.tsx'), 'ChannelsPage', {
      ask: oneOf(['create'] as const),
    }),
    page('/notify/channels/$id', () => import('./features/notify/ChannelPage.tsx'), 'ChannelPage', {
      ask: oneOf(['edit', 'rotate', 'disable', 'enable', 'remove'] as const),
    }),
    page('/notify/rules', () => import('./features/notify/RulesPage.tsx'), 'RulesPage', {}),
    page('/notify/rules/$id', () => import('./features/notify/RulePage.tsx'), 'RulePage', {
      event: textParam,
      ask: oneOf(['remove'] as const),
    }),
    page('/notify/templates', () => import('./features/notify/TemplatesPage.tsx'), 'TemplatesPage', {
      ask: oneOf(['create'] as const),
    }),
    page('/notify/templates/$key', () => import('./features/notify/TemplatePage.tsx'), 'TemplatePage', {
      channel: oneOf(['WEBHOOK', 'SLACK', 'TEAMS', 'EMAIL', 'PAGERDUTY'] as const),
      locale: textParam,
      ask: oneOf(['remove'] as const),
    }),
    page('/notify/silences', () => import('./features/notify/SilencesPage.tsx'), 'SilencesPage', {
      ask: oneOf(['silence', 'maintenance', 'interval', 'quietHours', 'inhibition', 'flapping'] as const),
    }),
    page('/settings', () => import('./features/settings/SettingsPage.tsx'), 'SettingsPage', {}),
  ]),
  defaultErrorComponent: PageError,
  defaultPreload: 'intent',
  // The page of another entity begins anew: it neither shows nor changes the one before while its own is fetched.
  defaultRemountDeps: ({ params }) => params,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
