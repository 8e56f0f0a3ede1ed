import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { GoldenCase } from './case.ts';
import { masked, slotValues } from './slots.ts';
import type { Stage } from './stage.ts';

/** Headers that Node's server writes of itself for the connection, not for the answer. */
const NOT_OURS = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

const filled = (text: string, { variables, fresh }: Stage): string =>
  text.replace(/\{\{([^}]+)\}\}/g, (_, name: string) => {
    const value = variables.get(name) ?? fresh(name);
    if (value === undefined) throw new Error(`the request names {{${name}}}, which there is not`);
    return value;
  });

const headersOf = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );

/** The answer as text: status line, our headers in their order, body. */
const answerText = async (response: IncomingMessage): Promise<string> => {
  const body = await buffer(response);
  const headers = response.rawHeaders.flatMap((name, at) =>
    at % 2 === 0 && !NOT_OURS.includes(name.toLowerCase()) ? [[name, response.rawHeaders[at + 1] ?? ''] as const] : [],
  );
  const lines = headers.map(([name, value]) => {
    if (name.toLowerCase() !== 'content-length') return `${name}: ${value}`;
    if (Number(value) !== body.length) throw new Error(`content-length ${value} of a body of ${body.length} bytes`);
    return `${name}: {{length}}`;
  });
  const head = [`HTTP/${response.httpVersion} ${response.statusCode} ${response.statusMessage}`, ...lines].join('\n');
  return `${head}\n\n${body.toString()}`.trimEnd();
};

const send = async (request: string): Promise<string> => {
  const [head = '', ...parts] = request.split('\n\n');
  const [line = '', ...headerLines] = head.split('\n');
  const [method = '', url = ''] = line.split(' ');
  const body = parts.join('\n\n');
  const outgoing = httpRequest(url, { method, headers: headersOf(headerLines), agent: false });
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  return answerText(response);
};

/** Sends a case's request and answers with what came, masked as it would be recorded. */
export const record = async ({ request }: GoldenCase, stage: Stage): Promise<string> => {
  const sent = filled(request, stage);
  return masked(await send(sent), stage, request);
};

/** How an answer differs from the recorded one, or undefined. */
export const replay = async (golden: GoldenCase, stage: Stage): Promise<string | undefined> => {
  const answer = await send(filled(golden.request, stage));
  const shown = stage.shown.reduce(
    (text, name) => text.replaceAll(`{{${name}}}`, stage.variables.get(name) ?? ''),
    golden.response,
  );
  const found = slotValues(shown, answer);
  if (!found) return `recorded:\n${golden.response}\n\nanswered:\n${masked(answer, stage, golden.request)}`;
  const bad = found.find(({ slot, value }) => !slot.isGood(value, stage));
  return bad && `{{${bad.slot.name}}} is not what it looks like: ${bad.value}`;
};
