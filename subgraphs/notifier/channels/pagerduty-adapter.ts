import { deliveredBy, type PostAnswer, postMessage } from './http-post.ts';
import { jsonObject } from './json-answer.ts';
import type { Send } from './send.ts';
import type { SendOutcome } from './send-outcome.ts';

const EVENTS = 'https://events.pagerduty.com';

/** `dedup_key` of the answer: acknowledgements of the pager refer to it (spec 2.9). */
const outcome = (answer: PostAnswer): SendOutcome => {
  const { dedup_key: key } = jsonObject(answer.body);
  return deliveredBy(answer, typeof key === 'string' ? key : null);
};

/** Sends an event to PagerDuty (Events API v2); the message has everything but the routing key. */
export const sendToPagerduty: Send<'pagerduty'> = (surroundings, { tenant, config, credential }, message) =>
  postMessage(
    surroundings,
    {
      tenant,
      url: `${config.eventsUrl ?? EVENTS}/v2/enqueue`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...jsonObject(message.body), routing_key: credential.routingKey }),
      correlationId: message.correlationId,
      signal: message.signal,
    },
    outcome,
  );
