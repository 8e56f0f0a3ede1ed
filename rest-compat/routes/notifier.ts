import { encodeCursor } from '@landfall/kernel/operation/page';
import { envelope } from '@landfall/kernel/routes/dialects/envelope';
import { json, type Route, type RouteRequest, route } from '@landfall/kernel/routes/route';
import type { Notifier } from '@landfall/notifier';
import Type from 'typebox';
import * as schemas from '../views/notifier.schemas.ts';
import { uuid } from '../views/parts.ts';
import { projection } from '../views/projection.ts';
import { withFieldNames } from './field-names.ts';
import { input, limitOf } from './query-parameters.ts';

const common = { module: 'notifier', dialect: envelope } as const;

/** Paths of management, and those of their deprecated twins (spec 9, rulings 4, 32). */
const CURRENT = '/api/v2/notify';
const DEPRECATED = '/api/v1/notify';
const SUNSET = 'Tue, 31 Mar 2026 00:00:00 GMT';

/** Largest event, in bytes. */
const EVENT_BYTES = 256 * 1024;
/** Largest notification of Alertmanager, in bytes. */
const ALERTS_BYTES = 4 * 1024 * 1024;

const deliveryView = projection(schemas.delivery);
const statsView = projection(schemas.deliveryStats);
const deadLetterView = projection(schemas.deadLetter);
const deadLetterStatsView = projection(schemas.deadLetterStats);
const retryView = projection(schemas.deadLetterRetry);
const rotationView = projection(schemas.rotation);
const secretsView = projection(schemas.maskedSecrets);
const acceptedView = projection(schemas.acceptedEvent);
const acceptedAlertsView = projection(schemas.acceptedAlerts);

const WIRE = { sent: 'Sent', delivered: 'Delivered' } as const;

type Delivery = Awaited<ReturnType<Notifier['deliveries']['get']>>;
type DeliveryList = Awaited<ReturnType<Notifier['deliveries']['list']>>;
type DeadLetterList = Awaited<ReturnType<Notifier['deadLetters']['list']>>;
type DeadLetter = Awaited<ReturnType<Notifier['deadLetters']['get']>>;

const wireStatus = (state: Delivery['state']) => (state === 'sent' || state === 'delivered' ? WIRE[state] : state);

const showDelivery = ({ id, state, attempts, ...delivery }: Delivery) =>
  deliveryView({ ...delivery, deliveryId: id, status: wireStatus(state), attemptCount: attempts });

const showDeadLetter = ({ id, ...letter }: DeadLetter) => deadLetterView({ ...letter, entryId: id });

const tokenOf = <T extends { readonly id: string }>({
  items,
  hasNextPage,
}: {
  readonly items: readonly T[];
  readonly hasNextPage: boolean;
}): string | null => {
  const last = hasNextPage ? items.at(-1) : undefined;
  return last ? encodeCursor(last.id) : null;
};

const bodyOf = ({ body }: RouteRequest): object => (typeof body === 'object' && body !== null ? body : {});

const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  continuationToken: Type.Optional(Type.String()),
};

const pageInput = (request: RouteRequest) => ({
  first: limitOf(input(request, 'limit') ?? '50'),
  after: input(request, 'continuationToken'),
});

/** Path and deprecation of a management route at its current or its deprecated place. */
type Place = (path: string) => Pick<Route, 'path' | 'sunset' | 'successor'>;

const current: Place = (path) => ({ path: `${CURRENT}${path}` });
const deprecated: Place = (path) => ({
  path: `${DEPRECATED}${path}`,
  sunset: SUNSET,
  successor: `${CURRENT}${path}`.replaceAll(/:(\w+)/g, '{$1}'),
});

