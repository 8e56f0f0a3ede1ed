import { deliveredBy, type PostAnswer, postMessage, rejectedBy } from './http-post.ts';
import { jsonObject } from './json-answer.ts';
import type { Send } from './send.ts';
import { failed, type SendOutcome } from './send-outcome.ts';

const API = 'https://slack.com/api';
/** Errors of the Web API that pass by themselves. */
const PASSING = new Set(['ratelimited', 'internal_error', 'fatal_error', 'service_unavailable', 'request_timeout']);

/** The Web API answers 200 to what it refuses, with `ok` false. */
const apiOutcome = (answer: PostAnswer): SendOutcome => {
  const { ok, ts, error } = jsonObject(answer.body);
  if (ok === true) return deliveredBy(answer, typeof ts === 'string' ? ts : null);
  const reason = typeof error === 'string' ? error.slice(0, 100) : 'an answer that is not of its API';
  return rejectedBy(answer, `Slack refused the message: ${reason}.`, PASSING.has(reason));
};

/** Sends a message to Slack, by an incoming webhook or as a bot. */
export const sendToSlack: Send<'slack'> = (surroundings, { tenant, config, credential }, message) => {
  const { webhookUrl, botToken } = credential;
  const common = { tenant, correlationId: message.correlationId, signal: message.signal };
  if (webhookUrl !== undefined && message.address === null) {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    return postMessage(surroundings, { ...common, url: webhookUrl, headers, body: message.body }, (answer) =>
      deliveredBy(answer),
    );
  }
  const channel = message.address ?? config.channel;
  if (botToken === undefined || channel === undefined)
    return Promise.resolve(failed('credential', 'The channel has no bot that could send this.', false));
  const headers = { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${botToken}` };
  const body = JSON.stringify({ ...jsonObject(message.body), channel });
  const url = `${config.apiUrl ?? API}/chat.postMessage`;
  return postMessage(surroundings, { ...common, url, headers, body }, apiOutcome);
};
