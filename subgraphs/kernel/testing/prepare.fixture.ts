// Statements for prepare.test.ts: the first two are valid, each of the others is wrong in one way.

import { count, instant, integer, text } from '../db/columns.ts';
import type { Query } from '../db/query.ts';
import { empty, join, sql } from '../db/sql.ts';
import { table } from '../db/table.ts';

const tokens = table('fixture.tokens', { jti: text, expiresAt: instant });

export const good = (query: Query, jti: string, filter: { readonly after?: Date }) =>
  query.list(
    tokens,
    sql`/* fixture.good */ select ${tokens.columns} from kernel.revoked_tokens
      where jti = ${jti} ${filter.after ? sql`and expires_at > ${filter.after}` : empty}`,
  );

/** A factory; and values that are mapped into fragments. */
export const createMade = () => ({
  made: (query: Query, rows: readonly { readonly jti: string; readonly at: Date }[]) =>
    query.run(sql`/* fixture.made */ insert into kernel.revoked_tokens (jti, expires_at)
      values ${join(
        rows.map(({ jti, at }) => sql`(${jti}, ${at})`),
        ', ',
      )}`),
});

export const noColumn = (query: Query) =>
  query.run(sql`/* fixture.noColumn */ select nothing from kernel.revoked_tokens`);

export const onlyWhenFiltered = (query: Query, filter: { readonly after?: Date }) =>
  query.run(sql`/* fixture.onlyWhenFiltered */ select from kernel.revoked_tokens
    ${filter.after ? empty : sql`where misspelt`}`);

const wrongType = table('fixture.wrongType', { jti: integer });
export const type = (query: Query) =>
  query.get(wrongType, sql`/* fixture.type */ select jti from kernel.revoked_tokens`);

const tooTrusting = table('fixture.tooTrusting', { lastRunAt: instant });
export const nullable = (query: Query) =>
  query.get(tooTrusting, sql`/* fixture.nullable */ select last_run_at from kernel.schedules`);

const alwaysNullable = table('fixture.tooCareful', { jti: text.nullable() });
export const neverNull = (query: Query) =>
  query.get(alwaysNullable, sql`/* fixture.neverNull */ select jti from kernel.revoked_tokens`);

export const outerJoin = (query: Query) =>
  query.list(
    alwaysNullable,
    sql`/* fixture.outerJoin */ select t.jti from kernel.schedules s left join kernel.revoked_tokens t on t.jti = s.name`,
  );

const total = table('fixture.total', { tokens: count });
export const names = (query: Query) =>
  query.get(total, sql`/* fixture.names */ select count(*) as total from kernel.revoked_tokens`);

export const unknownSecret = (query: Query) => query.run(sql`/* fixture.nobodys */ drop table kernel.events`);

export const forbidden = (query: Query) => query.run(sql`/* fixture.forbidden */ delete from kernel.events`);

export const unnamed = (query: Query) => query.run(sql`select 1`);

const hidden = (query: Query) => query.run(sql`/* fixture.hidden */ select 1`);
export const hides = () => hidden;

export const duplicated = (query: Query) => query.run(sql`/* fixture.good */ select 2`);
