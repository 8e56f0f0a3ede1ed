import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** Builds an instant vector of these values, in Prometheus's response format. */
export const vector = (...values: readonly string[]) => ({
  status: 'success',
  data: { resultType: 'vector', result: values.map((value) => ({ metric: {}, value: [1_700_000_000.1, value] })) },
});

/** Starts a fake metrics server whose answers the test chooses, and records its requests. */
export const startMetricsServer = async () => {
  const requests: { readonly url: URL; readonly authorization: string | undefined }[] = [];
  let answer: (response: ServerResponse) => void = () => undefined;
  const server = createServer((request: IncomingMessage, response) => {
    requests.push({ url: new URL(request.url ?? '/', 'http://server'), authorization: request.headers.authorization });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    origin: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    asked: requests,
    /** Query of the last request. */
    query: (): string => requests.at(-1)?.url.searchParams.get('query') ?? '',
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
