import type { Deps } from '@landfall/kernel/module';
import { startTracing, type Tracing } from '@landfall/kernel/system/tracing';
import type { GatewaySettings } from '../settings/settings.ts';
import { version } from '../settings/version.ts';

/** Time for one export, in milliseconds: OpenTelemetry's default. */
const TIMEOUT_MS = 10_000;

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** Headers of a setting such as `authorization=Bearer%20x`, as OpenTelemetry writes them. Throws for an entry that is none. */
const otlpHeaders = (entries: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    entries.map((entry) => {
      const [, name, text = '%'] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(.*?)\s*$/.exec(entry) ?? [];
      const value = decoded(text);
      if (name === undefined || value === undefined)
        throw new Error('Telemetry:OtlpHeaders (OTEL_EXPORTER_OTLP_HEADERS): an entry is not name=value.');
      return [name.toLowerCase(), value];
    }),
  );

/**
 * Starts the export of spans to the collector of the setting, over OTLP/HTTP in JSON; undefined without a collector. A
 * seal blocks it like any other destination unless a rule of the strictest tenant admits it (ruling 44).
 */
export const startSpanExport = async (
  { http, ids, log }: Pick<Deps, 'http' | 'ids' | 'log'>,
  { otlpEndpoint, otlpHeaders: entries }: GatewaySettings,
): Promise<Tracing | undefined> => {
  if (otlpEndpoint === undefined) return undefined;
  const url = `${otlpEndpoint.replace(/\/+$/, '')}/v1/traces`;
  const request = {
    url,
    method: 'POST',
    headers: { ...otlpHeaders(entries), 'content-type': 'application/json' },
    configured: new Set([new URL(url).origin]),
    plainHttp: 'anywhere',
    feature: 'telemetry',
    timeouts: { total: TIMEOUT_MS },
  } as const;
  return startTracing({
    version,
    log,
    async send(body) {
      const answer = await http.send({ ...request, body, correlationId: ids.uuid() });
      if (answer.kind !== 'response') throw new Error(answer.message);
      if (answer.status >= 300) throw new Error(`The collector answered ${answer.status}.`);
    },
  });
};
