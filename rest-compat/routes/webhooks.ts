import { envelope } from '@landfall/kernel/routes/dialects/envelope';
import { json, protocolRoute, type Route } from '@landfall/kernel/routes/route';
import type { Orchestrator } from '@landfall/orchestrator';
import Type from 'typebox';

/** Largest body of a webhook, in bytes: registries send several events at once. */
const BODY_LIMIT = 256 * 1024;

const outcome = Type.Object({
  isHastened: Type.Boolean(),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Reason why the next poll stays when it was.' }),
});

/** Routes that registries call after a push. */
export const webhookRoutes = ({ receiveWebhook }: Orchestrator): readonly Route[] => [
  protocolRoute({
    method: 'POST',
    module: 'orchestrator',
    dialect: envelope,
    knowsCallers: true,
    accepts: 'text',
    bodyLimit: BODY_LIMIT,
    path: '/api/v1/webhooks/registries/:tenant/:source',
    summary:
      'Hastens the poll of a release source: a webhook of Docker Registry, Harbor, GitHub, GitLab or Quay with the source’s secret.',
    schemas: {
      params: Type.Object({ tenant: Type.String(), source: Type.String() }),
      body: Type.String(),
      response: { 202: outcome },
    },
    async handle({ params: { tenant = '', source = '' }, headers, body, address }) {
      const text = typeof body === 'string' ? body : '';
      return json(202, await receiveWebhook({ tenant, source, headers, body: text, address }));
    },
  }),
];
