import type { Caller, Who } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import type { Ids } from '../core/ids.ts';
import type { Database } from '../db/database.ts';

/** Ids of a tenant's rows, which other tenants try to reach. */
export interface TenantData {
  /** One real id for each name that examples use: `Release`. */
  readonly ids: Readonly<Record<string, string>>;
  /** By operation: inputs that no example can hold, since they must be made for the occasion. */
  readonly inputs?: Readonly<Record<string, unknown>>;
}

export interface SeedContext {
  readonly deps: { readonly database: Database; readonly clock: Clock; readonly ids: Ids };
  /** Caller of the owning tenant, acme, with every scope. */
  readonly owner: Who;
  readonly approver: Caller;
  /** Text in every name that the owner uses, so that answers to other tenants can be searched for it. */
  readonly mark: string;
  /** A registry on loopback. It answers nothing but what a registry does. */
  readonly registry: {
    readonly origin: string;
    repository(name: string): string;
    /** Pushes an image that has one file. */
    pushImage(repository: string, tag: string): void;
  };
  /** Ids that the seeds before this one made. */
  readonly ids: Readonly<Record<string, string>>;
}

type Reasons = Readonly<Record<string, string>>;

/** Inputs and expectations of a module with which the access matrices try each of its operations. */
export interface SeedSpec {
  /** Position among the seeds, lowest first. */
  readonly order: number;
  /** Operations that ask for no scope, each with its reason. */
  readonly unscoped?: Reasons;
  /** Reads that answer every tenant alike, each with its reason. */
  readonly shared?: Reasons;
  /** Fields of Query that show nothing written for a tenant, each with its reason. */
  readonly sharedFields?: Reasons;
  /** Fields of what the requests' clients cannot own, such as a person's settings; each with its reason. */
  readonly ownFields?: Reasons;
  /** Values that pass validation, by the name of an argument, an input's field or an enum. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/** Rows of one tenant that a module makes through its own operations. */
export interface Seed<M> extends SeedSpec {
  create(module: M, context: SeedContext): Promise<TenantData>;
}
