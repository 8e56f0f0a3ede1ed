import { deliveredBy, type HttpPost, postMessage } from './http-post.ts';
import type { Send } from './send.ts';
import { signatureHeaders } from './webhook-signature.ts';

/** Sends a delivery to a webhook, signed by every secret in force. 2xx is its confirmation. */
export const sendToWebhook: Send<'webhook'> = (surroundings, { tenant, config, secrets }, message) => {
  const timestamp = Math.floor(surroundings.clock.now().getTime() / 1_000);
  const post: HttpPost = {
    tenant,
    url: message.address ?? config.url,
    isPersonal: message.address !== null,
    headers: {
      'content-type': message.contentType,
      ...signatureHeaders({ id: `msg_${message.deliveryId}`, timestamp, body: message.body }, secrets),
    },
    body: message.body,
    correlationId: message.correlationId,
    signal: message.signal,
  };
  return postMessage(surroundings, post, (answer) => deliveredBy(answer));
};
