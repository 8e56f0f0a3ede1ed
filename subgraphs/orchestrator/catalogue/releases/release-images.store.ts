import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { boolean, table, textArray } from '@landfall/kernel/db/table';

const schema = table('orchestrator.releases schema', { exists: boolean });

/** Whether the database has deployments: a role without the orchestrator may start before the first one with it. */
export const hasReleases = async (query: Query): Promise<boolean> => {
  const { exists } = await query.get(
    schema,
    sql`/* orchestrator.releases.hasSchema */
    select to_regclass('orchestrator.deployments') is not null as exists`,
  );
  return exists;
};

const images = table('orchestrator.releases images', { digests: textArray });

/** Digests of a release's images and of their platforms; undefined if there is no such release or deployment. */
export const listImages = async (
  query: Query,
  tenant: TenantId,
  { kind, id }: { readonly kind: 'release' | 'deployment'; readonly id: string },
): Promise<readonly string[] | undefined> => {
  const release =
    kind === 'release'
      ? sql`${id}::uuid`
      : sql`(select release_id from orchestrator.deployments where tenant = ${tenant} and id = ${id})`;
  const found = await query.find(
    images,
    sql`/* orchestrator.releases.listImages */
    select array(
      select digest from orchestrator.release_components
      where tenant = ${tenant} and release_id = r.id and digest is not null
      union
      select digest from orchestrator.component_platforms where tenant = ${tenant} and release_id = r.id
    ) as digests
    from orchestrator.releases r where r.tenant = ${tenant} and r.id = ${release}`,
  );
  return found?.digests;
};