const deliveryRoutes = ({ deliveries }: Notifier, place: Place): Route[] => {
  const list = withFieldNames(deliveries.list, { first: 'limit', after: 'continuationToken' });
  const retry = withFieldNames(deliveries.retry, { id: 'deliveryId' });
  return [
    route({
      ...common,
      ...place('/deliveries'),
      method: 'GET',
      summary: 'Deliveries, the newest first.',
      operation: list,
      schemas: {
        query: Type.Object({
          status: Type.Optional(Type.String()),
          since: Type.Optional(Type.String({ format: 'date-time' })),
          ...pageQuery,
        }),
        response: { 200: schemas.deliveryPage },
      },
      input: (request) => ({
        status: input(request, 'status'),
        since: input(request, 'since'),
        ...pageInput(request),
      }),
      answer: (page: DeliveryList) =>
        json(200, {
          items: page.items.map(showDelivery),
          count: page.items.length,
          continuationToken: tokenOf(page),
        }),
    }),
    route({
      ...common,
      ...place('/deliveries/stats'),
      method: 'GET',
      summary: 'Numbers of deliveries by status.',
      operation: deliveries.stats,
      schemas: {
        query: Type.Object({ since: Type.Optional(Type.String({ format: 'date-time' })) }),
        response: { 200: schemas.deliveryStats },
      },
      input: (request) => ({ since: input(request, 'since') }),
      answer: (stats) =>
        json(
          200,
          statsView({
            ...stats,
            counts: Object.fromEntries(stats.counts.map(({ state, count }) => [wireStatus(state), count])),
          }),
        ),
    }),
    route({
      ...common,
      ...place('/deliveries/:deliveryId/retry'),
      method: 'POST',
      summary: 'Sends a delivery again that did not land.',
      operation: retry,
      schemas: {
        params: Type.Object({ deliveryId: uuid }),
        body: schemas.retryRequest,
        response: { 200: schemas.delivery },
      },
      input: (request) => ({ ...bodyOf(request), id: request.params.deliveryId }),
      answer: (delivery) => json(200, showDelivery(delivery)),
    }),
  ];
};

const deadLetterRoutes = ({ deadLetters }: Notifier, place: Place): Route[] => {
  const list = withFieldNames(deadLetters.list, { first: 'limit', after: 'continuationToken' });
  const get = withFieldNames(deadLetters.get, { id: 'entryId' });
  return [
    route({
      ...common,
      ...place('/dead-letter'),
      method: 'GET',
      summary: 'Deliveries that failed for good, the newest first.',
      operation: list,
      schemas: {
        query: Type.Object({
          status: Type.Optional(Type.Enum(['open', 'retried', 'discarded'])),
          ...pageQuery,
        }),
        response: { 200: schemas.deadLetterPage },
      },
      input: (request) => ({ status: input(request, 'status'), ...pageInput(request) }),
      answer: (page: DeadLetterList) =>
        json(200, {
          items: page.items.map(showDeadLetter),
          count: page.items.length,
          continuationToken: tokenOf(page),
        }),
    }),
    route({
      ...common,
      ...place('/dead-letter/stats'),
      method: 'GET',
      summary: 'Numbers of dead letters by cause.',
      operation: deadLetters.stats,
      schemas: { response: { 200: schemas.deadLetterStats } },
      input: () => ({}),
      answer: (stats) => json(200, deadLetterStatsView(stats)),
    }),
    route({
      ...common,
      ...place('/dead-letter/:entryId'),
      method: 'GET',
      summary: 'A dead letter.',
      operation: get,
      schemas: { params: Type.Object({ entryId: uuid }), response: { 200: schemas.deadLetter } },
      input: ({ params }) => ({ id: params.entryId }),
      answer: (letter) => json(200, showDeadLetter(letter)),
    }),
    route({
      ...common,
      ...place('/dead-letter/retry'),
      method: 'POST',
      summary: 'Sends open dead letters again, the oldest first.',
      operation: deadLetters.retry,
      schemas: { body: schemas.deadLetterRetryRequest, response: { 200: schemas.deadLetterRetry } },
      input: bodyOf,
      answer: (retried) => json(200, retryView(retried)),
    }),
  ];
};

