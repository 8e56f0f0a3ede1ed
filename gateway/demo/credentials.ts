/** Content of `credentials.json`: names, passwords and ids for people and programs that use the demo. */
export interface Credentials {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly agentUrl: string;
  readonly tenant: string;
  readonly users: readonly UserCredentials[];
  readonly clients: readonly ClientCredentials[];
  /** Ids of things that the story left behind, by what they are good for. */
  readonly ids: Readonly<Record<string, string>>;
}

export interface UserCredentials {
  readonly username: string;
  readonly password: string;
  /** Scopes of this person's sessions. */
  readonly scopes: readonly string[];
}

export interface ClientCredentials {
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
}
