import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, json, oneOf, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { type CompiledTemplate, compiledTemplate } from './compile.ts';
import { CHANNEL_TYPES, type TemplateDocument } from './document.ts';

export type TemplateRowId = Id<'NotificationTemplate'>;

// Only the operations write these documents, which checked them.
const document = json(Type.Unsafe<TemplateDocument>(Type.Object({})));
const compiled = json(Type.Unsafe<CompiledTemplate>(compiledTemplate));

const templates = table(
  'notify.templates',
  {
    id: id('NotificationTemplate'),
    templateId: text,
    key: text,
    channelType: oneOf(...CHANNEL_TYPES),
    locale: text,
    draft: document,
    published: document.nullable(),
    publishedAt: instant.nullable(),
    createdBy: text,
    createdAt: instant,
    updatedAt: instant,
    version: integer,
  },
  {
    noun: 'notification template',
    live: sql`removed_at is null`,
    writes: { compiled: compiled.nullable(), removedAt: instant.nullable() },
  },
);

/** Template of a tenant, as a draft and as it is published. */
export type StoredTemplate = RowOf<typeof templates>;

export const { get, getLocked, insertIfAbsent, update } = templates;

/** Templates of a tenant by key, channel type and locale. */
export const list = (query: Query, tenant: TenantId): Promise<StoredTemplate[]> =>
  templates.listWhere(query, 'list', sql`tenant = ${tenant} and removed_at is null order by key, channel_type, locale`);

const publishedKeys = table('notify.templates.publishedKeys', {
  key: text,
  channelType: oneOf(...CHANNEL_TYPES),
});

/** Keys and channel types of the published templates of a tenant. */
export const listPublishedKeys = (query: Query, tenant: TenantId) =>
  query.list(
    publishedKeys,
    sql`/* notify.templates.listPublishedKeys */
    select distinct key, channel_type from notify.templates
    where tenant = ${tenant} and compiled is not null and removed_at is null`,
  );

const published = table('notify.templates.compiled', { tenant: tenantId, compiled: compiled.nullable() });

const inForce = (rows: readonly RowOf<typeof published>[]) =>
  rows.flatMap(({ tenant, compiled: template }) => (template === null ? [] : [{ tenant, compiled: template }]));

/** Published templates of tenants, compiled. Role `landfall_system`. */
export const listCompiled = async (query: Query, tenants: readonly TenantId[]) =>
  inForce(
    await query.list(
      published,
      sql`/* notify.templates.listCompiled */
    select tenant, compiled from notify.templates
    where tenant = any(${tenants}::text[]) and compiled is not null and removed_at is null`,
    ),
  );

/** Published templates of one tenant, compiled. */
export const listCompiledOf = async (query: Query, tenant: TenantId) =>
  inForce(
    await query.list(
      published,
      sql`/* notify.templates.listCompiledOf */
    select tenant, compiled from notify.templates
    where tenant = ${tenant} and compiled is not null and removed_at is null`,
    ),
  );
