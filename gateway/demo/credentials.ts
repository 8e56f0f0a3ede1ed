import type { DemoClient } from '@landfall/kernel/demo/chapter';

/** Content of `credentials.json`: names, passwords and ids for people and programs that use the demo. */
export interface Credentials {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly agentUrl: string;
  readonly tenant: string;
  readonly users: readonly UserCredentials[];
  readonly clients: readonly DemoClient[];
  /** Ids of the demo's entities by use. */
  readonly ids: Readonly<Record<string, string>>;
}

export interface UserCredentials {
  readonly username: string;
  readonly password: string;
  /** Scopes of this person's sessions. */
  readonly scopes: readonly string[];
}
