import type { Dpop } from '@landfall/kernel/identity/dpop';
import type { Deps } from '@landfall/kernel/module';
import type { Log } from '@landfall/kernel/system/log';
import type { Telemetry } from '@landfall/kernel/system/telemetry';
import type { OnBug } from '../graph/subgraph.ts';
import type { Tls } from '../http/tls.ts';
import type { GatewaySettings } from '../settings/settings.ts';

/** Services that all listeners of a process share. */
export interface Runtime {
  readonly deps: Deps;
  readonly settings: GatewaySettings;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly tls: Tls;
  readonly dpop: Dpop;
  /** Logs an internal error inside a graph answer, which the request’s own log line does not show. */
  readonly onBug: OnBug;
}
