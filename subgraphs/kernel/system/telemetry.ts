import { monitorEventLoopDelay } from 'node:perf_hooks';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { Log } from './log.ts';

/** Attributes of a measurement or a span. */
export type Tags = Readonly<Record<string, string | number | boolean>>;

interface Instrument {
  readonly description: string;
  /** UCUM: `ms`, `s`, `By`. */
  readonly unit?: string;
}

/** Creates instruments. Their names are exactly those of spec 6.7. */
export interface Meter {
  counter(name: string, instrument: Instrument): (tags?: Tags, by?: number) => void;
  /** Buckets fit the unit: milliseconds, seconds or bytes. */
  histogram(name: string, instrument: Instrument): (value: number, tags?: Tags) => void;
  /** Read when the metrics are: one value for each set of tags. */
  gauge(name: string, instrument: Instrument, read: () => Iterable<readonly [value: number, tags?: Tags]>): void;
}

const buckets: Readonly<Record<string, readonly number[]>> = {
  ms: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000],
  s: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300],
  By: [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10],
};

const meterOf = (meter: ReturnType<MeterProvider['getMeter']>): Meter => ({
  counter(name, instrument) {
    const counter = meter.createCounter(name, instrument);
    return (tags, by = 1) => counter.add(by, tags);
  },
  histogram(name, instrument) {
    const explicitBucketBoundaries = [...(buckets[instrument.unit ?? ''] ?? [])];
    const advice = explicitBucketBoundaries.length > 0 ? { advice: { explicitBucketBoundaries } } : {};
    const histogram = meter.createHistogram(name, { ...instrument, ...advice });
    return (value, tags) => histogram.record(value, tags);
  },
  gauge(name, instrument, read) {
    meter.createObservableGauge(name, instrument).addCallback((result) => {
      for (const [value, tags] of read()) result.observe(value, tags);
    });
  },
});

const observeProcess = (meter: Meter, delay: ReturnType<typeof monitorEventLoopDelay>): void => {
  meter.gauge('process.cpu.time', { description: 'CPU time used.', unit: 's' }, () => {
    const { user, system } = process.cpuUsage();
    return [
      [user / 1e6, { mode: 'user' }],
      [system / 1e6, { mode: 'system' }],
    ];
  });
  meter.gauge('process.memory.usage', { description: 'Resident memory.', unit: 'By' }, () => [
    [process.memoryUsage.rss()],
  ]);
  meter.gauge('process.uptime', { description: 'Time since the process started.', unit: 's' }, () => [
    [process.uptime()],
  ]);
  meter.gauge(
    'nodejs.eventloop.delay',
    { description: 'How late timers are, since the last reading.', unit: 's' },
    () => {
      const quantiles = [50, 99].map((q) => [delay.percentile(q) / 1e9, { quantile: q / 100 }] as const);
      const worst = [delay.max / 1e9, { quantile: 1 }] as const;
      delay.reset();
      return [...quantiles, worst];
    },
  );
};

/** Metrics of one process. Nothing is global: each module receives a meter. */
export const createTelemetry = (log: Log) => {
  // The exporter's own server is not started; the admin listener asks for the text.
  const reader = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [reader] });
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  const delay = monitorEventLoopDelay();
  delay.enable();
  const meter = (name: string): Meter => meterOf(provider.getMeter(name));
  observeProcess(meter('process'), delay);
  return {
    meter,
    /** Measurements so far, in the Prometheus text format: the admin listener serves them at `/metrics`. */
    async prometheus(): Promise<string> {
      const { resourceMetrics, errors } = await reader.collect();
      // One gauge that cannot be read must not hide all the others.
      for (const error of errors) log.error({ err: error }, 'a metric cannot be read');
      return serializer.serialize(resourceMetrics);
    },
    async close(): Promise<void> {
      delay.disable();
      await provider.shutdown();
    },
  };
};

export type Telemetry = ReturnType<typeof createTelemetry>;
