import type { ReactNode } from 'react';
import type { QueryState } from '../lib/graph-hooks.ts';
import { t } from '../lib/i18n.ts';
import { LinkButton } from './Link.tsx';
import { PageHead } from './PageHead.tsx';
import { QueryResult, SkeletonPage } from './QueryResult.tsx';

/** Page of an address whose entity does not exist or is hidden from the user. */
function NotFound({ what: name }: { readonly what: string }) {
  return (
    <>
      <PageHead title={name}>{t('notFound.entity')}</PageHead>
      <LinkButton to="/">{t('notFound.back')}</LinkButton>
    </>
  );
}

type EntityPageProps<T, E> = {
  readonly of: QueryState<T>;
  readonly entity: (data: T) => E | null;
  readonly fault: string;
  /** Title in place of an entity that does not exist. */
  readonly gone: string;
  readonly children: (entity: E, data: T) => ReactNode;
};

/** Page of one entity: loading, failed, absent, or there. */
export function EntityPage<T, E>({ of, entity, fault, gone: removed, children }: EntityPageProps<T, E>) {
  const absent = <NotFound what={removed} />;
  return (
    <QueryResult of={of} skeleton={<SkeletonPage />} fault={fault} gone={absent}>
      {(data) => {
        const found = entity(data);
        return found === null ? absent : children(found, data);
      }}
    </QueryResult>
  );
}
