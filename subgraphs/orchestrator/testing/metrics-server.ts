import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** An instant vector of these values, as Prometheus answers it. */
export const vector = (...values: readonly string[]) => ({
  status: 'success',
  data: { resultType: 'vector', result: values.map((value) => ({ metric: {}, value: [1_700_000_000.1, value] })) },
});

/** A metrics server that answers as the test says, and what it was asked. */
export const startMetricsServer = async () => {
  const asked: { readonly url: URL; readonly authorization: string | undefined }[] = [];
  let answer: (response: ServerResponse) => void = () => undefined;
  const server = createServer((request: IncomingMessage, response) => {
    asked.push({ url: new URL(request.url ?? '/', 'http://server'), authorization: request.headers.authorization });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    origin: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    asked,
    /** The last query it was asked. */
    query: (): string => asked.at(-1)?.url.searchParams.get('query') ?? '',
    answers(status: number, body: unknown) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      answer = (response) => void response.writeHead(status).end(text);
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};
