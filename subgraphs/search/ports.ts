import type { Upstream } from '@landfall/kernel/module';
import type { Meter } from '@landfall/kernel/system/telemetry';
import type { Knowledge } from './knowledge/documents.ts';

export interface SearchPorts {
  readonly upstream: Upstream;
  /** Read whenever the knowledge corpus is rebuilt. */
  readonly knowledge: () => Promise<Knowledge>;
  readonly meter?: Meter | undefined;
}

export interface SearchLocation {
  readonly dataDir: string;
  readonly baseUrl: string;
}
