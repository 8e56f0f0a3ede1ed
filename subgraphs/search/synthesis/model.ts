import type { TenantId } from '@landfall/kernel/core/ids';
import type { HttpClient } from '@landfall/kernel/http/client';
import { failureOf } from '@landfall/kernel/http/failure';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Message } from './prompt.ts';

interface ModelEndpoint {
  /** Up to `/v1`. */
  readonly url: string;
  readonly model: string | undefined;
  readonly key: string | undefined;
}

interface ModelRequest {
  readonly messages: readonly Message[];
  /** The tenant's egress seal applies. */
  readonly tenant: TenantId;
  readonly correlationId: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Outcome of a request; `gone` if the caller aborted it. */
type ModelEnd = 'completed' | 'timeout' | 'unavailable' | 'gone';

/** Upper bound of an answer in bytes, frames included. */
const MAX_BYTES = 256 * 1024;
/** Upper bound of a line of the stream, in characters. */
const MAX_LINE = 64 * 1024;
const MAX_TOKENS = 600;

const part = Compile(
  Type.Object({
    choices: Type.Array(
      Type.Object({
        delta: Type.Optional(Type.Object({ content: Type.Optional(Type.Union([Type.String(), Type.Null()])) })),
        finish_reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      }),
    ),
  }),
);

class ProtocolError extends Error {
  override readonly name = 'Broken';
}

/** The values of an event stream's `data` fields, an event each (WHATWG HTML 9.2). @throws Broken */
async function* dataOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  // Fatal: a character in two chunks waits for its second part, an invalid one is an error.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  let data: string[] = [];
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split(/\r\n|\n|\r(?!$)/u);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) throw new ProtocolError('a line without end');
    for (const line of lines) {
      if (line === '' && data.length > 0) {
        yield data.join('\n');
        data = [];
      } else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
    }
  }
  // Some servers omit the blank line after the last event.
  if (rest.startsWith('data:')) data.push(rest.slice(5).trim());
  if (data.length > 0) yield data.join('\n');
}

/** Pieces of text up to the end of the answer. @throws ProtocolError for a truncated stream */
async function* textOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let hasFinished = false;
  for await (const data of dataOf(body)) {
    if (data.trim() === '[DONE]') return;
    const value: unknown = JSON.parse(data);
    if (!part.Check(value)) throw new ProtocolError('an event of another protocol');
    const [choice] = value.choices;
    if (choice?.delta?.content) yield choice.delta.content;
    hasFinished ||= typeof choice?.finish_reason === 'string';
  }
  if (!hasFinished) throw new ProtocolError('the stream ended before the answer');
}

const endpointOf = (url: string): string => `${url.replace(/\/+$/u, '')}/chat/completions`;

export const createModel = (http: HttpClient, { url, model, key }: ModelEndpoint) => {
  const address = endpointOf(url);
  // The operator configured the address, so it may be anywhere.
  const configured = new Set([new URL(address).origin]);

  const send = ({ messages, tenant, correlationId, timeoutMs, signal }: ModelRequest) =>
    http.stream({
      url: address,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({
        ...(model !== undefined && { model }),
        messages,
        stream: true,
        temperature: 0,
        max_tokens: MAX_TOKENS,
      }),
      tenant,
      configured,
      correlationId,
      plainHttp: 'anywhere',
      timeouts: { headers: timeoutMs, body: timeoutMs, total: timeoutMs },
      maxBytes: MAX_BYTES,
      signal,
    });

  const endOf = (error: unknown, signal: AbortSignal): { end: ModelEnd; reason: string } => {
    if (signal.aborted) return { end: 'gone', reason: 'the client has gone' };
    if (error instanceof ProtocolError || error instanceof SyntaxError || error instanceof TypeError)
      return { end: 'unavailable', reason: error.message };
    const { kind, message } = failureOf(error);
    return { end: kind === 'timeout' ? 'timeout' : 'unavailable', reason: message };
  };

  return {
    /** Streams the answer's text to `take`. Failures of the endpoint are returned, not thrown. */
    async ask(request: ModelRequest, onText: (piece: string) => void): Promise<{ end: ModelEnd; reason?: string }> {
      const answer = await send(request);
      if (answer.kind === 'aborted') return { end: 'gone', reason: answer.message };
      if (answer.kind !== 'response')
        return { end: answer.kind === 'timeout' ? 'timeout' : 'unavailable', reason: answer.message };
      try {
        const type = answer.headers['content-type'] ?? '';
        if (answer.status !== 200) return { end: 'unavailable', reason: `it answers ${answer.status}` };
        if (!/^text\/event-stream\b/iu.test(type)) return { end: 'unavailable', reason: `it answers in ${type}` };
        for await (const piece of textOf(answer.body)) onText(piece);
        return { end: 'completed' };
      } catch (error) {
        return endOf(error, request.signal);
      } finally {
        // The rest of an abandoned answer is not read: the connection closes.
        answer.body.destroy();
      }
    },
  };
};

export type Model = ReturnType<typeof createModel>;
