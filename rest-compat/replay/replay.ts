import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { GoldenCase } from './case.ts';
import { masked, recordedPartOf, slotValues } from './slots.ts';
import type { Stage } from './stage.ts';

/** Headers that Node's server writes of itself for the connection, not for the answer. */
const NOT_OURS = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

const filled = async (text: string, { variables, fresh }: Stage): Promise<string> => {
  const parts = await Promise.all(
    text.split(/\{\{([^}]+)\}\}/).map(async (part, index) => {
      if (index % 2 === 0) return part;
      const value = variables.get(part) ?? (await fresh(part));
      if (value === undefined) throw new Error(`the request names {{${part}}}, which there is not`);
      return value;
    }),
  );
  return parts.join('');
};

/** Headers of a recorded request; a repeated name is sent repeatedly. */
const headersOf = (lines: readonly string[]): Record<string, string[]> => {
  const headers: Record<string, string[]> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    headers[name] = [...(headers[name] ?? []), line.slice(colon + 1).trim()];
  }
  return headers;
};

/** Serializes an answer: status line, our headers in order, body. */
const answerText = async (response: IncomingMessage): Promise<string> => {
  const body = await buffer(response);
  const headers = response.rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !NOT_OURS.includes(name.toLowerCase())
      ? [[name, response.rawHeaders[index + 1] ?? ''] as const]
      : [],
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

/** Sends a case's request and returns the response, masked as it would be recorded. */
export const record = async ({ request }: GoldenCase, stage: Stage): Promise<string> => {
  const sent = await filled(request, stage);
  return masked(await send(sent), stage, request);
};

/** Difference of an answer from the recorded one, or undefined. */
export const replay = async (golden: GoldenCase, stage: Stage): Promise<string | undefined> => {
  const answer = await send(await filled(golden.request, stage));
  const visible = stage.shown.reduce(
    (text, name) => text.replaceAll(`{{${name}}}`, stage.variables.get(name) ?? ''),
    golden.response,
  );
  const found = slotValues(visible, answer);
  if (!found) return `recorded:\n${golden.response}\n\nanswered:\n${masked(answer, stage, golden.request)}`;
  const bad = found.find(({ slot, value }) => !slot.isGood(value, stage));
  if (bad) return `{{${bad.slot.name}}} is not what it looks like: ${bad.value}`;
  const other = found.find(({ slot, value, recorded }) => recordedPartOf(slot, value) !== recorded);
  return other && `{{${other.slot.name} ${other.recorded}}} says ${recordedPartOf(other.slot, other.value)}`;
};
