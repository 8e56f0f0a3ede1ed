import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from './log.ts';
import type { Tags } from './telemetry.ts';

/** Work that ended, as a span tells it. */
interface EndedWork {
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly attributes: Tags;
  /** Reason of its failure; null for work that succeeded. */
  readonly error: string | null;
}

/** Records spans of work that this process does for others or asks of them. Their names are exactly those of spec 6.7. */
export interface Tracer {
  span(name: string, work: EndedWork): void;
}

interface TracingOptions {
  readonly version: string;
  readonly log: Log;
  /** Sends an `ExportTraceServiceRequest` of OTLP in JSON. Throws an Error with the reason if it was not taken. */
  readonly send: (request: Uint8Array) => Promise<void>;
}

/** Creates the exporter of a process. The log has the first failure, and the first success after it. */
const createExporter = async ({ log, send }: TracingOptions): Promise<SpanExporter> => {
  const [{ JsonTraceSerializer }, { ExportResultCode }] = await Promise.all([
    import('@opentelemetry/otlp-transformer'),
    import('@opentelemetry/core'),
  ]);
  let isFailing = false;
  const post = async (spans: ReadableSpan[]): Promise<void> => {
    try {
      await send(JsonTraceSerializer.serializeRequest(spans) ?? new Uint8Array());
      if (isFailing) log.info('spans are exported again');
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'spans are not exported');
      isFailing = true;
    }
  };
  return {
    export(spans, done) {
      // The log has the failure already. Spans are not repeated, and the end of the process is no failure because of them.
      void post(spans).then(() => done({ code: ExportResultCode.SUCCESS }));
    },
    shutdown: async () => {},
  };
};

/**
 * Starts the export of a process's spans in batches. The libraries are loaded here, so that a process that exports none
 * does without them. Spans beyond 2,048 that wait are dropped: a collector that is down costs no memory.
 */
export const startTracing = async (options: TracingOptions) => {
  const [{ BatchSpanProcessor, TracerProvider }, { resourceFromAttributes }, { SpanKind, SpanStatusCode }] =
    await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/api'),
    ]);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'landfall', 'service.version': options.version }),
    spanProcessors: [new BatchSpanProcessor({ exporter: await createExporter(options) })],
  });
  return {
    /** Tracer of a part of the process. */
    tracer(scope: string): Tracer {
      const tracer = provider.getTracer(scope);
      return {
        span(name, { startedAt, durationMs, attributes, error }) {
          const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime: startedAt, attributes });
          span.setStatus(error === null ? { code: SpanStatusCode.OK } : { code: SpanStatusCode.ERROR, message: error });
          span.end(new Date(startedAt.getTime() + durationMs));
        },
      };
    },
    /** Exports what waits. */
    close: (): Promise<void> => provider.shutdown(),
  };
};

export type Tracing = Awaited<ReturnType<typeof startTracing>>;
