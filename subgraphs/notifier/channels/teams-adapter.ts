import { deliveredBy, postMessage } from './http-post.ts';
import type { Send } from './send.ts';

/** Sends an Adaptive Card to the webhook of a Workflows flow, which answers 202. */
export const sendToTeams: Send<'teams'> = (surroundings, { tenant, credential }, message) =>
  postMessage(
    surroundings,
    {
      tenant,
      url: credential.webhookUrl,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: message.body,
      correlationId: message.correlationId,
      signal: message.signal,
    },
    (answer) => deliveredBy(answer),
  );
