// Pages of the console, and a visit to each of them.
import type { Browser, Page } from 'playwright';
import { arrive } from './people.ts';
import type { Credentials, Product } from './product.ts';
import { seedScans } from './scanner.ts';

type Route = readonly [name: string, path: string];

/** Every route of the console, and the states of them that have a look of their own. */
const pages = ({ ids }: Pick<Credentials, 'ids'>): readonly Route[] => [
  ['today', '/'],
  ['inbox', '/inbox'],
  ['products', '/products'],
  ['products-filtered-empty', '/products?owner=nobody-of-this-name'],
  ['product-unknown', '/products/01980000-0000-7000-8000-000000000000'],
  ['releases', '/releases'],
  ['releases-filtered-empty', '/releases?name=nothing-of-this-name'],
  ['release', `/releases/${ids.releaseId}`],
  ['release-draft', `/releases/${ids.draftReleaseId}`],
  ['release-unknown', '/releases/01980000-0000-7000-8000-000000000000'],
  ['compare', `/releases/${ids.waitingReleaseId}/compare/${ids.releaseId}`],
  ['compare-environment', `/releases/${ids.waitingReleaseId}/compare/${ids.environmentId}`],
  ['deploy', `/releases/${ids.waitingReleaseId}/deploy`],
  ['deploy-rolling', `/releases/${ids.waitingReleaseId}/deploy?strategy=ROLLING&batch=50`],
  ['deploy-canary', `/releases/${ids.waitingReleaseId}/deploy?strategy=CANARY&steps=25,100&gate=NONE`],
  ['deployments', '/deployments'],
  ['deployment', `/deployments/${ids.deploymentId}`],
  ['deployment-failed', `/deployments/${ids.failedDeploymentId}`],
  ['deployment-failed-target', `/deployments/${ids.failedDeploymentId}?target=${ids.targetId}`],
  ['deployment-halted', `/deployments/${ids.haltedDeploymentId}`],
  ['deployment-rollback', `/deployments/${ids.rollbackDeploymentId}`],
  ['environments', '/environments'],
  ['environment', `/environments/${ids.environmentId}`],
  ['environment-target', `/environments/${ids.devEnvironmentId}?target=${ids.driftedTargetId}`],
  ['environment-unknown', '/environments/01980000-0000-7000-8000-000000000000'],
  ['estate', '/estate'],
  ['estate-drift', '/estate?state=DRIFT'],
  ['estate-filtered-empty', '/estate?component=nothing-of-this-name'],
  ['custody', '/custody'],
  ['custody-filtered-empty', '/custody?name=nothing-of-this-name'],
  ['chain', `/custody/${ids.releaseId}`],
  ['chain-source', `/custody/${ids.releaseId}?link=source`],
  ['chain-deploy', `/custody/${ids.releaseId}?link=deploy`],
  ['chain-draft', `/custody/${ids.draftReleaseId}?link=run`],
  ['chain-unknown', '/custody/01980000-0000-7000-8000-000000000000'],
  ['scans', '/scans'],
  ['scans-filtered-empty', `/scans?image=${'0'.repeat(64)}`],
  ['scan', `/scans/${ids.scanId}`],
  ['scan-finding', `/scans/${ids.scanId}?finding=${ids.findingId}`],
  ['scan-findings-filtered-empty', `/scans/${ids.scanId}?text=nothing-of-this-name`],
  ['scan-not-evaluated', `/scans/${ids.opaqueScanId}`],
  ['scan-unknown', '/scans/01980000-0000-7000-8000-000000000000'],
  ['triage', '/scans/triage'],
  ['triage-decision', `/scans/triage?decision=${ids.decisionId}`],
  ['triage-filtered-empty', '/scans/triage?vulnerability=nothing-of-this-name'],
  ['vex-sources', '/scans/vex'],
  ['vex-source', `/scans/vex/${ids.vexSourceId}`],
  ['vex-source-unknown', '/scans/vex/01980000-0000-7000-8000-000000000000'],
  ['policies', '/scans/policies'],
  ['policy', '/scans/policies?version=default%2F1%2F'],
  ['drift', `/drift/${ids.driftId}`],
  ['drift-full', `/drift/${ids.driftId}?full=true&direction=BECAME_REACHABLE`],
  ['drift-unknown', '/drift/01980000-0000-8000-8000-000000000000'],
  ['airgap', '/airgap'],
  ['airgap-blocked', '/airgap?only=blocked'],
  ['airgap-kits', '/airgap/kits'],
  ['airgap-sites', '/airgap/sites'],
  ['evidence', '/evidence'],
  ['evidence-filtered-empty', '/evidence?about=nothing-of-this-name&verdict=INVALID'],
  ['evidence-bundles', '/evidence/bundles'],
  ['evidence-bundle', `/evidence/bundles/${ids.bundleId}`],
  ['evidence-holds', '/evidence/holds?ended=true'],
  ['evidence-retention', '/evidence/retention'],
  ['artifact', `/evidence/${ids.artifactId}`],
  ['artifact-unknown', '/evidence/01980000-0000-8000-8000-000000000000'],
  ['agents', '/agents'],
  ['integrations', '/integrations'],
  ['notify', '/notify'],
  ['notify-dead-letters-filtered-empty', '/notify/dead-letters?cause=tls'],
  ['notify-events', '/notify/events?kind=deployment.failed'],
  ['notify-channels', '/notify/channels'],
  ['notify-channel-unknown', '/notify/channels/01980000-0000-7000-8000-000000000000'],
  ['notify-rules', '/notify/rules'],
  ['notify-rule-new', '/notify/rules/new'],
  ['notify-templates', '/notify/templates'],
  ['notify-template', '/notify/templates/deployment.failed?channel=SLACK&locale=en'],
  ['notify-silences', '/notify/silences'],
  ['access', '/access'],
  ['audit', '/audit'],
  ['search', '/search'],
  ['search-found', '/search?q=prototype%20pollution'],
  ['search-filtered-empty', '/search?q=prototype%20pollution&severity=none'],
  ['search-nothing', '/search?q=nothing-of-this-name'],
  ['settings', '/settings'],
  ['my-notifications', '/settings/notifications'],
  ['nowhere', '/nowhere'],
];

