import { createServer, STATUS_CODES } from 'node:http';
import { failure, systemCode } from '../protocol/failure.ts';

/** Upper bounds of the latency histogram, in seconds. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

export type Role = 'current' | 'candidate' | 'none';

type Labels = Readonly<{ target: string; component: string; role: Role; digest: string }>;

/**
 * Counters of one release in one role. A request counts in the series it began with, even if that was removed since.
 */
export type Series = Readonly<{ labels: Labels; note(status: number, seconds: number): void }>;

type Counts = { readonly codes: Map<string, number>; readonly buckets: number[]; sum: number; count: number };
type CountedSeries = Series & { readonly counts: Counts };

/** Label of a status code; an unregistered one is counted by its class. */
const codeOf = (status: number): string =>
  status === 499 || status in STATUS_CODES ? String(status) : `${Math.floor(status / 100)}xx`;

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');

const textOf = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');

/** Statuses exported from the start, so that the failure rate of a release without failures is 0 instead of unknown. */
const alwaysRecorded = ['200', '500'] as const;

const createSeries = (labels: Labels): CountedSeries => {
  const counts: Counts = {
    codes: new Map(alwaysRecorded.map((code) => [code, 0])),
    buckets: bounds.map(() => 0),
    sum: 0,
    count: 0,
  };
  return {
    labels,
    counts,
    note(status, seconds) {
      const code = codeOf(status);
      counts.codes.set(code, (counts.codes.get(code) ?? 0) + 1);
      counts.count += 1;
      counts.sum += seconds;
      const first = bounds.findIndex((bound) => seconds <= bound);
      if (first >= 0) counts.buckets[first] = (counts.buckets[first] ?? 0) + 1;
    },
  };
};

const requests = 'landfall_agent_requests_total';
const duration = 'landfall_agent_request_duration_seconds';

const requestLines = ({ labels, counts }: CountedSeries): string[] =>
  [...counts.codes].map(([code, count]) => `${requests}{${textOf({ ...labels, code })}} ${count}`);

const durationLines = ({ labels, counts: { buckets, sum, count } }: CountedSeries): string[] => {
  const text = textOf(labels);
  let below = 0;
  const lines = bounds.map((bound, i) => {
    below += buckets[i] ?? 0;
    return `${duration}_bucket{${text},le="${bound}"} ${below}`;
  });
  return [
    ...lines,
    `${duration}_bucket{${text},le="+Inf"} ${count}`,
    `${duration}_sum{${text}} ${sum}`,
    `${duration}_count{${text}} ${count}`,
  ];
};

/** Creates the Prometheus metrics of this agent's routers (text exposition format 0.0.4). */
export const createMetrics = () => {
  const series = new Map<string, CountedSeries>();

  return {
    /** Creates or finds the counters with these labels. */
    series(labels: Labels): Series {
      const key = textOf(labels);
      const known = series.get(key) ?? createSeries(labels);
      series.set(key, known);
      return known;
    },

    /** Removes the counters of a component's other releases, so that the metrics do not grow with each deployment. */
    keep(target: string, component: string, digests: readonly string[]): void {
      for (const [key, { labels }] of series)
        if (labels.target === target && labels.component === component && !digests.includes(labels.digest))
          series.delete(key);
    },

    text(): string {
      const all = [...series.values()];
      return [
        `# HELP ${requests} Requests that the routers of this agent carried, by the release that answered.`,
        `# TYPE ${requests} counter`,
        ...all.flatMap(requestLines),
        `# HELP ${duration} From a request's head to the end of its answer.`,
        `# TYPE ${duration} histogram`,
        ...all.flatMap(durationLines),
        '',
      ].join('\n');
    },
  };
};

export type Metrics = ReturnType<typeof createMetrics>;

/** Serves `GET /metrics` on a loopback port. Raises AGT_TASK_FAILED (`port-taken`). */
export const serveMetrics = async (metrics: Metrics, port: number) => {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') response.writeHead(404).end();
    else if (request.method !== 'GET' && request.method !== 'HEAD')
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
    else response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(metrics.text());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        failure('AGT_TASK_FAILED', 'port-taken', `cannot serve metrics on 127.0.0.1:${port}: ${systemCode(error)}`),
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async [Symbol.asyncDispose](): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};
