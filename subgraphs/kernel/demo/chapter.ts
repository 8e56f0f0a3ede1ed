import type { Static, TSchema } from 'typebox';
import type { CommandHost } from '../operator/command.ts';
import type { Log } from '../system/log.ts';

/** Console session of one person, for GraphQL requests. */
export interface GraphSession {
  /** Runs an operation and decodes its `data` by `shape`. Throws with the answer's codes if it is refused. */
  ask<T extends TSchema>(document: string, variables: object, shape: T): Promise<Static<T>>;
}

/** Client of the demo, as `credentials.json` names it. */
export interface DemoClient {
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
}

/** Random choices of the demo, stored, so that an interrupted demo continues with the same ones. */
export interface DemoState {
  /** A random secret of this name that a person can type: 99 bits, in four groups. */
  secret(name: string): Promise<string>;
  /** Stores an externally chosen secret; the first value stays. */
  keep(name: string, secret: string): Promise<string>;
  /** The stored secret of this name; undefined where there is none yet. */
  find(name: string): Promise<string | undefined>;
  /** A loopback port of this name that was free when it was chosen, as were the `count - 1` after it. */
  port(name: string, count?: number): Promise<number>;
}

/** Server that the demo is created on, and its own files. */
export interface DemoStage {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly agentUrl: string;
  /** Private directory of the demo. */
  readonly directory: string;
  readonly log: Log;
  /** Installation of the server, for what an operator does by a command. */
  readonly host: CommandHost;
  readonly memory: DemoState;
  /** Disposed of when the server stops. */
  readonly running: AsyncDisposableStack;
}

/** People and clients of the demo. */
export interface DemoAccounts {
  readonly admin: GraphSession;
  readonly manager: GraphSession;
  readonly approver: GraphSession;
  /** Administrator of the second tenant. */
  readonly otherAdmin: GraphSession;
  /** @throws Error when the demo has no client of that name */
  client(name: string): DemoClient;
}

interface OpenChapter {
  /** Creates the chapter's data through the public API. @returns ids for `credentials.json`, by their use */
  create(accounts: DemoAccounts): Promise<Readonly<Record<string, string>>>;
  /** Continues at a later start. @param admin asked for only when something needs an administrator */
  resume?(admin: () => Promise<GraphSession>): Promise<void>;
}

/** Part of the demo that a module provides. */
export interface DemoChapter {
  /** Position among the chapters, lowest first. */
  readonly order: number;
  /** Settings for the demo, where the operator has given none. */
  settings?(given: object): object;
  /** Starts what the chapter needs beside the server. */
  open(stage: DemoStage): Promise<OpenChapter>;
}
