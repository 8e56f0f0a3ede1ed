import type { Caller } from '@landfall/kernel/core/caller';
import type { AccessOperations } from './access/access.ts';
import type { RegistryConfiguration } from './configuration/registry-configuration.ts';
import type { Tokens } from './tokens/tokens.ts';

export interface Context {
  readonly caller: Caller;
  readonly access: AccessOperations;
  readonly signing: RegistryConfiguration;
  readonly tokens: Tokens;
}
