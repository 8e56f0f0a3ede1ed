import type { Dpop } from '@landfall/kernel/identity/dpop';
import type { Deps } from '@landfall/kernel/module';
import type { Log } from '@landfall/kernel/system/log';
import type { Telemetry } from '@landfall/kernel/system/telemetry';
import type { OnBug } from '../graph/subgraph.ts';
import type { Tls } from '../http/tls.ts';
import type { GatewaySettings } from '../settings/settings.ts';

/** Services that every listener of a process shares. */
export interface Runtime {
  readonly deps: Deps;
  readonly settings: GatewaySettings;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly tls: Tls;
  readonly dpop: Dpop;
  /** Logs a failure of ours that is a part of an answer of the graph: the request’s own line knows nothing of it. */
  readonly onBug: OnBug;
}
