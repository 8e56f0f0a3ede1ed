import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, integer, json, text } from '@landfall/kernel/db/columns';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';

const ticketRules = table(
  'orchestrator.ticket_rules',
  {
    id: id('TicketRules'),
    /** Null: the rules of the tenant. */
    productId: id('Product').nullable(),
    rules: json(Type.Array(Type.Object({ pattern: Type.String(), linkTemplate: Type.String() }))),
    version: integer,
  },
  { noun: 'set of ticket rules', writes: { updatedBy: text } },
);

export type TicketRules = RowOf<typeof ticketRules>;

/** Finds the rules of a product, or of the tenant. */
export const find = (query: Query, tenant: TenantId, product: Id<'Product'> | null) =>
  ticketRules.findWhere(query, 'findOf', sql`tenant = ${tenant} and product_id is not distinct from ${product}::uuid`);

/** Finds the rules that apply to a product: its own where it has any, else those of the tenant. */
export const findFor = (query: Query, tenant: TenantId, product: Id<'Product'>) =>
  ticketRules.findWhere(
    query,
    'findFor',
    sql`tenant = ${tenant} and (product_id is null or (product_id = ${product} and rules <> '[]'))
    order by product_id nulls last limit 1`,
  );

type RulesInput = Pick<TicketRules, 'id' | 'productId' | 'rules'>;

/** Inserts the first rules of a scope; throws Fault RES_VERSION_CONFLICT when another writer inserted them first. */
export const insert = (tx: Tx, tenant: TenantId, overrides: RulesInput, by: string): Promise<TicketRules> =>
  onConflict(
    ticketRules.insert(tx, tenant, { ...overrides, updatedBy: by }),
    'ticket_rules_scope',
    () =>
      new Fault('RES_VERSION_CONFLICT', 'The ticket rules changed since you read them. Reload and save again.', {
        expected: 0,
        actual: 1,
      }),
  );

export const { getLocked } = ticketRules;

export const update = (tx: Tx, tenant: TenantId, { id: key, rules }: Pick<RulesInput, 'id' | 'rules'>, by: string) =>
  ticketRules.update(tx, tenant, key, { rules, updatedBy: by });