const secretRoutes = ({ secrets }: Notifier, place: Place): Route[] => [
  route({
    ...common,
    ...place('/security/webhook/:channelId/rotate'),
    method: 'POST',
    summary: 'Replaces the secret of a webhook; both sign until the old one expires.',
    operation: secrets.rotate,
    schemas: {
      params: Type.Object({ channelId: uuid }),
      body: schemas.rotationRequest,
      response: { 200: schemas.rotation },
    },
    input: (request) => ({ ...bodyOf(request), channelId: request.params.channelId }),
    answer: (rotated) => json(200, rotationView(rotated), { 'cache-control': 'no-store' }),
  }),
  route({
    ...common,
    ...place('/security/webhook/:channelId/secret'),
    method: 'GET',
    summary: 'The secrets of a webhook, masked.',
    operation: secrets.get,
    schemas: { params: Type.Object({ channelId: uuid }), response: { 200: schemas.maskedSecrets } },
    input: ({ params }) => ({ channelId: params.channelId }),
    answer: (found) => json(200, secretsView(found)),
  }),
];

/** Route by which a producer's events come in. */
const ingestRoute = (
  { ingest }: Notifier,
  {
    path,
    summary,
    producer,
  }: Pick<Route, 'path' | 'summary'> & { readonly producer: (request: RouteRequest) => unknown },
): Route =>
  route({
    ...common,
    path,
    method: 'POST',
    isBeat: true,
    bodyLimit: EVENT_BYTES,
    summary,
    operation: ingest,
    schemas: { body: schemas.eventEnvelope, response: { 202: schemas.acceptedEvent } },
    input: (request) => ({ ...bodyOf(request), producer: producer(request) }),
    answer: (accepted) => json(202, acceptedView(accepted)),
  });

const ingestRoutes = (notifier: Notifier): Route[] => [
  ingestRoute(notifier, {
    path: '/api/v1/events/:producer',
    summary: 'Accepts an event of a producer: concelier, attestor or risk.',
    producer: ({ params }) => (params.producer === 'pack' ? '' : params.producer),
  }),
  ingestRoute(notifier, {
    path: '/api/v1/notify/attestation-events',
    summary: 'Accepts an event about attestations.',
    producer: () => 'attestor',
  }),
  ingestRoute(notifier, {
    path: '/api/v1/notify/risk-events',
    summary: 'Accepts an event about risks.',
    producer: () => 'risk',
  }),
  ingestRoute(notifier, {
    path: '/api/v1/notify/pack-approvals',
    summary: 'Accepts an event about the approval of a pack.',
    producer: () => 'pack',
  }),
  route({
    ...common,
    path: '/api/v1/notify/pack-approvals/:packId/ack',
    method: 'POST',
    isBeat: true,
    bodyLimit: EVENT_BYTES,
    summary: 'Accepts that somebody took on the approval of a pack.',
    operation: notifier.acknowledgePack,
    schemas: {
      params: Type.Object({ packId: Type.String() }),
      body: schemas.acknowledgement,
      response: { 202: schemas.acceptedEvent },
    },
    input: (request) => ({ ...bodyOf(request), packId: request.params.packId }),
    answer: (accepted) => json(202, acceptedView(accepted)),
  }),
  route({
    ...common,
    path: `${CURRENT}/alertmanager`,
    method: 'POST',
    isBeat: true,
    bodyLimit: ALERTS_BYTES,
    summary: 'Accepts the alerts of an Alertmanager (webhook version 4).',
    operation: notifier.ingestAlerts,
    schemas: { body: schemas.alertmanagerWebhook, response: { 202: schemas.acceptedAlerts } },
    input: bodyOf,
    answer: (accepted) => json(202, acceptedAlertsView(accepted)),
  }),
];

/** Routes of the notifier (spec 4.8). */
export const notifierRoutes = (notifier: Notifier): Route[] => [
  ...ingestRoutes(notifier),
  ...[current, deprecated].flatMap((place) => [
    ...deliveryRoutes(notifier, place),
    ...deadLetterRoutes(notifier, place),
    ...secretRoutes(notifier, place),
  ]),
];
