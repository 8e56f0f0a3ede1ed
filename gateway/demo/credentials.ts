/** What `credentials.json` holds: everything a person or a program needs to use the demo. */
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
  /** What a session of this person may do. */
  readonly scopes: readonly string[];
}

export interface ClientCredentials {
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
}
