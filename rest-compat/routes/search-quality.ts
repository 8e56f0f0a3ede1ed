import { plain } from '@landfall/kernel/routes/dialects/plain';
import { json, type Route, route } from '@landfall/kernel/routes/route';
import type { Search } from '@landfall/search';
import Type from 'typebox';
import { uuid } from '../views/parts.ts';
import { projection } from '../views/projection.ts';
import * as schemas from '../views/search-quality.schemas.ts';
import { input } from './query-parameters.ts';

const BASE = '/v1/advisory-ai/search';

const common = { module: 'search', dialect: plain } as const;

type Quality = Search['quality'];

const historyView = projection(schemas.historyList);
const metricsView = projection(schemas.metrics);
const alertView = projection(schemas.alert);
const alertsView = projection(schemas.alertList);

const nothing = () => ({ status: 204 });

const usageRoutes = ({ analytics, feedback }: Quality): Route[] => [
  route({
    ...common,
    method: 'POST',
    path: `${BASE}/analytics`,
    summary: 'Tells what became of queries, at most 100 events at once.',
    operation: analytics.record,
    schemas: { body: schemas.analyticsBatch, response: { 204: schemas.nothing } },
    input: ({ body }) => body,
    answer: nothing,
  }),
  route({
    ...common,
    method: 'POST',
    path: `${BASE}/feedback`,
    summary: 'Says whether a card answered a query.',
    operation: feedback.send,
    schemas: { body: schemas.feedbackRequest, response: { 201: schemas.feedback } },
    input: ({ body }) => body,
    answer: ({ feedbackId }) => json(201, { feedbackId }),
  }),
];

const historyRoutes = ({ history }: Quality): Route[] => [
  route({
    ...common,
    method: 'GET',
    path: `${BASE}/history`,
    summary: 'The caller’s own latest queries, at most 50, the newest first.',
    operation: history.list,
    schemas: { response: { 200: schemas.historyList } },
    input: () => ({}),
    answer: (entries) => json(200, historyView({ items: entries })),
  }),
  route({
    ...common,
    method: 'DELETE',
    path: `${BASE}/history`,
    summary: 'Removes all of the caller’s history.',
    operation: history.clear,
    schemas: { response: { 204: schemas.nothing } },
    input: () => ({}),
    answer: nothing,
  }),
  route({
    ...common,
    method: 'DELETE',
    path: `${BASE}/history/:historyId`,
    summary: 'Removes one entry of the caller’s history.',
    operation: history.clear,
    schemas: { params: Type.Object({ historyId: uuid }), response: { 204: schemas.nothing } },
    input: ({ params }) => ({ historyId: params.historyId }),
    answer: nothing,
  }),
];

const qualityRoutes = ({ metrics, alerts }: Quality): Route[] => [
  route({
    ...common,
    method: 'GET',
    path: `${BASE}/quality/metrics`,
    summary: 'Quality of search over a day, a week or a month.',
    operation: metrics.read,
    schemas: {
      query: Type.Object({ period: Type.Optional(Type.Enum(['24h', '7d', '30d'])) }),
      response: { 200: schemas.metrics },
    },
    input: (request) => ({ period: input(request, 'period') }),
    answer: (read) => json(200, metricsView(read)),
  }),
  route({
    ...common,
    method: 'GET',
    path: `${BASE}/quality/alerts`,
    summary: 'Unresolved alerts of the quality monitor, newest first; with a status, the alerts of that status.',
    operation: alerts.list,
    schemas: {
      query: Type.Object({
        status: Type.Optional(Type.Enum(['open', 'acknowledged', 'resolved'])),
        alertType: Type.Optional(Type.Enum(['fallback_loop', 'abandoned_fallback'])),
      }),
      response: { 200: schemas.alertList },
    },
    input: (request) => ({ status: input(request, 'status'), alertType: input(request, 'alertType') }),
    answer: (raised) => json(200, alertsView({ items: raised })),
  }),
  route({
    ...common,
    method: 'PATCH',
    path: `${BASE}/quality/alerts/:alertId`,
    summary: 'Acknowledges or resolves an alert.',
    operation: alerts.update,
    schemas: {
      params: Type.Object({ alertId: uuid }),
      body: schemas.alertUpdate,
      response: { 200: schemas.alert },
    },
    input: ({ params, body }) => ({ ...(typeof body === 'object' ? body : {}), alertId: params.alertId }),
    answer: (alert) => json(200, alertView(alert)),
  }),
];

/** Routes of search quality (spec 4.7): analytics, history, feedback, metrics and alerts. */
export const searchQualityRoutes = ({ quality }: Pick<Search, 'quality'>): Route[] => [
  ...usageRoutes(quality),
  ...historyRoutes(quality),
  ...qualityRoutes(quality),
];