/** Names of one page of each area of the console. */
const MAIN = new Set(
  'today inbox products release deployment-failed environment estate-drift chain search-found settings'.split(' '),
);

/** Round of an approver through one page of each area. */
export const mainRound = ({ credentials }: Product): Round => ({
  part: 'approver',
  places: pages(credentials).filter(([name]) => MAIN.has(name)),
  doors: [],
});

/** Routes that only an administrator sees. */
const guarded: readonly Route[] = [
  ['people', '/access'],
  ['people-filtered-empty', '/access?text=nobody-of-this-name'],
  ['clients', '/access/clients'],
  ['groups', '/access/groups'],
  ['sign-on', '/access/sign-on'],
  ['sessions', '/access/sessions'],
  ['keys', '/access/keys'],
  ['registry', '/access/registry?scope=repository:shop/web:pull,push'],
  ['trail', '/audit?type=user'],
  ['airgap-anchor', '/airgap?ask=anchor'],
  ['airgap-policy', '/airgap?ask=policy'],
  ['airgap-seal', '/airgap?ask=seal'],
  ['airgap-site', '/airgap/sites?ask=site'],
  ['airgap-mirror', '/airgap/kits?ask=mirror'],
  ['search-answered', '/search?q=prototype%20pollution'],
  ['search-quality', '/search/quality'],
];

/** Waits until a page is drawn: its heading is there, and no part of it is loading. */
export const settled = async (page: Page): Promise<void> => {
  await page.locator('main h1').first().waitFor();
  await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
};

/** Reached from another page, since no address of theirs is known before. */
const doors = [
  ['product', '/products', 'shop'],
  ['agent', '/agents', 'harbour-1'],
  ['digest', '/estate?state=DRIFT', 'other locations'],
] as const;

const guardedDoors = [
  ['person', '/access', 'Vera Novak'],
  ['client', '/access/clients', 'operator'],
] as const;

type Door = readonly [name: string, path: string, link: string];

/** A user's round through pages of the console. */
interface Round {
  readonly part: Parameters<typeof arrive>[2];
  readonly places: readonly Route[];
  readonly doors: readonly Door[];
}

/** Rounds of the people of the demo, with scans in it. */
export const rounds = async (product: Product): Promise<readonly Round[]> => [
  {
    part: 'approver',
    places: pages({ ids: { ...product.credentials.ids, ...(await seedScans(product)).ids } }),
    doors,
  },
  { part: 'admin', places: guarded, doors: guardedDoors },
];

/** Visits the pages of a round, and calls `look` on each once it is drawn. */
export const visit = async (
  browser: Browser,
  credentials: Credentials,
  to: Round,
  options: Parameters<typeof arrive>[3],
  look: (page: Page, name: string) => Promise<void>,
) => {
  const page = await arrive(browser, credentials, to.part, { reducedMotion: 'reduce', ...options });
  for (const [name, path] of to.places) {
    await page.goto(`${credentials.baseUrl}${path}`);
    await settled(page);
    await look(page, name);
  }
  for (const [name, path, link] of to.doors) {
    await page.goto(`${credentials.baseUrl}${path}`);
    const from = page.url();
    await page.getByRole('link', { name: link }).first().click();
    await page.waitForURL((url) => url.pathname !== new URL(from).pathname);
    await settled(page);
    await look(page, name);
  }
  await page.context().close();
};

export const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };
