import { deliveredBy, type PostAnswer, postMessage, rejectedBy } from './http-post.ts';
import { jsonObject } from './json-answer.ts';
import type { Send } from './send.ts';
import { failed, type SendOutcome } from './send-outcome.ts';

const API = 'https://slack.com/api';
/** Errors of the Web API that pass by themselves. */
const PASSING = new Set(['ratelimited', 'internal_error', 'fatal_error', 'service_unavailable', 'request_timeout']);

/**
 * Errors of an update whose message can no longer be changed, so that a new one is posted. An update finds no channel that
 * is given by its name, which a post does.
 */
const GONE = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed', 'channel_not_found']);

/** The Web API answers 200 to what it refuses, with `ok` false. */
const apiOutcome = (answer: PostAnswer): SendOutcome => {
  const { ok, ts, error } = jsonObject(answer.body);
  if (ok === true) return deliveredBy(answer, typeof ts === 'string' ? ts : null);
  const reason = typeof error === 'string' ? error.slice(0, 100) : 'an answer that is not of its API';
  return rejectedBy(answer, `Slack refused the message: ${reason}.`, PASSING.has(reason));
};

/** Sends a message to Slack, by an incoming webhook or as a bot. A bot updates the earlier message of a group. */
export const sendToSlack: Send<'slack'> = async (surroundings, { tenant, config, credential }, message) => {
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
    return failed('credential', 'The channel has no bot that could send this.', false);
  const headers = { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${botToken}` };
  const call = (
    method: string,
    facts: Readonly<Record<string, string>>,
    outcome: (answer: PostAnswer) => SendOutcome,
  ) => {
    const url = `${config.apiUrl ?? API}/${method}`;
    const body = JSON.stringify({ ...jsonObject(message.body), channel, ...facts });
    return postMessage(surroundings, { ...common, url, headers, body }, outcome);
  };
  if (message.updates !== null) {
    let isGone = false;
    const updated = await call('chat.update', { ts: message.updates }, (answer) => {
      isGone = GONE.has(String(jsonObject(answer.body).error));
      return apiOutcome(answer);
    });
    if (!isGone) return updated;
  }
  return call('chat.postMessage', {}, apiOutcome);
};
